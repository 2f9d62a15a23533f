/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The historian: the process that alone opens the history database. */

#pragma once

/* Serves one stream socket with the frames of wire/asb-frame.h (sequence always 1) until the other
 * side closes it, and returns the exit status: 0, or 1 when the other side broke the protocol.
 * @history_dir is an absolute path; it is made when the history is first opened.
 *
 * CALL {"call", "args"} takes "history.open", "history.record", "history.query",
 * "history.get_operations", "history.get_output", "history.export", "history.acknowledge" and
 * "history.status" of docs/guest-protocol.md §4.3. Besides, "history.open" with args {"existing":
 * true} opens the record that is there, whatever its identity, and never makes or renames one. What
 * goes to a client comes as DATA of channel 1 with FIN, within ASB_FRAME_WINDOW of the CREDIT
 * given.
 *
 * CALL {"call": "record.start", "record": {…}} is answered after the commit by {"result": {}} or
 * {"error": {…}}. Its call number names the operation from then on: DATA of channels 1 and 2 is
 * output to record, and a STOP in the other direction says that no more of one is
 * wanted (the totals in the result of the end then tell what there was in all). CALL {"call":
 * "record.finish", "start": number, "status", "result"?: {…}, "error_code"?, "command"?:
 * {"exit_code", "provider_command_id"}, "file_operation"?: {"before_hash", "after_hash",
 * "before_size", "after_size", "diff_data", "diff_complete"}, "output_lost"?: bool} completes it
 * and is answered by {"result": {"state", "message"?}}. What "file_operation" does not say is taken
 * from the result: content_hash, previous_hash, size, diff, diff_truncated.
 *
 * CALL {"call": "historian.close"} writes what is due and leaves the database as one file. */
int historian_main (int socket_fd, const char *history_dir);
