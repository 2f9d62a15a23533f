/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What uploads keep to, whether or not a transport takes many files at once; but it has to read,
 * write and move files. */

#include "checks.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

#define TARGET "/workspace/uploaded"

/* A folder of this machine with two files. */
typedef struct
{
  char *path;
  char *one;
  char *folder;
  char *two;
  AsbUploadConfig *config;
} Source;

static gboolean
source_begin (Source *source, GError **error)
{
  source->path = g_dir_make_tmp ("asb-check-XXXXXX", error);
  if (!source->path)
    return FALSE;
  source->one = g_build_filename (source->path, "one", NULL);
  source->folder = g_build_filename (source->path, "folder", NULL);
  source->two = g_build_filename (source->folder, "two", NULL);
  source->config = asb_upload_config_new ();
  asb_upload_config_set_allowed_local_roots (source->config,
                                             (const char *const[]){ source->path, NULL });
  g_mkdir (source->folder, 0755);
  return g_file_set_contents (source->one, "one", -1, error)
         && g_file_set_contents (source->two, "two", -1, error);
}

static void
source_clear (Source *source)
{
  if (source->path)
    {
      g_unlink (source->one);
      g_unlink (source->two);
      g_rmdir (source->folder);
      g_rmdir (source->path);
    }
  g_clear_object (&source->config);
  g_free (source->path);
  g_free (source->one);
  g_free (source->folder);
  g_free (source->two);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Source, source_clear)

static AsbUploadResult *
upload (Check *check, Source *source, AsbUploadConflict conflict, GError **error)
{
  g_autoptr (AsbUploadSpec) spec = asb_upload_spec_new (source->path, TARGET);

  asb_upload_spec_set_conflict (spec, conflict);
  return asb_backend_upload_local (check->backend, spec, source->config, NULL, error);
}

static gboolean
open_for_uploads (Check *check, Source *source)
{
  g_autoptr (GError) error = NULL;

  if (!check_open_backend (check))
    return FALSE;
  if (source_begin (source, &error))
    return TRUE;
  check_fail (check, __FILE__, __LINE__, error->message);
  return FALSE;
}

/* Whether the transport has what it takes. What it has not, it says. */
static gboolean
is_unsupported (Check *check, const GError *error)
{
  if (!g_error_matches (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY))
    return FALSE;
  check_skip (check, error->message);
  return TRUE;
}

static void
check_text (Check *check, const char *path, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = asb_backend_read_file (check->backend, path, NULL, &error);

  CHECK_NO_ERROR (check, error);
  CHECK (check, g_bytes_get_size (bytes) == strlen (text));
  CHECK (check, memcmp (g_bytes_get_data (bytes, NULL), text, strlen (text)) == 0);
}

static void
check_counts (Check *check, AsbUploadResult *result, guint64 uploaded, guint64 skipped)
{
  CHECK (check, asb_upload_result_get_total_files (result) == uploaded + skipped);
  CHECK (check, asb_upload_result_get_uploaded_files (result) == uploaded);
  CHECK (check, asb_upload_result_get_skipped_files (result) == skipped);
  CHECK (check, asb_upload_result_get_failed_files (result) == 0);
}

static void
put (Check *check, const char *path, const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbFileInfo) info
      = asb_backend_write_file (check->backend, path, bytes, NULL, NULL, &error);

  CHECK_NO_ERROR (check, error);
}

static void
uploaded (Check *check)
{
  g_auto (Source) source = { 0 };
  g_autoptr (AsbUploadResult) result = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_uploads (check, &source))
    return;
  result = upload (check, &source, ASB_UPLOAD_CONFLICT_ERROR, &error);
  if (is_unsupported (check, error))
    return;
  CHECK_NO_ERROR (check, error);
  check_counts (check, result, 2, 0);
  check_text (check, TARGET "/one", "one");
  check_text (check, TARGET "/folder/two", "two");
}

