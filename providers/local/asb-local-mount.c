/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-mount.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "asb-local-path.h"
#include "asb-wire-json.h"

#define MAX_MOUNTS 32

static void
mount_free (gpointer data)
{
  AsbLocalMount *self = data;

  g_free (self->source);
  g_free (self->target);
  g_free (self);
}

static GPtrArray *
asb_local_mounts_new (void)
{
  return g_ptr_array_new_with_free_func (mount_free);
}

static int
compare_targets (gconstpointer first, gconstpointer second)
{
  const AsbLocalMount *a = *(AsbLocalMount *const *)first;
  const AsbLocalMount *b = *(AsbLocalMount *const *)second;

  return strcmp (a->target, b->target);
}

static gboolean
check_target (const char *path, const char *target, GError **error)
{
  g_autofree char *shown = g_filename_display_name (path);

  if (!target)
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "Nothing can be mounted at “%s”, that is no absolute path without “..”", shown);
  else if (asb_local_path_is_taken (target) || asb_local_path_holds_ours (target))
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "Nothing can be mounted at “%s”, where a local sandbox has its own; take "
                 "“/workspace”, or a path below it or elsewhere",
                 shown);
  else
    return TRUE;
  return FALSE;
}

static gboolean
set_source_error (GError **error, const char *path, int reason)
{
  g_autofree char *shown = g_filename_display_name (path);

  g_set_error (error, ASB_ERROR,
               reason == ENOENT ? ASB_ERROR_LOCAL_PATH_NOT_FOUND : ASB_ERROR_LOCAL_PATH_NOT_ALLOWED,
               "Could not open the folder “%s” to mount it: %s", shown, g_strerror (reason));
  return FALSE;
}

/* What a path leads to now; later the folder is found without following any link. */
static char *
resolve (const char *path, GError **error)
{
  int fd = open (path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  g_autofree char *link = g_strdup_printf ("/proc/self/fd/%d", fd);
  char target[PATH_MAX];
  gssize length = fd >= 0 ? readlink (link, target, sizeof target) : -1;
  int reason = errno;

  if (fd >= 0)
    close (fd);
  if (length > 0 && length < (gssize)sizeof target && target[0] == '/')
    return g_strndup (target, (gsize)length);
  set_source_error (error, path, length > 0 ? ENAMETOOLONG : reason);
  return NULL;
}

static AsbLocalMount *
mount_from_spec (AsbMount *mount, GError **error)
{
  const char *target = asb_mount_get_target (mount);
  g_autofree char *normal = asb_local_path_normalize (target);
  g_autofree char *source = NULL;
  AsbLocalMount *self;

  if (!check_target (target, normal, error))
    return NULL;
  source = resolve (asb_mount_get_source (mount), error);
  if (!source)
    return NULL;
  self = g_new0 (AsbLocalMount, 1);
  self->source = g_steal_pointer (&source);
  self->target = g_steal_pointer (&normal);
  self->mode = asb_mount_get_mode (mount);
  return self;
}

static gboolean
check_list (GPtrArray *mounts, GError **error)
{
  if (mounts->len > MAX_MOUNTS)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "A local sandbox has at most %d mounts, not %u", MAX_MOUNTS, mounts->len);
      return FALSE;
    }
  for (guint i = 1; i < mounts->len; i++)
    {
      const AsbLocalMount *before = mounts->pdata[i - 1];
      const AsbLocalMount *mount = mounts->pdata[i];

      if (strcmp (before->target, mount->target) == 0)
        {
          g_autofree char *shown = g_filename_display_name (mount->target);

          g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                       "Two folders cannot be mounted at the same place, “%s”", shown);
          return FALSE;
        }
    }
  return TRUE;
}

