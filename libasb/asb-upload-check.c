/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-upload-scan-private.h"

#include "asb-error.h"
#include "asb-path-private.h"

/* The checks of uploads that need nothing but the options. */

static gboolean
check_number (const char *name, guint64 value, guint64 minimum, guint64 maximum, GError **error)
{
  if (value >= minimum && value <= maximum)
    return TRUE;
  if (maximum == ASB_ARCHIVE_OPTIONS_UNLIMITED)
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "Option “%s” is %" G_GUINT64_FORMAT "; it must be at least %" G_GUINT64_FORMAT,
                 name, value, minimum);
  else
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "Option “%s” is %" G_GUINT64_FORMAT "; it must be %" G_GUINT64_FORMAT
                 " to %" G_GUINT64_FORMAT,
                 name, value, minimum, maximum);
  return FALSE;
}

static gboolean
check_spec (AsbUploadSpec *spec, GError **error)
{
  const guint64 most = ASB_ARCHIVE_OPTIONS_UNLIMITED;

  return check_number ("max-files", asb_upload_spec_get_max_files (spec), 1, most, error)
         && check_number ("max-total-bytes", asb_upload_spec_get_max_total_bytes (spec), 1, most,
                          error)
         && check_number ("max-file-bytes", asb_upload_spec_get_max_file_bytes (spec), 1, most,
                          error);
}

gboolean
asb_upload_check (AsbUploadSpec *spec, AsbUploadConfig *config, GError **error)
{
  AsbUploadSource source;
  gboolean done
      = check_spec (spec, error)
        && (!config
            || (check_number ("max-parallel-files",
                              asb_upload_config_get_max_parallel_files (config), 1, 128, error)
                && check_number ("archive-min-files",
                                 asb_upload_config_get_archive_min_files (config), 1,
                                 ASB_ARCHIVE_OPTIONS_UNLIMITED, error)));

  if (!done)
    return FALSE;
  done = asb_upload_source_open (&source, spec, config, error)
         && asb_upload_check_target (spec, config, error);
  asb_upload_source_clear (&source);
  return done;
}

/* Where it goes. */

static gboolean
refuse (const char *target, const char *why, GError **error)
{
  g_autofree char *shown = asb_upload_show (target);

  g_set_error (error, ASB_ERROR, ASB_ERROR_UPLOAD_POLICY, "Could not upload to “%s”: %s", shown,
               why);
  return FALSE;
}

static gboolean
is_in_one (const char *const *roots, const char *target)
{
  for (gsize i = 0; roots && roots[i]; i++)
    {
      g_autofree char *root = asb_path_resolve ("/", roots[i], NULL);

      if (root && asb_upload_is_within (target, root))
        return TRUE;
    }
  return FALSE;
}

gboolean
asb_upload_check_target (AsbUploadSpec *spec, AsbUploadConfig *config, GError **error)
{
  g_autofree char *target = asb_path_resolve ("/", asb_upload_spec_get_target (spec), error);

  if (!target)
    return FALSE;
  if (is_in_one (asb_upload_config_get_protected_sandbox_roots (config), target))
    return refuse (target, "it is protected by “protected-sandbox-roots”", error);
  if (!is_in_one (asb_upload_config_get_allowed_sandbox_roots (config), target))
    return refuse (target, "it is in none of “allowed-sandbox-roots”", error);
  return TRUE;
}

static gboolean
check_entries (GPtrArray *entries, const char *target, const char *root, GError **error)
{
  for (guint i = 0; i < entries->len; i++)
    {
      const AsbUploadEntry *entry = entries->pdata[i];
      g_autofree char *path = g_build_path ("/", target, entry->path, NULL);

      if (asb_upload_is_within (path, root)
          || (!entry->is_directory && asb_upload_is_within (root, path)))
        return refuse (path, "it is protected by “protected-sandbox-roots”", error);
    }
  return TRUE;
}

gboolean
asb_upload_check_entries (const AsbUploadScan *scan, AsbUploadSpec *spec, AsbUploadConfig *config,
                          GError **error)
{
  const char *const *roots = asb_upload_config_get_protected_sandbox_roots (config);
  g_autofree char *target = asb_path_resolve ("/", asb_upload_spec_get_target (spec), error);

  if (!target || scan->source.name)
    return target != NULL;
  for (gsize i = 0; roots && roots[i]; i++)
    {
      g_autofree char *root = asb_path_resolve ("/", roots[i], NULL);

      if (root && asb_upload_is_within (root, target)
          && (!check_entries (scan->entries, target, root, error)
              || !check_entries (scan->directories, target, root, error)))
        return FALSE;
    }
  return TRUE;
}
