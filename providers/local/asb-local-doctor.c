/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "asb-local-diagnosis.h"
#include "asb-local-ending.h"
#include "asb-local-folder.h"
#include "asb-local-limits.h"
#include "asb-local-metadata.h"
#include "asb-local-programs.h"
#include "asb-local-scope.h"
#include "asb-local-user.h"
#include "asb-local-version.h"

#define NEEDED_MAJOR 0
#define NEEDED_MINOR 8
#define LITTLE_SPACE ((guint64)256 * 1024 * 1024)
#define MOST_UNREADABLE 8 /* of which one is told */
#define ENOUGH_MEMORY ((guint64)256 * 1024 * 1024)

#define BUBBLEWRAP_CURE "install the package bubblewrap in place of what is found under its name"
#define GUEST_CURE                                                                                 \
  "it must be a static program for this processor: install it again, or set ASB_GUEST_PATH"

typedef struct
{
  const AsbLocalSettings *settings;
  GCancellable *cancellable;
  gboolean makes_sandboxes; /* otherwise it has been said why not */
  GVariantBuilder findings;
} Visit;

static void
add (Visit *visit, const char *name, const char *state, const char *message, const char *cure)
{
  g_variant_builder_open (&visit->findings, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&visit->findings, "{sv}", "name", g_variant_new_string (name));
  g_variant_builder_add (&visit->findings, "{sv}", "state", g_variant_new_string (state));
  g_variant_builder_add (&visit->findings, "{sv}", "message",
                         g_variant_new_take_string (g_utf8_make_valid (message, -1)));
  if (cure)
    g_variant_builder_add (&visit->findings, "{sv}", "cure", g_variant_new_string (cure));
  g_variant_builder_close (&visit->findings);
}

/* The messages of this provider's errors hold the cure. */
static void
add_error (Visit *visit, const char *name, const GError *error)
{
  add (visit, name, "failure", error->message, NULL);
}

static void
look_at_bubblewrap (Visit *visit)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = asb_local_find_bubblewrap (visit->settings->bubblewrap, &error);
  g_autofree char *version = path ? asb_local_ask_version (path, &error) : NULL;
  g_autofree char *message = NULL;
  unsigned major = 0, minor = 0;

  if (!version)
    {
      add (visit, "bubblewrap", "failure", error->message,
           path ? asb_local_find_spawn_cure (error, BUBBLEWRAP_CURE) : NULL);
      return;
    }
  message = g_strdup_printf ("%s, %s", version, path);
  if (sscanf (version, "bubblewrap %u.%u", &major, &minor) == 2
      && (major > NEEDED_MAJOR || minor >= NEEDED_MINOR))
    add (visit, "bubblewrap", "ok", message, NULL);
  else
    add (visit, "bubblewrap", "failure", message, "install bubblewrap 0.8 or later");
}

static void
look_at_guest (Visit *visit)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = asb_local_find_guest (visit->settings->guest, &error);
  g_autofree char *version = path ? asb_local_ask_version (path, &error) : NULL;
  g_autofree char *message = NULL;

  if (!path)
    {
      add_error (visit, "guest", error);
      return;
    }
  message = g_strdup_printf ("%s, %s", version ? version : error->message, path);
  if (!version || !g_str_has_prefix (version, "asb-guest "))
    add (visit, "guest", "failure", message,
         error ? asb_local_find_spawn_cure (error, GUEST_CURE) : GUEST_CURE);
  else if (strcmp (version, "asb-guest " ASB_VERSION) != 0)
    add (visit, "guest", "warning", message, "use the guest of this version, " ASB_VERSION);
  else
    add (visit, "guest", "ok", message, NULL);
}

static void
look_at_folder (Visit *visit, const char *name, const char *path)
{
  g_autoptr (GError) error = NULL;
  int fd = asb_local_root_open (path, TRUE, &error);
  g_autofree char *free_text = NULL;
  g_autofree char *message = NULL;
  struct statvfs status = { 0 };
  guint64 space;

  if (fd < 0 || fstatvfs (fd, &status) != 0 || faccessat (fd, ".", W_OK, 0) != 0)
    {
      add (visit, name, "failure", error ? error->message : path,
           error ? NULL : "take another folder, which you may write in");
      if (fd >= 0)
        close (fd);
      return;
    }
  close (fd);
  space = (guint64)status.f_bavail * status.f_frsize;
  free_text = g_format_size_full (space, G_FORMAT_SIZE_IEC_UNITS);
  message = g_strdup_printf ("%s, %s free", path, free_text);
  if (space >= LITTLE_SPACE && status.f_favail > 0)
    add (visit, name, "ok", message, NULL);
  else
    add (visit, name, "warning", message, "make room, or take a folder on another disk");
}

/* No list shows what has lost its description, as after a loss of power, and nothing removes it. */
static void
look_at_contents (Visit *visit, const char *root)
{
  g_autoptr (GPtrArray) ids = asb_local_root_list (root, NULL);
  guint n_found = 0;

  for (guint i = 0; ids && i < ids->len && n_found < MOST_UNREADABLE; i++)
    {
      const char *id = ids->pdata[i];
      g_autoptr (GError) error = NULL;
      g_autoptr (AsbLocalFolder) folder = asb_local_folder_open (root, id, NULL);
      g_autoptr (AsbLocalMetadata) metadata
          = folder ? asb_local_metadata_load (folder->fd, folder->path, &error) : NULL;
      g_autofree char *cure = NULL;

      /* It may have been removed just now. */
      if (!folder || metadata || !asb_local_folder_exists (root, id))
        continue;
      n_found++;
      cure = g_strdup_printf ("take from the folder “%s” what is needed, and remove it",
                              folder->path);
      add (visit, "sandboxes", "warning", error->message, cure);
    }
}

