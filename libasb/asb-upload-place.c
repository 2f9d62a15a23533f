/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-upload-place-private.h"

#include <string.h>

#include "asb-error.h"
#include "asb-path-private.h"
#include "asb-upload-config-private.h"

/* As many as Linux follows. */
#define MAX_LINKS 40

typedef struct
{
  AsbTransport *transport;
  const AsbUploadScan *scan;
  AsbUploadConfig *config;
  char *target;
  GPtrArray *paths; /* the target, the protected roots and the allowed ones: what they are called */
  GPtrArray *found; /* … and where they are, as far as that is known */

  GPtrArray *segments; /* that are still to be gone, the next one last */
  GString *at;         /* no link is in it */
  guint n_links;
  gboolean is_end; /* nothing is there any more */
} Place;

static void
place_free (gpointer data)
{
  Place *place = data;

  g_object_unref (place->transport);
  g_ptr_array_unref (place->paths);
  g_ptr_array_unref (place->found);
  g_ptr_array_unref (place->segments);
  g_string_free (place->at, TRUE);
  g_free (place->target);
  g_free (place);
}

/* The end. */

/* Returns: (transfer container) */
static const char **
list_found (const Place *place, guint first, guint n)
{
  const char **roots = g_new0 (const char *, n + 1);

  for (guint i = 0; i < n; i++)
    roots[i] = place->found->pdata[first + i];
  return roots;
}

static gboolean
check_found (const Place *place, GError **error)
{
  const char *const *away_roots = asb_upload_config_get_protected_sandbox_roots (place->config);
  guint n_protected = away_roots ? g_strv_length ((char **)away_roots) : 0;
  guint n_allowed = place->found->len - 1 - n_protected;
  g_autoptr (AsbUploadSpec) spec = asb_upload_spec_copy (place->scan->spec);
  g_autoptr (AsbUploadConfig) config = asb_upload_config_copy (place->config);
  g_autofree const char **away = list_found (place, 1, n_protected);
  g_autofree const char **allowed = list_found (place, 1 + n_protected, n_allowed);

  asb_upload_spec_set_target (spec, place->found->pdata[0]);
  asb_upload_config_set_protected_sandbox_roots (config, away);
  asb_upload_config_set_allowed_sandbox_roots (config, allowed);
  return asb_upload_check_target (spec, config, error)
         && asb_upload_check_entries (place->scan, spec, config, error);
}

static void
finish (GTask *task)
{
  Place *place = g_task_get_task_data (task);
  g_autofree char *shown = asb_upload_show (place->target);
  GError *error = NULL;

  if (check_found (place, &error))
    g_task_return_boolean (task, TRUE);
  else
    {
      g_prefix_error (&error, "A symbolic link of the sandbox is on the way to “%s”: ", shown);
      g_task_return_error (task, error);
    }
  g_object_unref (task);
}

/* Going. */

static void go (GTask *task);

static void
push (Place *place, const char *path)
{
  g_auto (GStrv) segments = g_strsplit (path, "/", -1);

  for (guint i = g_strv_length (segments); i > 0; i--)
    g_ptr_array_add (place->segments, g_steal_pointer (&segments[i - 1]));
}

static void
begin_path (Place *place)
{
  g_string_truncate (place->at, 0);
  place->is_end = FALSE;
  place->n_links = 0;
  push (place, place->paths->pdata[place->found->len]);
}

static void
end_path (GTask *task)
{
  Place *place = g_task_get_task_data (task);
  gboolean is_first = place->found->len == 0;
  char *found = g_strdup (place->at->len > 0 ? place->at->str : "/");

  g_ptr_array_add (place->found, found);
  if (is_first && g_str_equal (found, place->paths->pdata[0]))
    {
      g_task_return_boolean (task, TRUE);
      g_object_unref (task);
    }
  else if (place->found->len == place->paths->len)
    finish (task);
  else
    {
      begin_path (place);
      go (task);
    }
}

static void
follow (GTask *task, const char *target)
{
  Place *place = g_task_get_task_data (task);
  g_autofree char *shown = asb_upload_show (place->target);

  if (!target || ++place->n_links > MAX_LINKS)
    {
      g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_UPLOAD_POLICY,
                               "Could not upload to “%s”: nobody knows where the symbolic links on "
                               "the way there lead",
                               shown);
      g_object_unref (task);
      return;
    }
  if (*target == '/')
    g_string_truncate (place->at, 0);
  push (place, target);
  go (task);
}

