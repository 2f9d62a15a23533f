// SPDX-License-Identifier: LGPL-2.1-or-later
// What a GIR file declares. It is written by a program and regular: tags and attributes are all that
// is asked for here.

import GLib from 'gi://GLib';

const TAG = /<(\/?)([\w:-]+)((?:\s+[\w:-]+="[^"]*")*)\s*(\/?)>/g;
const ATTRIBUTE = /([\w:-]+)="([^"]*)"/g;

export const CALLABLE = ['function', 'method', 'constructor'];

class Element {
  constructor(tag, attributes) {
    this.tag = tag;
    this.children = [];
    for (const [, name, value] of attributes.matchAll(ATTRIBUTE))
      this[name] = value;
  }

  all(...tags) {
    return this.children.filter(child => tags.includes(child.tag));
  }

  first(tag) {
    return this.all(tag)[0] ?? null;
  }

  get parameters() {
    return this.first('parameters')?.all('parameter') ?? [];
  }

  get type() {
    return this.first('array') ? 'array' : this.first('type').name;
  }
}

// Returns the namespace.
export function load(path) {
  const [, contents] = GLib.file_get_contents(path);
  const root = new Element('', '');
  const open = [root];
  for (const [, closes, tag, attributes, isEmpty] of new TextDecoder().decode(contents).matchAll(TAG)) {
    if (closes) {
      if (open.pop().tag !== tag)
        throw new Error(`${path}: “${tag}” is closed where it is not open`);
      continue;
    }
    const element = new Element(tag, attributes);
    open.at(-1).children.push(element);
    if (!isEmpty)
      open.push(element);
  }
  if (open.length !== 1)
    throw new Error(`${path}: “${open.at(-1).tag}” is not closed`);
  return root.first('repository').first('namespace');
}
