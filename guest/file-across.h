/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Moving a file to another file system, where it cannot be renamed. */

#pragma once

#include "file-path.h"

/* Copies the regular file at @from, with its mode, owner and time, puts that in its place, and
 * deletes the first. Of anything else nothing is moved. False with @failure set, unless the call
 * was cancelled. */
bool file_move_across (FileWorker *worker, const FilePlace *from, const char *from_path,
                       const char *to_path, bool overwrite, Failure *failure);
