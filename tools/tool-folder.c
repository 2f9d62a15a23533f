/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-folder.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gunixinputstream.h>
#include <locale.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "archive-folder.h"
#include "tool-message.h"
#include "tool-output.h"
#include "tool-progress.h"
#include "tool-sandbox.h"

#define OPEN_FOLDER (O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)
#define BUFFER_SIZE (64 * 1024)

/* So many names are told of what was left out. */
#define MAX_NAMED 64

/* As much as there is: it is the user's own folder, or one he asked for. */
static const ArchiveBounds NO_BOUNDS = { INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX };

/* What a thread works on. Only its own until it has ended, but for the cancellable and the count.
 */
typedef struct
{
  GCancellable *cancellable;
  guint64 *count; /* of bytes, for who shows it */
  const char *path;
  int directory_fd;
  int fd;               /* of a socket, that packing writes to */
  GInputStream *stream; /* that unpacking reads */
  GError *error;        /* of that */
  ArchiveConflict conflict;
  int parent_fd;
  char *name;
  GPtrArray *named;
  guint64 n_left_out;
  Failure failure;
  gboolean done;
  char buffer[BUFFER_SIZE];
} Work;

static void
work_free (gpointer data)
{
  Work *work = data;

  g_object_unref (work->cancellable);
  g_clear_object (&work->stream);
  g_clear_error (&work->error);
  g_clear_pointer (&work->named, g_ptr_array_unref);
  g_free (work->name);
  failure_clear (&work->failure);
  if (work->directory_fd >= 0)
    close (work->directory_fd);
  if (work->parent_fd >= 0)
    close (work->parent_fd);
  if (work->fd >= 0)
    close (work->fd);
  g_free (work);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Work, work_free)

static Work *
work_new (Tool *tool, const char *path)
{
  Work *work = g_new0 (Work, 1);

  work->cancellable = g_object_ref (tool->cancellable);
  work->path = path;
  work->directory_fd = work->parent_fd = work->fd = -1;
  work->named = g_ptr_array_new_with_free_func (g_free);
  return work;
}

/* What an archive is given. */

static const uint8_t *
receive (void *data, size_t *size)
{
  Work *work = data;
  gssize n = g_input_stream_read (work->stream, work->buffer, sizeof work->buffer,
                                  work->cancellable, &work->error);

  if (n <= 0)
    return NULL;
  *size = (size_t)n;
  __atomic_add_fetch (work->count, (guint64)n, __ATOMIC_RELAXED);
  return (const uint8_t *)work->buffer;
}

static bool
send_bytes (void *data, const void *bytes, size_t size)
{
  Work *work = data;
  const char *at = bytes;

  while (size > 0)
    {
      gssize n = send (work->fd, at, size, MSG_NOSIGNAL);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return false;
      __atomic_add_fetch (work->count, (guint64)n, __ATOMIC_RELAXED);
      at += n;
      size -= (size_t)n;
    }
  return true;
}

static bool
goes_on (void *data)
{
  Work *work = data;

  return !work->error && !g_cancellable_is_cancelled (work->cancellable);
}

static void
leave_out (void *data, const char *path, const char *code, const char *why)
{
  Work *work = data;

  work->n_left_out++;
  if (work->named->len < MAX_NAMED)
    g_ptr_array_add (work->named, g_strdup_printf ("%s: %s", path, why));
}

static ArchiveCaller
caller_of (Work *work)
{
  return (ArchiveCaller){ .receive = receive,
                          .send = send_bytes,
                          .goes_on = goes_on,
                          .left_out = leave_out,
                          .only_tar = true,
                          .data = work };
}

/* Names are bytes, whatever the user's locale: in this one none is converted. */
static locale_t
enter_plain_locale (void)
{
  locale_t plain = newlocale (LC_ALL_MASK, "C", NULL);

  uselocale (plain);
  return plain;
}

static void
leave_plain_locale (locale_t plain)
{
  uselocale (LC_GLOBAL_LOCALE);
  freelocale (plain);
}

static void
pack (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Work *work = data;
  const ArchiveCaller caller = caller_of (work);
  ArchivePacking packing = {
    .caller = &caller, .bounds = NO_BOUNDS, .directory_fd = work->directory_fd, .path = work->path
  };
  ArchiveCounts counts;
  locale_t plain = enter_plain_locale ();

  work->done = archive_pack (&packing, &counts, &work->failure);
  leave_plain_locale (plain);
  close (work->fd);
  work->fd = -1;
  g_task_return_boolean (task, TRUE);
}