/* The one thing that tells for sure: namespaces, mounts, the filter and the guest, all at once. */
static gboolean
try_sandbox (Visit *visit, AsbSandboxSpec *spec, GError **error)
{
  AsbLocalSettings settings = *visit->settings;
  g_autoptr (AsbLocalOrder) order = NULL;

  settings.keep_record = FALSE;
  order = asb_local_order_new (spec, error);
  return order && asb_local_create (&settings, order, visit->cancellable, error)
         && asb_local_delete (&settings, order->metadata->id, error);
}

static void
look_at_sandbox (Visit *visit)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (GError) error = NULL;
  gint64 start = g_get_monotonic_time ();
  g_autofree char *message = NULL;

  visit->makes_sandboxes = try_sandbox (visit, spec, &error);
  if (!visit->makes_sandboxes)
    {
      add_error (visit, "sandbox", error);
      return;
    }
  message = g_strdup_printf ("made and removed in %.0f ms, as user %u of this machine",
                             (double)(g_get_monotonic_time () - start) / 1000,
                             asb_local_user_outside ());
  add (visit, "sandbox", "ok", message, NULL);
}

static gboolean
file_has (const char *path, const char *word)
{
  g_autofree char *content = NULL;

  return g_file_get_contents (path, &content, NULL, NULL) && strstr (content, word);
}

/* Asked itself, since a container may hide what stands in /proc/sys. */
static gboolean
can_filter (void)
{
  guint32 action = SECCOMP_RET_ERRNO;

  return syscall (SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0
         || file_has ("/proc/sys/kernel/seccomp/actions_avail", "errno");
}

static void
look_at_filter (Visit *visit)
{
  if (can_filter ())
    add (visit, "system calls", "ok", "dangerous ones are refused by a filter", NULL);
  else
    add (visit, "system calls", "failure", "this kernel cannot filter them",
         "use a kernel with CONFIG_SECCOMP_FILTER");
}

static void
look_at_limits (Visit *visit)
{
  g_autoptr (AsbResourceLimits) limits = asb_local_limits_complete (NULL);
  g_autofree char *message
      = g_strdup_printf ("at most %" G_GUINT64_FORMAT " in a sandbox if nothing else is said",
                         asb_resource_limits_get_processes (limits));

  if (asb_resource_limits_get_processes (limits) > 0)
    add (visit, "processes", "ok", message, NULL);
  else
    add (visit, "processes", "warning",
         "this kernel counts those of a user in all sandboxes together: there is no usual limit",
         "use Linux 5.14 or later, or set limits");
}

static void
look_at_memory (Visit *visit)
{
  g_autofree char *bus = asb_local_scope_find_bus (visit->settings->systemd);
  g_autoptr (AsbResourceLimits) limits = asb_resource_limits_new ();
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (GError) error = NULL;

  asb_resource_limits_set_memory_bytes (limits, ENOUGH_MEMORY);
  asb_sandbox_spec_set_limits (spec, limits);
  if (!bus)
    add (visit, "memory", "warning",
         "limits hold for each process of a sandbox, not for all of them together",
         "where systemd runs, let its manager be reached by D-Bus; that of a user who is not root "
         "needs control groups of version 2");
  else if (visit->makes_sandboxes && try_sandbox (visit, spec, &error))
    add (visit, "memory", "ok", "limits hold for all processes together, by a scope of systemd",
         NULL);
  else if (visit->makes_sandboxes)
    add (visit, "memory", "warning", error->message, NULL);
}

/* Of a folder that all who work in sandboxes could write to. */
static gboolean
try_overlay (Visit *visit, const char *folder, GError **error)
{
  g_autoptr (AsbMount) mount = asb_mount_new (folder, "/workspace/folder", ASB_MOUNT_MODE_OVERLAY);
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();

  asb_sandbox_spec_add_mount (spec, mount);
  if (asb_local_user_give (AT_FDCWD, folder))
    return try_sandbox (visit, spec, error);
  asb_local_set_owner_error (error, errno);
  return FALSE;
}

/* The kernel may have them and the file system of the sandboxes not, as in most containers. */
static void
look_at_overlays (Visit *visit)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder
      = visit->makes_sandboxes ? g_dir_make_tmp ("asb-doctor-XXXXXX", &error) : NULL;

  if (folder && try_overlay (visit, folder, &error))
    add (visit, "overlays", "ok", "changes to folders of this machine can be kept apart", NULL);
  else if (!file_has ("/proc/filesystems", "\toverlay\n"))
    add (visit, "overlays", "warning", "the kernel has none, or has not loaded them",
         "“modprobe overlay”, or show folders without an overlay");
  else if (error)
    add (visit, "overlays", "warning", error->message,
         "show folders read-only or written through, or change what is said to be at fault");
  if (folder)
    g_rmdir (folder);
}

GVariant *
asb_local_diagnose (const AsbLocalSettings *settings, GCancellable *cancellable)
{
  Visit visit = { .settings = settings, .cancellable = cancellable };

  g_variant_builder_init (&visit.findings, G_VARIANT_TYPE ("aa{sv}"));
  look_at_bubblewrap (&visit);
  look_at_guest (&visit);
  look_at_folder (&visit, "state folder", settings->state_dir);
  look_at_folder (&visit, "record folder", settings->record_dir);
  look_at_contents (&visit, settings->state_dir);
  look_at_contents (&visit, settings->record_dir);
  look_at_sandbox (&visit);
  look_at_filter (&visit);
  look_at_limits (&visit);
  look_at_memory (&visit);
  look_at_overlays (&visit);
  return g_variant_ref_sink (g_variant_builder_end (&visit.findings));
}
