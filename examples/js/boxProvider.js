// SPDX-License-Identifier: LGPL-2.1-or-later
// A provider written in JavaScript: a sandbox is a folder, which bubblewrap makes the root of
// whatever is run in it. Commands, terminals, files and the record come with the guest. Run it
// (gjs -m) to have it checked.

import Asb from 'gi://Asb?version=1';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import System from 'system';

const BWRAP = ['--ro-bind', '/usr', '/usr', '--proc', '/proc', '--dev', '/dev', '--clearenv'];

const STORE = 'mkdir -p "${0%/*}" && cat >"$0" && chmod "$1" "$0"';

const makeFolder = path => GLib.mkdir_with_parents(path, 0o755);

export const BoxProvider = GObject.registerClass(
class BoxProvider extends Asb.SimpleProvider {
  vfunc_create(id, spec, cancellable) {
    const root = this.dup_folder(id);

    makeFolder(`${root}/tmp`);
    makeFolder(`${root}/${spec.get_workdir() ?? 'workspace'}`);
    for (const name of ['bin', 'lib', 'lib64'])
      Gio.File.new_for_path(`${root}/${name}`).make_symbolic_link(`usr/${name}`, null);
  }

  vfunc_remove(id, cancellable) {
    this.end_guest(id, cancellable);
  }

  vfunc_open_program(id, argv, cancellable) {
    const bwrap = ['bwrap', '--bind', this.dup_folder(id), '/', ...BWRAP];
    return Asb.SubprocessStream.new([...bwrap, 'sh', '-c', 'exec "$0" "$@"'], argv);
  }

  vfunc_store_file(id, path, contents, mode, cancellable) {
    // From inside: what has been run there may have put links in the way, to what is outside.
    const stream = this.vfunc_open_program(id, ['sh', '-c', STORE, path, mode.toString(8)], cancellable);

    stream.get_output_stream().write_all(contents.toArray(), cancellable);
    stream.get_output_stream().close(cancellable);
    stream.get_subprocess().wait_check(cancellable);
  }
});

async function main() {
  const {default: AsbCheck} = await import('gi://AsbCheck?version=1');
  const registry = Asb.Registry.new();

  registry.register_provider('box', BoxProvider.$gtype);
  return AsbCheck.provider(registry, 'box', null, 'sandbox', null, AsbCheck.Flags.ONE_THREAD);
}

if (import.meta.url.endsWith(System.programInvocationName.split('/').pop()))
  System.exit(await main() > 0 ? 1 : 0);
