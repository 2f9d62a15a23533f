/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The calls of files, one function each, run in a file worker. False when it failed, with @failure
 * set unless the call was cancelled. */

#pragma once

#include "worker.h"

bool file_stat (FileWorker *worker, FileResult *result, Failure *failure);
bool file_list (FileWorker *worker, FileResult *result, Failure *failure);
bool file_walk (FileWorker *worker, FileResult *result, Failure *failure);
bool file_glob (FileWorker *worker, FileResult *result, Failure *failure);
bool file_grep (FileWorker *worker, FileResult *result, Failure *failure);
bool file_watch (FileWorker *worker, FileResult *result, Failure *failure);
bool file_read (FileWorker *worker, FileResult *result, Failure *failure);
bool file_read_lines (FileWorker *worker, FileResult *result, Failure *failure);
bool file_set_attributes (FileWorker *worker, FileResult *result, Failure *failure);
bool file_write (FileWorker *worker, FileResult *result, Failure *failure);
bool file_edit (FileWorker *worker, FileResult *result, Failure *failure);
bool file_mkdir (FileWorker *worker, FileResult *result, Failure *failure);
bool file_delete (FileWorker *worker, FileResult *result, Failure *failure);
bool file_move (FileWorker *worker, FileResult *result, Failure *failure);
bool file_unpack (FileWorker *worker, FileResult *result, Failure *failure);
bool file_pack (FileWorker *worker, FileResult *result, Failure *failure);
