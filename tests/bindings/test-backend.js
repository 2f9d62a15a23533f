// SPDX-License-Identifier: LGPL-2.1-or-later
// A local sandbox, from JavaScript: commands, files, errors, cancelling, the record.

import Asb from 'gi://Asb?version=1';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

import {equal, fails, ok, run} from './tap.js';

const BYTES = Uint8Array.from([0, 13, 10, 128, 255, 254, 195, 169]);
const {CommandFlags, CommandSpec, FileFlags} = Asb;

Gio._promisify(Asb, 'create_backend_async', 'create_backend_finish');
for (const verb of ['close', 'delete_file', 'edit_file', 'execute', 'extract_archive', 'find_files', 'list_files', 'list_jobs',
  'move_file', 'open_archive', 'open_read', 'open_write', 'query_file', 'query_info', 'query_job', 'read_file', 'read_lines', 'search_text', 'set_attributes',
  'start_command', 'start_job', 'upload_local', 'watch_files', 'write_file'])
  Gio._promisify(Asb.Backend.prototype, `${verb}_async`, `${verb}_finish`);
for (const verb of ['communicate', 'send_signal', 'wait'])
  Gio._promisify(Asb.Command.prototype, `${verb}_async`, `${verb}_finish`);
for (const verb of ['open_output', 'remove', 'send_signal', 'stop', 'wait'])
  Gio._promisify(Asb.Job.prototype, `${verb}_async`, `${verb}_finish`);

let backend = null;

function options(properties = {}) {
  return new Asb.BackendOptions({provider_name: 'local', history: new Asb.HistoryConfig(), ...properties});
}

async function create() {
  backend = await Asb.create_backend_async(options({agent_name: 'the agent'}), null);
  const info = await backend.query_info_async(null);
  equal(info.get_state(), Asb.SandboxState.RUNNING);
  equal(info.get_ref().get_provider_name(), 'local');
}

async function exitStatus() {
  const result = await backend.execute_async(
    CommandSpec.new_shell('echo hi; echo oops >&2; exit 3'), null);
  equal(result.get_exit_status(), 3);
  equal(result.dup_stdout_text(), 'hi\n');
  equal(result.dup_stderr_text(), 'oops\n');
}

async function outputIsBytes() {
  const command = await backend.start_command_async(
    new CommandSpec({argv: ['cat'], flags: CommandFlags.STDIN_PIPE}), null);
  const [output] = await command.communicate_async(new GLib.Bytes(BYTES), null);
  equal([...output.toArray()], [...BYTES]);
  ok(command.get_successful(), 'success');
}

function blocking() {
  equal(backend.execute(CommandSpec.new_argv(['printf', '%s', 'a b']), null).dup_stdout_text(), 'a b');
}

async function signals() {
  const command = await backend.start_command_async(
    new CommandSpec({shell: "printf 'a\\377b'", flags: CommandFlags.OUTPUT_SIGNALS}), null);
  const pieces = [];
  command.connect('stdout-data', (_command, data) => pieces.push(...data.toArray()));
  await new Promise(resolve => command.connect('exited', resolve));
  equal(pieces, [97, 255, 98]);
}

async function sendSignal() {
  const command = await backend.start_command_async(
    new CommandSpec({argv: ['cat'], flags: CommandFlags.STDIN_PIPE}), null);
  await command.send_signal_async(15, null);
  await command.wait_async(null);
  equal([command.get_if_signaled(), command.get_term_sig()], [true, 15]);
}

async function forceExit() {
  const command = await backend.start_command_async(
    new CommandSpec({argv: ['cat'], flags: CommandFlags.STDIN_PIPE}), null);
  command.force_exit();
  await command.wait_async(null);
  equal(command.get_state(), Asb.CommandState.CANCELLED);
}

async function jobs() {
  const job = await backend.start_job_async(CommandSpec.new_shell('cat; echo a; exit 5'), 'mine', null);
  equal([job.name, job.state], ['mine', Asb.CommandState.RUNNING]);
  const output = await job.open_output_async(Asb.OutputStream.STDOUT, -1, true, null);
  equal((await job.wait_async(null)).get_exit_status(), 5);
  equal([...output.read_bytes(100, null).toArray()], [97, 10]);
  const [same] = await backend.list_jobs_async(null);
  equal([same.id, same.state, same.stdout_total], [job.id, Asb.CommandState.FAILED, 2]);
  equal((await backend.query_job_async(job.id, null)).result.exit_status, 5);
  ok(await job.send_signal_async(15, null) === false, 'too late');
  const endless = backend.start_job(CommandSpec.new_argv(['tail', '-f', '/dev/null']), null, null);
  equal((await endless.stop_async(null)).get_state(), Asb.CommandState.CANCELLED);
  await job.remove_async(null);
  await fails(Asb.Error, Asb.Error.JOB_NOT_FOUND, () => backend.query_job_async(job.id, null));
}