GPtrArray *
asb_local_mounts_from_spec (GListModel *mounts, GError **error)
{
  g_autoptr (GPtrArray) list = asb_local_mounts_new ();

  for (guint i = 0; i < g_list_model_get_n_items (mounts); i++)
    {
      g_autoptr (AsbMount) item = g_list_model_get_item (mounts, i);
      AsbLocalMount *mount = mount_from_spec (item, error);

      if (!mount)
        return NULL;
      g_ptr_array_add (list, mount);
    }
  g_ptr_array_sort (list, compare_targets);
  return check_list (list, error) ? g_steal_pointer (&list) : NULL;
}

const AsbLocalMount *
asb_local_mounts_find (GPtrArray *mounts, const char *path)
{
  const AsbLocalMount *found = NULL;

  for (guint i = 0; i < mounts->len; i++)
    {
      const AsbLocalMount *mount = mounts->pdata[i];

      if (asb_local_path_below (path, mount->target)
          && (!found || strlen (mount->target) > strlen (found->target)))
        found = mount;
    }
  return found;
}

gboolean
asb_local_mounts_is_nested (GPtrArray *mounts, guint index)
{
  const AsbLocalMount *mount = mounts->pdata[index];

  for (guint i = 0; i < index; i++)
    if (asb_local_path_below (mount->target, ((const AsbLocalMount *)mounts->pdata[i])->target))
      return TRUE;
  return FALSE;
}

GListModel *
asb_local_mounts_to_model (GPtrArray *mounts)
{
  GListStore *store = g_list_store_new (ASB_TYPE_MOUNT);

  for (guint i = 0; i < mounts->len; i++)
    {
      const AsbLocalMount *mount = mounts->pdata[i];
      g_autoptr (AsbMount) item = asb_mount_new (mount->source, mount->target, mount->mode);

      g_list_store_append (store, item);
    }
  return G_LIST_MODEL (store);
}

static const char *const mode_names[] = {
  [ASB_MOUNT_MODE_READ_ONLY] = "read-only",
  [ASB_MOUNT_MODE_READ_WRITE] = "read-write",
  [ASB_MOUNT_MODE_OVERLAY] = "overlay",
};

json_t *
asb_local_mounts_to_json (GPtrArray *mounts)
{
  json_t *list = json_array ();

  for (guint i = 0; i < mounts->len; i++)
    {
      const AsbLocalMount *mount = mounts->pdata[i];

      json_array_append_new (
          list, json_pack ("{s:o, s:o, s:s}", "source",
                           asb_wire_text_new (mount->source, strlen (mount->source)), "target",
                           asb_wire_text_new (mount->target, strlen (mount->target)), "mode",
                           mode_names[mount->mode]));
    }
  return list;
}

static char *
dup_path (json_t *json)
{
  char *bytes = asb_wire_text_dup (json, PATH_MAX, NULL);
  char *copy = g_strdup (bytes);

  free (bytes);
  return copy;
}

static AsbLocalMount *
mount_from_json (json_t *json)
{
  const char *mode = json_string_value (json_object_get (json, "mode"));
  AsbLocalMount *self = g_new0 (AsbLocalMount, 1);
  gboolean known = FALSE;

  self->source = dup_path (json_object_get (json, "source"));
  self->target = dup_path (json_object_get (json, "target"));
  for (guint i = 0; mode && i < G_N_ELEMENTS (mode_names); i++)
    if (strcmp (mode, mode_names[i]) == 0)
      {
        self->mode = i;
        known = TRUE;
      }
  if (known && self->source && self->source[0] == '/' && self->target)
    return self;
  mount_free (self);
  return NULL;
}

GPtrArray *
asb_local_mounts_from_json (json_t *json)
{
  g_autoptr (GPtrArray) list = asb_local_mounts_new ();

  if (json && !json_is_array (json))
    return NULL;
  for (gsize i = 0; i < json_array_size (json); i++)
    {
      AsbLocalMount *mount = mount_from_json (json_array_get (json, i));

      if (!mount || list->len == MAX_MOUNTS)
        {
          g_clear_pointer (&mount, mount_free);
          return NULL;
        }
      g_ptr_array_add (list, mount);
    }
  return g_steal_pointer (&list);
}
