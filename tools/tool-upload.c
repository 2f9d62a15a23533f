/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-upload.h"

#include <string.h>

static gboolean
add (const char *text, AsbBackendOptions *options, AsbUploadConfig *config, GError **error)
{
  const char *workdir = asb_backend_options_get_workdir (options);
  g_autofree char *source = g_strdup (text);
  char *colon = strrchr (source, ':');
  const char *target = colon && colon[1] == '/' ? colon + 1 : NULL;
  g_autoptr (AsbUploadSpec) spec = NULL;

  if (target)
    *colon = '\0';
  /* What follows a colon and is no path was meant to be one. */
  if (*source == '\0' || (!target && colon && !g_file_test (source, G_FILE_TEST_EXISTS)))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "“%s” names nothing to upload; give SOURCE[:TARGET], with a TARGET that begins "
                   "with /",
                   text);
      return FALSE;
    }
  spec = tool_upload_new_spec (source, target, workdir);
  asb_backend_options_add_upload (options, spec);
  tool_upload_allow (config, source);
  return TRUE;
}

gboolean
tool_uploads_apply (GPtrArray *uploads, AsbBackendOptions *options, GError **error)
{
  g_autoptr (AsbUploadConfig) config = NULL;

  if (!uploads)
    return TRUE;
  config = asb_upload_config_new ();
  asb_upload_config_set_allowed_sandbox_roots (config, (const char *const[]){ "/", NULL });
  asb_backend_options_set_upload_config (options, config);
  for (guint i = 0; i < uploads->len; i++)
    if (!add (g_ptr_array_index (uploads, i), options, config, error))
      return FALSE;
  return TRUE;
}

static char *
dup_target (const char *source, const char *target, const char *workdir)
{
  g_autofree char *absolute = g_canonicalize_filename (source, NULL);
  g_autofree char *name = g_path_get_basename (absolute);

  if (!target)
    return g_build_path ("/", workdir, name, NULL);
  /* What is named as a folder is one, and a file goes into it. */
  if ((g_str_has_suffix (target, "/") || strcmp (target, ".") == 0)
      && !g_file_test (absolute, G_FILE_TEST_IS_DIR))
    return g_build_path ("/", target[0] == '/' ? "/" : workdir, target, name, NULL);
  return target[0] == '/' ? g_strdup (target) : g_build_path ("/", workdir, target, NULL);
}

/* As much as there is: it is the user's own, and he named it. */
AsbUploadSpec *
tool_upload_new_spec (const char *source, const char *target, const char *workdir)
{
  g_autofree char *absolute = g_canonicalize_filename (source, NULL);
  g_autofree char *place = dup_target (source, target, workdir ? workdir : "/workspace");

  return g_object_new (ASB_TYPE_UPLOAD_SPEC, "source", absolute, "target", place, "max-files",
                       ASB_ARCHIVE_OPTIONS_UNLIMITED, "max-total-bytes",
                       ASB_ARCHIVE_OPTIONS_UNLIMITED, "max-file-bytes",
                       ASB_ARCHIVE_OPTIONS_UNLIMITED, NULL);
}

/* Of a single file the folder it is in, of which nothing else is read but the rules. */
void
tool_upload_allow (AsbUploadConfig *config, const char *source)
{
  g_autofree char *absolute = g_canonicalize_filename (source, NULL);
  g_autofree char *directory = g_path_get_dirname (absolute);
  const char *const *before = asb_upload_config_get_allowed_local_roots (config);
  g_autoptr (GStrvBuilder) roots = g_strv_builder_new ();
  g_auto (GStrv) all = NULL;

  for (gsize i = 0; before && before[i]; i++)
    g_strv_builder_add (roots, before[i]);
  g_strv_builder_add (roots, g_file_test (absolute, G_FILE_TEST_IS_DIR) ? absolute : directory);
  all = g_strv_builder_end (roots);
  asb_upload_config_set_allowed_local_roots (config, (const char *const *)all);
}