async function manyAtOnce() {
  const numbers = [...Array(20).keys()];
  const results = await Promise.all(numbers.map(
    number => backend.execute_async(CommandSpec.new_shell(`echo ${number}`), null)));
  equal(results.map(result => result.dup_stdout_text()), numbers.map(number => `${number}\n`));
}

async function cancelled() {
  const cancellable = new Gio.Cancellable();
  const waiting = backend.execute_async(CommandSpec.new_argv(['tail', '-f', '/dev/null']), cancellable);
  cancellable.cancel();
  await fails(Gio.IOErrorEnum, Gio.IOErrorEnum.CANCELLED, () => waiting);
}

async function missingProgram() {
  const error = await fails(Asb.Error, Asb.Error.COMMAND_NOT_FOUND,
    () => backend.execute_async(CommandSpec.new_argv(['no-such-program']), null));
  ok(error.message.includes('no-such-program'), 'naming the program');
}

function errorInfo() {
  let caught = null;
  try {
    backend.read_file('/workspace/missing', null);
  } catch (error) {
    caught = error;
  }
  ok(caught.matches(Asb.Error, Asb.Error.FILE_NOT_FOUND), 'being missing');
  equal(Asb.ErrorInfo.get_last().get_operation(), 'file.read');
}

async function files() {
  const written = await backend.write_file_async('/workspace/f/x', new GLib.Bytes(BYTES), null, null);
  const contents = await backend.read_file_async('/workspace/f/x', null);
  equal([...contents.toArray()], [...BYTES]);
  await fails(Asb.Error, Asb.Error.CONCURRENT_MODIFICATION, () => backend.write_file_async(
    '/workspace/f/x', new GLib.Bytes(BYTES), '0'.repeat(64), null));
  await backend.write_file_async('/workspace/f/x', new GLib.Bytes([1]), written.get_hash(), null);
  await backend.move_file_async('/workspace/f/x', '/workspace/f/y', FileFlags.NONE, null);
  const listing = await backend.list_files_async('/workspace/f', null);
  equal([...listing].map(info => [info.dup_name(), info.get_size()]), [['y', 1]]);
  await backend.delete_file_async('/workspace/f', FileFlags.RECURSIVE, null);
  await fails(Asb.Error, Asb.Error.FILE_NOT_FOUND, () => backend.query_file_async('/workspace/f', null));
}

async function fileStreams() {
  const output = await backend.open_write_async('/workspace/streamed', -1, null);
  output.write_all(BYTES, null);
  output.close(null);
  const input = await backend.open_read_async('/workspace/streamed', null);
  equal([...input.read_bytes(100, null).toArray()], [...BYTES]);
}

async function searches() {
  await backend.write_file_async('/workspace/s/a.txt', new GLib.Bytes(new TextEncoder().encode('one\ntwo\n')), null, null);
  const found = await backend.find_files_async(new Asb.FileSearch({path: '/workspace', pattern: 's/*.txt'}), null);
  equal([...found].map(info => info.get_path()), ['/workspace/s/a.txt']);
  const matches = await backend.search_text_async(
    new Asb.FileSearch({path: 's', text: '^t', flags: Asb.SearchFlags.REGEX}), null);
  equal([...matches].map(match => [match.get_line_number(), match.dup_text()]), [[2, 'two']]);
  equal([matches.get_cut(), matches.get_n_files()], [Asb.SearchCut.NONE, 1]);
  await fails(Asb.Error, Asb.Error.INVALID_ARGUMENT,
    () => backend.find_files_async(new Asb.FileSearch({pattern: '../*'}), null));
}

async function edits() {
  const edit = new Asb.FileEdit({path: 's/a.txt', old_text: 'two', new_text: '2'});
  equal((await backend.edit_file_async(edit, null)).get_n_replaced(), 1);
  await fails(Asb.Error, Asb.Error.TEXT_NOT_FOUND, () => backend.edit_file_async(edit, null));
  const lines = await backend.read_lines_async('s/a.txt', 1, 1, null);
  equal([lines.dup_text(), lines.get_state(), lines.get_total_lines()], ['2\n', Asb.LineState.LINES, 2]);
  equal((await backend.set_attributes_async('s/a.txt', 0o600, -1, -1, null)).get_mode(), 0o600);
}

