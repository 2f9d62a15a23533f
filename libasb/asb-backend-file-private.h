/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the operations of a backend on one file share. */

#pragma once

#include "asb-run-private.h"

/* What one kind of file operation records, and who does it. */
typedef struct
{
  const char *operation_type;
  const char *change_type;
  AsbRunPerform perform;
} AsbFileOperation;

/* Takes @task and @request; @details, of the record, is taken too and may be NULL. */
void asb_backend_begin_file (AsbBackend *self, GTask *task, const AsbFileOperation *operation,
                             AsbFileRequest *request, GVariantDict *details);

/* @path, absolute; NULL when it was refused and @task, which it then takes, answered. */
char *asb_backend_resolve_path (AsbBackend *self, GTask *task, const char *path);

/* A request about @path, or NULL when the path was refused and @task, which it then takes,
 * answered. */
AsbFileRequest *asb_backend_new_file_request (AsbBackend *self, GTask *task, const char *path);

/* What the record says. All return a floating variant. */
GVariant *asb_backend_describe_size (guint64 size);
/* @before_hash (nullable): what the file must be before. */
GVariant *asb_backend_describe_target (const char *path, const char *change_type,
                                       const char *before_hash);
/* @info: an AsbFileInfo of the new file */
GVariant *asb_backend_describe_written (gpointer info);
