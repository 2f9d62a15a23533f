/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-simple-table-private.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "asb-error.h"
#include "asb-tree-private.h"

#define ENTRY ".sandbox"
#define TAKEN ".removed"
#define ENTERED ".entered"

static char *
dup_file (const char *folder, const char *id, const char *suffix)
{
  g_autofree char *name = g_strconcat (id, suffix, NULL);

  return g_build_filename (folder, name, NULL);
}

static gboolean
make_folder (const char *folder, GError **error)
{
  if (g_mkdir_with_parents (folder, 0700) == 0)
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_PROVIDER, "Could not make the folder “%s”: %s", folder,
               g_strerror (errno));
  return FALSE;
}

static gboolean
set_missing (const char *id, GError **error)
{
  g_set_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND, "There is no sandbox “%s”", id);
  return FALSE;
}

/* Entries. */

static void
insert_text (GVariantDict *dict, const char *key, const char *text)
{
  if (text)
    g_variant_dict_insert (dict, key, "s", text);
}

static char *
print_entry (AsbSandboxInfo *info)
{
  GDateTime *created_at = asb_sandbox_info_get_created_at (info);
  g_autoptr (GVariant) entry = NULL;
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "ref",
                               asb_sandbox_ref_serialize (asb_sandbox_info_get_ref (info)));
  insert_text (&dict, "name", asb_sandbox_info_get_name (info));
  insert_text (&dict, "image", asb_sandbox_info_get_image (info));
  insert_text (&dict, "workdir", asb_sandbox_info_get_workdir (info));
  g_variant_dict_insert (&dict, "created-at", "(xi)", g_date_time_to_unix (created_at),
                         g_date_time_get_microsecond (created_at));
  entry = g_variant_ref_sink (g_variant_dict_end (&dict));
  return g_variant_print (entry, TRUE);
}

static AsbSandboxInfo *
parse_entry (const char *text, AsbSandboxState state, GError **error)
{
  g_autoptr (GVariant) entry = g_variant_parse (G_VARIANT_TYPE_VARDICT, text, NULL, NULL, error);
  g_autoptr (GVariantDict) dict = entry ? g_variant_dict_new (entry) : NULL;
  g_autoptr (GVariant) value = dict ? g_variant_dict_lookup_value (dict, "ref", NULL) : NULL;
  g_autoptr (AsbSandboxRef) ref = value ? asb_sandbox_ref_deserialize (value, error) : NULL;
  g_autoptr (GDateTime) second = NULL;
  g_autoptr (GDateTime) created_at = NULL;
  const char *name = NULL, *image = NULL, *workdir = NULL;
  gint64 seconds = 0;
  int microsecond = 0;

  if (!ref)
    return NULL;
  g_variant_dict_lookup (dict, "name", "&s", &name);
  g_variant_dict_lookup (dict, "image", "&s", &image);
  g_variant_dict_lookup (dict, "workdir", "&s", &workdir);
  g_variant_dict_lookup (dict, "created-at", "(xi)", &seconds, &microsecond);
  second = g_date_time_new_from_unix_utc (seconds);
  created_at = second ? g_date_time_add (second, microsecond) : NULL;
  return g_object_new (ASB_TYPE_SANDBOX_INFO, "ref", ref, "state", state, "name", name, "image",
                       image, "workdir", workdir, "created-at", created_at, NULL);
}

gboolean
asb_simple_table_add (const char *folder, AsbSandboxInfo *info, GError **error)
{
  const char *id = asb_sandbox_ref_get_sandbox_id (asb_sandbox_info_get_ref (info));
  g_autofree char *file = dup_file (folder, id, ENTRY);
  g_autofree char *text = print_entry (info);
  g_autoptr (GError) local = NULL;

  if (!make_folder (folder, error))
    return FALSE;
  if (g_file_set_contents_full (file, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0600, &local))
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_PROVIDER, "Could not remember the sandbox: %s",
               local->message);
  return FALSE;
}

AsbSandboxInfo *
asb_simple_table_get (const char *folder, const char *id, AsbSandboxState state, GError **error)
{
  g_autofree char *file = dup_file (folder, id, ENTRY);
  g_autofree char *text = NULL;
  g_autoptr (GError) local = NULL;
  AsbSandboxInfo *info = NULL;

  /* An id becomes the name of a file: nothing but those that were given out are looked at. */
  if (!g_uuid_string_is_valid (id)
      || (!g_file_get_contents (file, &text, NULL, &local)
          && g_error_matches (local, G_FILE_ERROR, G_FILE_ERROR_NOENT)))
    {
      set_missing (id, error);
      return NULL;
    }
  info = text ? parse_entry (text, state, &local) : NULL;
  if (!info)
    g_set_error (error, ASB_ERROR, ASB_ERROR_PROVIDER, "Could not read “%s”: %s", file,
                 local ? local->message : "it names no sandbox");
  return info;
}