async function watches() {
  const watch = await backend.watch_files_async('s', FileFlags.NONE, null);
  const event = new Promise(resolve => watch.connect('changed', (_watch, told) => resolve(told)));
  const end = new Promise(resolve => watch.connect('ended', () => resolve(watch.get_state())));
  await backend.write_file_async('s/new', new GLib.Bytes([1]), null, null);
  equal((await event).get_path().startsWith('/workspace/s/'), true);
  watch.close();
  equal(await end, Asb.FileWatchState.CLOSED);
}

async function archives() {
  await backend.write_file_async('tree/a', new GLib.Bytes(BYTES), null, null);
  const stream = await backend.open_archive_async(new Asb.ArchiveOptions({path: 'tree'}), null);
  const result = await backend.extract_archive_async(new Asb.ArchiveOptions({path: 'copy'}), stream, null);
  equal([result.get_format(), result.get_n_files()], [Asb.ArchiveFormat.TAR, 1]);
  equal(Asb.ArchiveResult.get_for_stream(stream).get_n_errors(), 0);
  equal([...(await backend.read_file_async('copy/a', null)).toArray()], [...BYTES]);
  await fails(Asb.Error, Asb.Error.ARCHIVE_DAMAGED, () => backend.extract_archive_async(
    new Asb.ArchiveOptions({path: 'no'}), Gio.MemoryInputStream.new_from_bytes(new GLib.Bytes(BYTES)), null));
}

async function uploads() {
  const folder = GLib.dir_make_tmp('asb-upload-XXXXXX');
  GLib.file_set_contents(`${folder}/a`, 'text');
  GLib.file_set_contents(`${folder}/.env`, 'SECRET');
  const config = new Asb.UploadConfig({allowed_local_roots: [folder]});
  const spec = new Asb.UploadSpec({source: folder, target: '/workspace/uploaded'});
  const seen = [];
  config.set_approval((manifest, task) => {
    seen.push(manifest.get_paths());
    task.return_boolean(seen.length > 1);
  });
  config.set_progress((which, n, total) => seen.push([which.get_target(), n, total]));
  await fails(Asb.Error, Asb.Error.UPLOAD_POLICY, () => backend.upload_local_async(spec, config, null));
  const result = await backend.upload_local_async(spec, config, null);
  equal([result.get_uploaded_files(), result.get_skipped_files(), result.get_failures().get_n_items()], [1, 0, 0]);
  equal(seen.slice(0, 2), [['a'], ['a']]);
  equal(seen[seen.length - 1], ['/workspace/uploaded', 4, 4]);
  equal(backend.upload_local(spec, config, null).get_skipped_files(), 1);
  equal(new TextDecoder().decode((await backend.read_file_async('uploaded/a', null)).toArray()), 'text');
  const other = new Asb.BackendOptions({provider_name: 'local', upload_config: config});
  other.add_upload(spec);
  const second = await Asb.create_backend_async(other, null);
  equal((await second.list_files_async('uploaded', null)).get_n_items(), 1);
  await second.close_async(null);
  for (const name of ['a', '.env', ''])
    Gio.File.new_for_path(`${folder}/${name}`).delete(null);
}

function record() {
  const store = backend.get_history_store();
  const changes = [...store.query(0, 1000, 1 << 20, null).get_changes()];
  const ids = [...new Set(changes.map(change => change.get_event_id()))];
  const operations = [...store.get_operations(ids, null)];
  const first = operations.find(operation => operation.get_operation_type() === 'command.execute');
  equal(first.get_status(), Asb.OperationStatus.FAILED);
  equal(first.get_actor_id(), 'the agent');
  equal(first.get_result().recursiveUnpack().exit_code, 3);
  const output = store.get_output(first.get_event_id(), Asb.OutputStream.STDOUT, null);
  equal([...output.read_bytes(100, null).toArray()], [...new TextEncoder().encode('hi\n')]);
}

async function close() {
  await backend.close_async(null);
  ok(backend.get_closed(), 'being closed');
  await fails(Asb.Error, Asb.Error.CLOSED,
    () => backend.execute_async(CommandSpec.new_shell('true'), null));
}

run([create, exitStatus, outputIsBytes, blocking, signals, sendSignal, forceExit, jobs, manyAtOnce,
  cancelled, missingProgram, errorInfo, files, fileStreams, searches, edits, watches, archives, uploads, record, close]);
