# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a GIR file declares."""

import xml.etree.ElementTree

CORE = "{http://www.gtk.org/introspection/core/1.0}"
C = "{http://www.gtk.org/introspection/c/1.0}"
GLIB = "{http://www.gtk.org/introspection/glib/1.0}"

FUNCTIONS = {CORE + tag for tag in ("function", "method", "constructor", "function-macro")}
CALLABLE = FUNCTIONS | {CORE + "virtual-method"}
DOCUMENTED = CALLABLE | {CORE + tag for tag in (
    "class", "interface", "enumeration", "bitfield", "constant", "callback", "property", "record")} | {
    GLIB + "signal"}


def load(path):
    return xml.etree.ElementTree.parse(path).getroot().find(CORE + "namespace")


def exported(namespace):
    """The symbols that the library must export."""
    symbols = {element.get(C + "identifier") for element in namespace.iter()
               if element.tag in FUNCTIONS and element.tag != CORE + "function-macro"}
    symbols |= {element.get(GLIB + "get-type") for element in namespace.iter()
                if element.get(GLIB + "get-type")}
    return symbols - {None}


def public(namespace):
    """(name, element) of everything that has a documentation of its own."""
    for parent in namespace.iter():
        for element in parent:
            if element.tag not in DOCUMENTED or element.get("name", "").endswith("_autoptr"):
                continue
            if element.tag == CORE + "record" and element.get(GLIB + "is-gtype-struct-for"):
                continue
            if element.tag == CORE + "callback" and parent.tag != CORE + "namespace":
                continue
            name = element.get(C + "identifier") or element.get(C + "type")
            yield name or f"{parent.get('name')}:{element.get('name')}", element


def parameters(function):
    return function.findall(f"{CORE}parameters/{CORE}parameter")