static void
unpack (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Work *work = data;
  const ArchiveCaller caller = caller_of (work);
  ArchiveUnpacking unpacking = { .caller = &caller,
                                 .bounds = NO_BOUNDS,
                                 .conflict = work->conflict,
                                 .target_fd = work->directory_fd,
                                 .parent_fd = work->parent_fd,
                                 .name = work->name,
                                 .path = work->path };
  ArchiveCounts counts;
  locale_t plain = enter_plain_locale ();

  work->done = archive_unpack (&unpacking, &counts, &work->failure);
  leave_plain_locale (plain);
  g_task_return_boolean (task, TRUE);
}

/* Runs @function on @work, which it must be waited for. */
static void
begin_work (Work *work, GTaskThreadFunc function, ToolWait *wait)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, tool_wait_cb, wait);

  g_task_set_task_data (task, work, NULL);
  g_task_run_in_thread (task, function);
}

static gboolean
set_failure (const Failure *failure, GError **error)
{
  int code;

  if (!failure->code)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Operation was cancelled");
  else
    {
      if (!asb_error_code_from_string (failure->code, &code))
        code = ASB_ERROR_IO;
      g_set_error_literal (error, ASB_ERROR, code, failure->message);
    }
  return FALSE;
}

static void
name_left_out (const char *const *names, guint n_names, guint64 n_left_out)
{
  for (guint i = 0; i < n_names; i++)
    tool_message ("Left out %s", names[i]);
  if (n_left_out > n_names)
    tool_message ("Left out %" G_GUINT64_FORMAT " more", n_left_out - n_names);
}

const char *const tool_folder_conflicts[] = { [ASB_ARCHIVE_CONFLICT_ERROR] = "error",
                                              [ASB_ARCHIVE_CONFLICT_OVERWRITE] = "overwrite",
                                              [ASB_ARCHIVE_CONFLICT_SKIP] = "skip",
                                              NULL };

/* In. */

static gboolean
open_source (Work *work, GInputStream **stream, GError **error)
{
  int fds[2];

  work->directory_fd = open (work->path, OPEN_FOLDER);
  if (work->directory_fd < 0 || socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_LOCAL_PATH_NOT_FOUND, "Could not read “%s”: %s",
                   work->path, g_strerror (errno));
      return FALSE;
    }
  work->fd = fds[0];
  *stream = g_unix_input_stream_new (fds[1], TRUE);
  return TRUE;
}

static AsbArchiveResult *
extract (Tool *tool, AsbBackend *backend, const char *remote, AsbArchiveConflict conflict,
         GInputStream *stream, GError **error)
{
  g_autoptr (AsbArchiveOptions) options = g_object_new (
      ASB_TYPE_ARCHIVE_OPTIONS, "path", remote, "conflict", conflict, "max-members",
      ASB_ARCHIVE_OPTIONS_UNLIMITED, "max-bytes", ASB_ARCHIVE_OPTIONS_UNLIMITED, "max-file-bytes",
      ASB_ARCHIVE_OPTIONS_UNLIMITED, "max-ratio", ASB_ARCHIVE_OPTIONS_UNLIMITED, NULL);
  g_auto (ToolWait) wait = { 0 };

  asb_backend_extract_archive_async (backend, options, stream, tool->cancellable, tool_wait_cb,
                                     &wait);
  return asb_backend_extract_archive_finish (backend, tool_wait (&wait), error);
}

ToolFolderOutcome
tool_folder_put (Tool *tool, AsbBackend *backend, const char *local, const char *remote,
                 AsbArchiveConflict conflict, GError **error)
{
  g_autoptr (Work) work = work_new (tool, local);
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (AsbArchiveResult) result = NULL;
  g_autoptr (GError) refused = NULL;
  g_auto (ToolProgress) progress = { 0 };
  g_auto (ToolWait) wait = { 0 };

  if (!open_source (work, &stream, error))
    return TOOL_FOLDER_FAILED;
  tool_progress_begin (&progress, local, 0);
  work->count = &progress.count;
  begin_work (work, pack, &wait);
  result = extract (tool, backend, remote, conflict, stream, &refused);
  /* Who packs learns from this that nobody takes any more. */
  g_input_stream_close (stream, NULL, NULL);
  tool_wait (&wait);
  tool_progress_end (&progress);
  if (work->failure.code)
    return set_failure (&work->failure, error);
  if (!result)
    {
      g_propagate_error (error, g_steal_pointer (&refused));
      return TOOL_FOLDER_FAILED;
    }
  name_left_out ((const char *const *)work->named->pdata, work->named->len, work->n_left_out);
  return work->n_left_out > 0 ? TOOL_FOLDER_INCOMPLETE : TOOL_FOLDER_DONE;
}