/* Only what is not the same, and whatever else was there stays. */
static void
again (Check *check)
{
  g_auto (Source) source = { 0 };
  g_autoptr (AsbUploadResult) first = NULL;
  g_autoptr (AsbUploadResult) second = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_uploads (check, &source))
    return;
  put (check, TARGET "/folder/mine", "mine");
  put (check, TARGET "/one", "own");
  first = upload (check, &source, ASB_UPLOAD_CONFLICT_IF_CHANGED, &error);
  if (is_unsupported (check, error))
    return;
  CHECK_NO_ERROR (check, error);
  check_counts (check, first, 2, 0);
  check_text (check, TARGET "/one", "one");
  check_text (check, TARGET "/folder/mine", "mine");
  put (check, TARGET "/folder/two", "too");
  second = upload (check, &source, ASB_UPLOAD_CONFLICT_IF_CHANGED, &error);
  CHECK_NO_ERROR (check, error);
  check_counts (check, second, 1, 1);
  check_text (check, TARGET "/folder/two", "two");
}

static void
conflicts (Check *check)
{
  g_auto (Source) source = { 0 };
  g_autoptr (AsbUploadResult) refused = NULL;
  g_autoptr (AsbUploadResult) skipped = NULL;
  g_autoptr (AsbUploadResult) result = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_uploads (check, &source))
    return;
  put (check, TARGET "/one", "own");
  refused = upload (check, &source, ASB_UPLOAD_CONFLICT_ERROR, &error);
  CHECK_ERROR (check, error, ASB_ERROR, ASB_ERROR_UPLOAD_CONFLICT);
  g_clear_error (&error);
  check_text (check, TARGET "/one", "own");
  skipped = upload (check, &source, ASB_UPLOAD_CONFLICT_SKIP, &error);
  if (is_unsupported (check, error))
    return;
  CHECK_NO_ERROR (check, error);
  check_counts (check, skipped, 1, 1);
  check_text (check, TARGET "/one", "own");
  result = upload (check, &source, ASB_UPLOAD_CONFLICT_OVERWRITE, &error);
  CHECK_NO_ERROR (check, error);
  check_counts (check, result, 2, 0);
  check_text (check, TARGET "/one", "one");
}

/* FALSE where it cannot be done. */
static gboolean
make_links (Check *check)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (
      "cd /workspace && mkdir check-there && ln -s check-there check-here && "
      "ln -s ../tmp check-away && echo made");
  g_autoptr (AsbCommandResult) result = NULL;
  g_autofree char *text = NULL;

  result = asb_backend_execute (check->backend, spec, NULL, NULL);
  text = result ? asb_command_result_dup_stdout_text (result) : NULL;
  return g_strcmp0 (text, "made\n") == 0;
}

static AsbUploadResult *
upload_to (Check *check, Source *source, const char *target, GError **error)
{
  g_autoptr (AsbUploadSpec) spec = asb_upload_spec_new (source->path, target);

  return asb_backend_upload_local (check->backend, spec, source->config, NULL, error);
}

/* What a link of the sandbox leads to is asked about, not what it is called. */
static void
links_on_the_way (Check *check)
{
  g_auto (Source) source = { 0 };
  g_autoptr (AsbUploadResult) refused = NULL;
  g_autoptr (AsbUploadResult) protected = NULL;
  g_autoptr (AsbUploadResult) result = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_uploads (check, &source))
    return;
  if (!make_links (check))
    {
      check_skip (check, "nobody makes symbolic links");
      return;
    }
  refused = upload_to (check, &source, "/workspace/check-away/x", &error);
  CHECK_ERROR (check, error, ASB_ERROR, ASB_ERROR_UPLOAD_POLICY);
  g_clear_error (&error);
  result = upload_to (check, &source, "/workspace/check-here/x", &error);
  CHECK_NO_ERROR (check, error);
  check_text (check, "/workspace/check-there/x/one", "one");
  asb_upload_config_set_protected_sandbox_roots (
      source.config, (const char *const[]){ "/workspace/check-there", NULL });
  protected = upload_to (check, &source, "/workspace/check-here/y", &error);
  CHECK_ERROR (check, error, ASB_ERROR, ASB_ERROR_UPLOAD_POLICY);
}

void
check_uploads (Check *check)
{
  check_run (check, "uploads/folder", uploaded);
  check_run (check, "uploads/again", again);
  check_run (check, "uploads/conflicts", conflicts);
  check_run (check, "uploads/links-on-the-way", links_on_the_way);
}
