/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-upload-source-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asb-error-private.h"
#include "asb-path-private.h"

/* What many share. */

char *
asb_upload_show (const char *path)
{
  return g_utf8_make_valid (path, -1);
}

void
asb_upload_add_details (GError *error, GVariant *details)
{
  g_autoptr (GVariant) sunk = g_variant_ref_sink (details);
  AsbErrorInfo *info = asb_error_own_info (error);

  if (info)
    g_object_set (info, "details", sunk, NULL);
}

gboolean
asb_upload_is_within (const char *path, const char *directory)
{
  gsize length = strlen (directory);

  if (g_str_equal (directory, "/"))
    return *path == '/';
  return strncmp (path, directory, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

int
asb_upload_open_below (int root_fd, const char *path, int flags)
{
  g_auto (GStrv) segments = g_strsplit (path, "/", -1);
  int fd = openat (root_fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);

  for (gsize i = 0; fd >= 0 && segments[i]; i++)
    {
      int last = segments[i + 1] ? O_PATH | O_DIRECTORY : flags;
      int next;
      int saved;

      if (!*segments[i])
        continue;
      errno = ELOOP;
      next = g_str_equal (segments[i], "..")
                 ? -1
                 : openat (fd, segments[i], last | O_NOFOLLOW | O_CLOEXEC);
      saved = errno;
      close (fd);
      errno = saved;
      fd = next;
    }
  return fd;
}

/* Who may be read. */

static char *
expand (const char *path)
{
  if (path[0] == '~' && (path[1] == '\0' || path[1] == '/'))
    return g_build_filename (g_get_home_dir (), path + 1, NULL);
  return g_strdup (path);
}

static char *
resolve (const char *path)
{
  char *resolved = realpath (path, NULL);
  char *copy = g_strdup (resolved);

  free (resolved);
  return copy;
}

static gboolean
is_allowed (const char *root, AsbUploadConfig *config, guint *n_roots)
{
  const char *const *roots = config ? asb_upload_config_get_allowed_local_roots (config) : NULL;
  gboolean found = FALSE;

  for (*n_roots = 0; roots && roots[*n_roots]; ++*n_roots)
    {
      g_autofree char *expanded = expand (roots[*n_roots]);
      g_autofree char *allowed = resolve (expanded);

      found = found || (allowed && asb_upload_is_within (root, allowed));
    }
  return found;
}

static gboolean
check_allowed (AsbUploadSource *source, AsbUploadConfig *config, GError **error)
{
  guint n_roots;

  if (is_allowed (source->root, config, &n_roots))
    return TRUE;
  g_set_error (
      error, ASB_ERROR, ASB_ERROR_LOCAL_PATH_NOT_ALLOWED,
      n_roots > 0 ? "Could not upload “%s”: it is in none of the directories that may be uploaded; "
                    "add its own to “allowed-local-roots”"
                  : "Could not upload “%s”: no directory may be uploaded; name one in "
                    "“allowed-local-roots” of the rules of uploads",
      source->shown);
  if (error)
    asb_upload_add_details (*error, g_variant_new_parsed ("{'allowed_root_count': <%u>}", n_roots));
  return FALSE;
}

static gboolean
fail_not_found (AsbUploadSource *source, GError **error)
{
  g_set_error (error, ASB_ERROR, ASB_ERROR_LOCAL_PATH_NOT_FOUND, "Could not upload “%s”: %s",
               source->shown, g_strerror (errno));
  return FALSE;
}

/* A directory is its own root, also when a link leads to it; anything else is in the one that it
 * has its name in. */
static gboolean
find_root (AsbUploadSource *source, const char *given, GError **error)
{
  g_autofree char *path = expand (given);
  g_autofree char *parent = NULL;
  struct stat status;

  if (lstat (path, &status) != 0)
    return fail_not_found (source, error);
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    {
      source->root = resolve (path);
      return source->root || fail_not_found (source, error);
    }
  parent = g_path_get_dirname (path);
  source->root = resolve (parent);
  source->name = g_path_get_basename (path);
  return source->root || fail_not_found (source, error);
}

static char *
show_source (const char *given, AsbUploadConfig *config)
{
  g_autofree char *name = g_path_get_basename (given);
  gboolean is_redacted = !config || asb_upload_config_get_redact_local_paths (config);

  return asb_upload_show (is_redacted ? name : given);
}

/* Of the target only what it is as a text: whether it is allowed is asked when it is known what
 * there is. */
static gboolean
check_target (const char *target, const char *name, GError **error)
{
  g_autofree char *shown = asb_upload_show (target);
  g_autofree char *resolved = *target == '/' ? asb_path_resolve ("/", target, NULL) : NULL;

  if (resolved && name && g_str_equal (resolved, "/"))
    {
      g_autofree char *shown_name = asb_upload_show (name);

      g_set_error (error, ASB_ERROR, ASB_ERROR_UPLOAD_POLICY,
                   "Could not upload to “/”: the target of a file is its own new path, such as "
                   "“/%s”",
                   shown_name);
      return FALSE;
    }
  if (resolved)
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_UPLOAD_POLICY,
               "Could not upload to “%s”: the target of an upload is an absolute path without “..”",
               shown);
  return FALSE;
}

/* What has been checked, and nothing that was put there since. */
static int
open_root (const char *root)
{
  int top_fd = open ("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  int fd = top_fd >= 0 ? asb_upload_open_below (top_fd, root, O_PATH | O_DIRECTORY) : -1;
  int error = errno;

  if (top_fd >= 0)
    close (top_fd);
  errno = error;
  return fd;
}

gboolean
asb_upload_source_open (AsbUploadSource *source, AsbUploadSpec *spec, AsbUploadConfig *config,
                        GError **error)
{
  const char *given = asb_upload_spec_get_source (spec);
  const char *target = asb_upload_spec_get_target (spec);

  *source = (AsbUploadSource){ .root_fd = -1 };
  if (!given || !*given || !target || !*target)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, "An upload needs a %s",
                   given && *given ? "target" : "source");
      return FALSE;
    }
  source->shown = show_source (given, config);
  if (!find_root (source, given, error) || !check_allowed (source, config, error)
      || !check_target (target, source->name, error))
    return FALSE;
  source->root_fd = open_root (source->root);
  return source->root_fd >= 0 || fail_not_found (source, error);
}

void
asb_upload_source_clear (AsbUploadSource *source)
{
  g_clear_pointer (&source->shown, g_free);
  g_clear_pointer (&source->root, g_free);
  g_clear_pointer (&source->name, g_free);
  if (source->root_fd >= 0)
    close (source->root_fd);
  source->root_fd = -1;
}

/* Links. */

char *
asb_upload_source_resolve (const AsbUploadSource *source, const char *path, GError **error)
{
  g_autofree char *link = g_build_filename (source->root, path, NULL);
  g_autofree char *resolved = resolve (link);
  g_autofree char *shown = asb_upload_show (path);
  gsize length = g_str_equal (source->root, "/") ? 0 : strlen (source->root);

  if (!resolved)
    g_set_error (error, ASB_ERROR, ASB_ERROR_UPLOAD_SYMLINK,
                 "Could not upload “%s”: the link leads to nothing: %s", shown, g_strerror (errno));
  else if (!asb_upload_is_within (resolved, source->root))
    g_set_error (error, ASB_ERROR, ASB_ERROR_UPLOAD_SYMLINK,
                 "Could not upload “%s”: the link leads out of what is uploaded", shown);
  else if (resolved[length] != '/' || !resolved[length + 1])
    return g_strdup ("");
  else
    return g_strdup (resolved + length + 1);
  return NULL;
}