/* Out. */

static GInputStream *
open_archive (Tool *tool, AsbBackend *backend, const char *remote, GError **error)
{
  g_autoptr (AsbArchiveOptions) options
      = g_object_new (ASB_TYPE_ARCHIVE_OPTIONS, "path", remote, NULL);
  g_auto (ToolWait) wait = { 0 };

  asb_backend_open_archive_async (backend, options, tool->cancellable, tool_wait_cb, &wait);
  return asb_backend_open_archive_finish (backend, tool_wait (&wait), error);
}

/* What the guest left out, once all has been read. */
static ToolFolderOutcome
conclude (GInputStream *stream)
{
  AsbArchiveResult *result = asb_archive_result_get_for_stream (stream);
  const char *const *errors = result ? asb_archive_result_get_errors (result) : NULL;
  guint64 n_errors = result ? asb_archive_result_get_n_errors (result) : 0;

  if (n_errors == 0)
    return TOOL_FOLDER_DONE;
  name_left_out (errors, g_strv_length ((char **)errors), n_errors);
  return TOOL_FOLDER_INCOMPLETE;
}

/* Into @local, or a folder in it when it is there. */
static gboolean
open_target (Work *work, const char *local, const char *remote, GError **error)
{
  g_autofree char *name = g_path_get_basename (remote);
  g_autofree char *path = NULL;
  g_autofree char *parent = NULL;

  if (g_file_test (local, G_FILE_TEST_IS_DIR) && !g_str_equal (name, ".")
      && !g_str_equal (name, "/"))
    path = g_build_filename (local, name, NULL);
  else
    path = g_strdup (local);
  parent = g_path_get_dirname (path);
  work->name = g_path_get_basename (path);
  work->directory_fd = open (path, OPEN_FOLDER);
  if (work->directory_fd < 0 && errno == ENOENT)
    work->parent_fd = open (parent, OPEN_FOLDER);
  if (work->directory_fd >= 0 || work->parent_fd >= 0)
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_LOCAL_PATH_NOT_FOUND, "Could not write “%s”: %s", path,
               g_strerror (errno));
  return FALSE;
}

static gboolean
unpack_stream (Work *work, GError **error)
{
  g_auto (ToolProgress) progress = { 0 };
  g_auto (ToolWait) wait = { 0 };

  tool_progress_begin (&progress, work->path, 0);
  work->count = &progress.count;
  begin_work (work, unpack, &wait);
  tool_wait (&wait);
  if (work->done)
    return TRUE;
  if (!work->error)
    return set_failure (&work->failure, error);
  g_propagate_error (error, g_steal_pointer (&work->error));
  return FALSE;
}

ToolFolderOutcome
tool_folder_get (Tool *tool, AsbBackend *backend, const char *remote, const char *local,
                 AsbArchiveConflict conflict, GError **error)
{
  g_autoptr (Work) work = work_new (tool, remote);

  work->conflict = (ArchiveConflict)conflict;
  if (!open_target (work, local, remote, error))
    return TOOL_FOLDER_FAILED;
  work->stream = open_archive (tool, backend, remote, error);
  if (!work->stream || !unpack_stream (work, error))
    return TOOL_FOLDER_FAILED;
  return conclude (work->stream);
}

ToolFolderOutcome
tool_folder_print (Tool *tool, AsbBackend *backend, const char *remote, GError **error)
{
  g_autoptr (GInputStream) stream = open_archive (tool, backend, remote, error);
  g_auto (ToolProgress) progress = { 0 };
  g_auto (ToolWait) wait = { 0 };

  if (!stream)
    return TOOL_FOLDER_FAILED;
  tool_progress_begin (&progress, remote, 0);
  tool_copy_async (stream, STDOUT_FILENO, &progress.count, tool->cancellable, tool_wait_cb, &wait);
  if (!tool_copy_finish (tool_wait (&wait), error))
    return TOOL_FOLDER_FAILED;
  tool_progress_end (&progress);
  return conclude (stream);
}
