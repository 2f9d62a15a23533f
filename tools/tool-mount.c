/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-mount.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tool-json.h"

#define WORKSPACE "/workspace"

static const struct
{
  const char *word;
  AsbMountMode mode;
} modes[] = {
  { "ro", ASB_MOUNT_MODE_READ_ONLY },
  { "rw", ASB_MOUNT_MODE_READ_WRITE },
  { "overlay", ASB_MOUNT_MODE_OVERLAY },
};

/* Cuts “:MODE” off the end of @text, if it is there. */
static gboolean
take_mode (char *text, AsbMountMode *mode)
{
  char *colon = strrchr (text, ':');

  for (gsize i = 0; colon && i < G_N_ELEMENTS (modes); i++)
    if (strcmp (colon + 1, modes[i].word) == 0)
      {
        *mode = modes[i].mode;
        *colon = '\0';
        return TRUE;
      }
  return FALSE;
}

/* Cuts “:TARGET” off the end of @text. Returns: (nullable): the target */
static const char *
take_target (char *text)
{
  char *colon = strrchr (text, ':');

  if (!colon || colon[1] != '/')
    return NULL;
  *colon = '\0';
  return colon + 1;
}

static gboolean
refuse (const char *text, const char *wanted, GError **error)
{
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "“%s” names no folder to show; give %s, with the mode ro, rw or overlay", text,
               wanted);
  return FALSE;
}

/* What follows a colon was meant to be something, or belongs to the name. */
static gboolean
refuse_end (const char *text, const char *wanted, const char *example, GError **error)
{
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "“%s” ends in “%s”, which is %s; a folder with a colon in its name needs a mode, as "
               "“%s:%s”",
               text, strrchr (text, ':'), wanted, text, example);
  return FALSE;
}

static void
add (AsbBackendOptions *options, const char *source, const char *target, AsbMountMode mode)
{
  g_autoptr (AsbMount) mount = asb_mount_new (source, target, mode);

  asb_backend_options_add_mount (options, mount);
}

/* A folder that was removed has no name any more. GLib takes “/” for it then, and so another folder
 * for the one that was meant. */
static char *
make_absolute (const char *path, GError **error)
{
  g_autofree char *here = g_path_is_absolute (path) ? NULL : getcwd (NULL, 0);

  if (!here && !g_path_is_absolute (path))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "“%s” cannot be found from here, since the current folder is gone: %s", path,
                   g_strerror (errno));
      return NULL;
    }
  return g_canonicalize_filename (path, NULL);
}

static gboolean
add_mount (const char *text, AsbBackendOptions *options, GError **error)
{
  g_autofree char *rest = g_strdup (text);
  AsbMountMode mode = ASB_MOUNT_MODE_READ_ONLY;
  gboolean has_mode = take_mode (rest, &mode);
  const char *target = take_target (rest);
  g_autofree char *source = NULL;
  g_autofree char *name = NULL;
  g_autofree char *usual = NULL;

  if (rest[0] == '\0')
    return refuse (text, "SOURCE[:TARGET][:MODE]", error);
  if (!has_mode && !target && strchr (rest, ':'))
    return refuse_end (text, "no mode (ro, rw, overlay) and no target (an absolute path)", "ro",
                       error);
  source = make_absolute (rest, error);
  if (!source)
    return FALSE;
  name = g_path_get_basename (source);
  usual = g_build_filename (WORKSPACE, name, NULL);
  add (options, source, target ? target : usual, mode);
  return TRUE;
}

static gboolean
add_project (const char *text, AsbBackendOptions *options, GError **error)
{
  g_autofree char *rest = g_strdup (text);
  AsbMountMode mode = ASB_MOUNT_MODE_OVERLAY;
  gboolean has_mode = take_mode (rest, &mode);
  g_autofree char *source = NULL;

  if (rest[0] == '\0')
    return refuse (text, "DIR[:MODE]", error);
  if (!has_mode && strchr (rest, ':'))
    return refuse_end (text, "no mode (ro, rw, overlay)", "overlay", error);
  source = make_absolute (rest, error);
  if (!source)
    return FALSE;
  add (options, source, WORKSPACE, mode);
  return TRUE;
}

gboolean
tool_mounts_apply (const ToolMounts *self, AsbBackendOptions *options, GError **error)
{
  for (guint i = 0; self->mounts && i < self->mounts->len; i++)
    if (!add_mount (g_ptr_array_index (self->mounts, i), options, error))
      return FALSE;
  return !self->project || add_project (self->project, options, error);
}

char *
tool_mount_dup_text (AsbMount *mount)
{
  g_autofree char *source = g_filename_display_name (asb_mount_get_source (mount));
  g_autofree char *target = g_filename_display_name (asb_mount_get_target (mount));

  return g_strdup_printf ("%s at %s, %s", source, target,
                          tool_enum_get_nick (ASB_TYPE_MOUNT_MODE, asb_mount_get_mode (mount)));
}