static gboolean
is_end (const GError *error)
{
  static const int codes[]
      = { ASB_ERROR_FILE_NOT_FOUND, ASB_ERROR_NOT_DIRECTORY, ASB_ERROR_PERMISSION_DENIED,
          ASB_ERROR_PATH_PROTECTED, ASB_ERROR_UNSUPPORTED_CAPABILITY };

  for (gsize i = 0; i < G_N_ELEMENTS (codes); i++)
    if (g_error_matches (error, ASB_ERROR, codes[i]))
      return TRUE;
  return FALSE;
}

static void
append (Place *place)
{
  guint last = place->segments->len - 1;

  g_string_append_printf (place->at, "/%s", (const char *)place->segments->pdata[last]);
  g_ptr_array_remove_index (place->segments, last);
}

static void
looked_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  Place *place = g_task_get_task_data (task);
  GError *error = NULL;
  g_autoptr (AsbFileInfo) info
      = asb_transport_query_file_finish (ASB_TRANSPORT (source), result, &error);

  if (!info && !is_end (error))
    {
      g_task_return_error (task, error);
      g_object_unref (task);
      return;
    }
  g_clear_error (&error);
  place->is_end = !info;
  if (info && asb_file_info_get_kind (info) == ASB_FILE_KIND_SYMLINK)
    {
      g_ptr_array_remove_index (place->segments, place->segments->len - 1);
      follow (task, asb_file_info_get_target (info));
      return;
    }
  append (place);
  go (task);
}

static void
look (GTask *task)
{
  Place *place = g_task_get_task_data (task);
  g_autofree char *path = g_strdup_printf (
      "%s/%s", place->at->str, (const char *)place->segments->pdata[place->segments->len - 1]);
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path (path);

  asb_file_request_set_flags (request, ASB_FILE_FLAGS_NOFOLLOW);
  asb_transport_query_file_async (place->transport, request, g_task_get_cancellable (task),
                                  looked_cb, task);
}

/* The name of a file is not gone by: a link that has it is replaced. */
static gboolean
is_name (const Place *place)
{
  return place->scan->source.name && place->found->len == 0 && place->segments->len == 1;
}

static void
go (GTask *task)
{
  Place *place = g_task_get_task_data (task);

  while (place->segments->len > 0)
    {
      const char *segment = place->segments->pdata[place->segments->len - 1];
      const char *slash = strrchr (place->at->str, '/');

      if (g_str_equal (segment, "") || g_str_equal (segment, "."))
        g_ptr_array_remove_index (place->segments, place->segments->len - 1);
      else if (g_str_equal (segment, ".."))
        {
          g_string_truncate (place->at, slash ? (gsize)(slash - place->at->str) : 0);
          g_ptr_array_remove_index (place->segments, place->segments->len - 1);
        }
      else if (place->is_end || is_name (place))
        append (place);
      else
        {
          look (task);
          return;
        }
    }
  end_path (task);
}

static void
add_roots (Place *place, const char *const *roots)
{
  for (gsize i = 0; roots && roots[i]; i++)
    {
      char *path = asb_path_resolve ("/", roots[i], NULL);

      g_ptr_array_add (place->paths, path ? path : g_strdup (roots[i]));
    }
}

void
asb_upload_place_check_async (AsbTransport *transport, const AsbUploadScan *scan,
                              AsbUploadConfig *config, GCancellable *cancellable,
                              GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task = g_task_new (transport, cancellable, callback, user_data);
  Place *place = g_new0 (Place, 1);

  place->transport = g_object_ref (transport);
  place->scan = scan;
  place->config = config;
  place->target = asb_path_resolve ("/", asb_upload_spec_get_target (scan->spec), NULL);
  place->paths = g_ptr_array_new_with_free_func (g_free);
  place->found = g_ptr_array_new_with_free_func (g_free);
  place->segments = g_ptr_array_new_with_free_func (g_free);
  place->at = g_string_new (NULL);
  g_ptr_array_add (place->paths, g_strdup (place->target));
  add_roots (place, asb_upload_config_get_protected_sandbox_roots (config));
  add_roots (place, asb_upload_config_get_allowed_sandbox_roots (config));
  g_task_set_source_tag (task, asb_upload_place_check_async);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, place, place_free);
  begin_path (place);
  go (task);
}

gboolean
asb_upload_place_check_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