static int
compare_ids (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(const char *const *)a, *(const char *const *)b);
}

char **
asb_simple_table_list (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) ids = g_ptr_array_new_null_terminated (16, g_free, TRUE);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    if (g_str_has_suffix (name, ENTRY))
      g_ptr_array_add (ids, g_strndup (name, strlen (name) - strlen (ENTRY)));
  g_ptr_array_sort (ids, compare_ids);
  return (char **)g_ptr_array_steal (ids, NULL);
}

/* The lock is the file's, whatever it is called. */
static int
open_locked (const char *file)
{
  int fd = open (file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

  if (fd < 0 || flock (fd, LOCK_EX | LOCK_NB) == 0)
    return fd;
  close (fd);
  return -1;
}

int
asb_simple_table_take (const char *folder, const char *id, GError **error)
{
  g_autofree char *entry = dup_file (folder, id, ENTRY);
  g_autofree char *taken = dup_file (folder, id, TAKEN);
  int fd = -1;

  if (g_uuid_string_is_valid (id))
    fd = open_locked (entry);
  if (fd >= 0 && g_rename (entry, taken) == 0)
    return fd;
  if (fd >= 0)
    close (fd);
  fd = g_uuid_string_is_valid (id) ? open_locked (taken) : -1;
  if (fd < 0)
    set_missing (id, error);
  return fd;
}

void
asb_simple_table_put_back (const char *folder, const char *id, int taken)
{
  g_autofree char *entry = dup_file (folder, id, ENTRY);
  g_autofree char *file = dup_file (folder, id, TAKEN);

  g_rename (file, entry);
  close (taken);
}

void
asb_simple_table_forget (const char *folder, const char *id, int taken)
{
  static const char *const suffixes[] = { ENTERED, TAKEN };

  for (gsize i = 0; i < G_N_ELEMENTS (suffixes); i++)
    {
      g_autofree char *file = dup_file (folder, id, suffixes[i]);

      g_unlink (file);
    }
  close (taken);
}

gboolean
asb_simple_table_check (const char *folder, const char *id, GError **error)
{
  g_autofree char *entry = dup_file (folder, id, ENTRY);

  return (g_uuid_string_is_valid (id) && g_file_test (entry, G_FILE_TEST_EXISTS))
         || set_missing (id, error);
}

gboolean
asb_simple_table_enter (const char *folder, const char *id, const char *program, GError **error)
{
  g_autofree char *file = dup_file (folder, id, ENTERED);
  g_autofree char *before = NULL;

  if (!asb_simple_table_check (folder, id, error))
    return FALSE;
  if (!g_file_get_contents (file, &before, NULL, NULL)
      || g_strcmp0 (before, program ? program : "") != 0)
    g_file_set_contents (file, program ? program : "", -1, NULL);
  if (asb_simple_table_check (folder, id, error))
    return TRUE;
  g_unlink (file);
  return FALSE;
}

gboolean
asb_simple_table_get_entered (const char *folder, const char *id, char **program)
{
  g_autofree char *file = dup_file (folder, id, ENTERED);
  g_autofree char *text = NULL;

  if (!g_file_get_contents (file, &text, NULL, NULL))
    return FALSE;
  *program = *text ? g_steal_pointer (&text) : NULL;
  return TRUE;
}

/* Places. */

char *
asb_simple_table_dup_place (const char *folder, const char *id)
{
  return g_build_filename (folder, id, NULL);
}

gboolean
asb_simple_table_make_place (const char *folder, const char *id, GError **error)
{
  g_autofree char *place = asb_simple_table_dup_place (folder, id);

  return make_folder (place, error);
}

gboolean
asb_simple_table_remove_place (const char *folder, const char *id, GCancellable *cancellable,
                               GError **error)
{
  const AsbTreeRemoval how = { .folder = folder, .cancellable = cancellable };
  int fd = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int reason = errno;
  gboolean done;

  if (fd < 0 && reason == ENOENT)
    return TRUE;
  if (fd < 0)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_PROVIDER, "Could not open “%s”: %s", folder,
                   g_strerror (reason));
      return FALSE;
    }
  done = asb_tree_remove (fd, id, &how, error);
  close (fd);
  return done;
}
