/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-upload.h"

#include <string.h>

#include "asb-opensandbox-call.h"
#include "asb-opensandbox-cancel.h"
#include "asb-opensandbox-elf.h"
#include "asb-opensandbox-parcel.h"
#include "asb-opensandbox-script.h"
#include "asb-opensandbox-shell.h"

/* How much of the hash of the guest is at the end of its name. */
#define HASH_DIGITS 16

/* One that is going on, or has succeeded. */
struct _AsbOpensandboxUpload
{
  gatomicrefcount references;
  char *hash;
  guint mode;
  GPtrArray *waiting; /* of Waiter; NULL: it is done */
  GCancellable *cancellable;
  gint64 done_at;
};

/* What a task wants. */
typedef struct
{
  AsbOpensandboxSite *site;
  AsbOpensandboxUpload *upload; /* (nullable): the one it does for all who want it */
  AsbOpensandboxExecd *execd;
  char *path;
  AsbOpensandboxParcel *parcel;
  GBytes *contents;
  char *hash;
  guint mode;
} Order;

typedef struct
{
  GTask *task;
  AsbOpensandboxUpload *upload; /* not a reference */
  AsbOpensandboxCancelWatch *cancelled;
} Waiter;

static void
waiter_free (gpointer data)
{
  Waiter *waiter = data;

  asb_opensandbox_cancel_unwatch (&waiter->cancelled);
  g_object_unref (waiter->task);
  g_free (waiter);
}

void
asb_opensandbox_upload_unref (AsbOpensandboxUpload *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_clear_pointer (&self->waiting, g_ptr_array_unref);
  g_object_unref (self->cancellable);
  g_free (self->hash);
  g_free (self);
}

static void
order_free (gpointer data)
{
  Order *order = data;

  g_clear_pointer (&order->upload, asb_opensandbox_upload_unref);
  g_clear_pointer (&order->site, asb_opensandbox_site_unref);
  g_clear_object (&order->execd);
  g_clear_pointer (&order->parcel, asb_opensandbox_parcel_free);
  g_clear_pointer (&order->contents, g_bytes_unref);
  g_free (order->path);
  g_free (order->hash);
  g_free (order);
}

static Order *
get_order (GTask *task)
{
  return asb_opensandbox_call_get (task)->state;
}

/* What is in a file that is named by its hash is what was put there. Any other may have been
 * changed since. */
static gboolean
is_named_by_hash (const char *path, const char *hash)
{
  const char *end = strrchr (path, '-');

  return end && strlen (end + 1) == HASH_DIGITS && g_str_has_prefix (hash, end + 1);
}

/* Who comes next does it again. */
static void
forget (Order *order)
{
  if (g_hash_table_lookup (order->site->uploads, order->path) == order->upload)
    g_hash_table_remove (order->site->uploads, order->path);
}

/* All who wait are answered. */
static void
finish (GTask *task, const GError *error)
{
  Order *order = get_order (task);
  AsbOpensandboxUpload *upload = order->upload;
  g_autoptr (GPtrArray) waiting = g_steal_pointer (&upload->waiting);

  upload->done_at = g_get_monotonic_time ();
  if (error || !is_named_by_hash (order->path, order->hash))
    forget (order);
  for (guint i = 0; i < waiting->len; i++)
    {
      Waiter *waiter = waiting->pdata[i];

      if (error)
        g_task_return_error (waiter->task, g_error_copy (error));
      else
        g_task_return_boolean (waiter->task, TRUE);
    }
}

/* The file is looked at where it is, and only then gets its name. What cannot be looked at in an
 * image without sha256sum is at least as long as it should be. */
static const char COMMIT[]
    = "fail () { rm -f \"$1\"; echo \"$3\" >&2; exit 1; }\n"
      "n=$(wc -c <\"$1\") && [ \"$((n))\" = \"$4\" ] || fail \"$1\" \"$2\" \"not all of it "
      "arrived\"\n"
      "if command -v sha256sum >/dev/null 2>&1; then\n"
      "  h=$(sha256sum <\"$1\")\n"
      "  [ \"${h%% *}\" = \"$5\" ] || fail \"$1\" \"$2\" \"what arrived is not what was sent\"\n"
      "fi\n"
      "chmod \"$3\" \"$1\" && mv -f \"$1\" \"$2\" && exit 0\n"
      "rm -f \"$1\"\n"
      "exit 1\n";

static void
committed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxScriptResult) done = asb_opensandbox_script_run_finish_well (
      ASB_OPENSANDBOX_EXECD (source), result, get_order (task)->path, &error);

  finish (task, done ? NULL : error);
}

static void
commit (GTask *task)
{
  Order *order = get_order (task);
  g_autofree char *mode = g_strdup_printf ("%04o", order->mode);
  g_autofree char *size = g_strdup_printf ("%" G_GSIZE_FORMAT, g_bytes_get_size (order->contents));
  const char *arguments[] = {
    asb_opensandbox_parcel_get_temporary (order->parcel), order->path, mode, size, order->hash, NULL
  };

  asb_opensandbox_script_run_async (order->execd, COMMIT, arguments, "put a file into the sandbox",
                                    NULL, committed_cb, g_object_ref (task));
}

/* With no space for the guest it cannot be there: what execd does itself may still be done, unless
 * the guest is asked for. */
static void
judge (GTask *task, GError *error)
{
  AsbOpensandboxLifecycle *lifecycle = asb_opensandbox_call_get (task)->lifecycle;
  gboolean is_bound = asb_opensandbox_lifecycle_get_settings (lifecycle)->transport
                      != ASB_OPENSANDBOX_TRANSPORT_AUTO;

  if (error->domain != ASB_ERROR)
    return;
  if (strstr (error->message, "no space left on device"))
    error->code = is_bound ? ASB_ERROR_NO_SPACE : ASB_ERROR_GUEST_UNAVAILABLE;
  else if (is_bound && error->code == ASB_ERROR_GUEST_UNAVAILABLE)
    error->code = ASB_ERROR_UNSUPPORTED_CAPABILITY;
  if (error->code == ASB_ERROR_GUEST_UNAVAILABLE)
    asb_opensandbox_site_set_no_guest (get_order (task)->site, error->message);
}

static void
sent_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Order *order = get_order (task);
  g_autoptr (GError) error = NULL;
  gboolean is_sent = asb_opensandbox_parcel_send_finish (result, &error);

  if (is_sent && !g_cancellable_set_error_if_cancelled (order->upload->cancellable, &error))
    {
      commit (task);
      return;
    }
  if (is_sent)
    asb_opensandbox_parcel_discard (order->parcel, order->execd);
  judge (task, error);
  finish (task, error);
}

static void
looked_up_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  Order *order = call->state;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxEndpoint) endpoint = asb_opensandbox_endpoints_lookup_finish (
      ASB_OPENSANDBOX_ENDPOINTS (source), result, &error);

  if (!endpoint)
    {
      finish (task, error);
      return;
    }
  order->execd = asb_opensandbox_execd_new (asb_opensandbox_lifecycle_get_client (call->lifecycle),
                                            endpoint);
  asb_opensandbox_parcel_send_async (order->parcel, order->execd, order->upload->cancellable,
                                     sent_cb, g_object_ref (task));
}

/* Whoever cancels is answered at once. It goes on for the others; for nobody it is given up, up to
 * the moment in which it is put into its place. */
static void
cancelled_cb (gpointer data)
{
  Waiter *waiter = data;
  AsbOpensandboxUpload *upload = waiter->upload;
  g_autoptr (GTask) task = g_object_ref (waiter->task);

  g_ptr_array_remove_fast (upload->waiting, waiter);
  if (upload->waiting->len == 0)
    g_cancellable_cancel (upload->cancellable);
  g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Operation was cancelled");
}

static void
wait_for (AsbOpensandboxUpload *upload, GTask *task)
{
  Waiter *waiter = g_new0 (Waiter, 1);

  waiter->task = g_object_ref (task);
  waiter->upload = upload;
  waiter->cancelled
      = asb_opensandbox_cancel_watch (g_task_get_cancellable (task), cancelled_cb, waiter);
  g_ptr_array_add (upload->waiting, waiter);
}

/* Whether somebody sends the same to the same place, or has done so and nobody has missed it. */
static gboolean
join (GTask *task)
{
  Order *order = get_order (task);
  AsbOpensandboxUpload *upload = g_hash_table_lookup (order->site->uploads, order->path);

  if (!upload || !g_str_equal (upload->hash, order->hash) || upload->mode != order->mode
      || g_cancellable_is_cancelled (upload->cancellable))
    return FALSE;
  if (upload->waiting)
    wait_for (upload, task);
  else
    g_task_return_boolean (task, TRUE);
  return TRUE;
}

static gboolean
is_busy (GTask *task)
{
  Order *order = get_order (task);
  AsbOpensandboxUpload *upload = g_hash_table_lookup (order->site->uploads, order->path);

  return upload && upload->waiting && !g_cancellable_is_cancelled (upload->cancellable);
}

static void
begin (GTask *task)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  Order *order = call->state;
  AsbOpensandboxUpload *upload = g_new0 (AsbOpensandboxUpload, 1);

  g_atomic_ref_count_init (&upload->references);
  upload->hash = g_strdup (order->hash);
  upload->mode = order->mode;
  upload->waiting = g_ptr_array_new_with_free_func (waiter_free);
  upload->cancellable = g_cancellable_new ();
  g_atomic_ref_count_inc (&upload->references);
  order->upload = upload;
  g_hash_table_replace (order->site->uploads, g_strdup (order->path), upload);
  wait_for (upload, task);
  asb_opensandbox_endpoints_lookup_async (asb_opensandbox_lifecycle_get_endpoints (call->lifecycle),
                                          call->sandbox_id, ASB_OPENSANDBOX_PORT_EXECD,
                                          upload->cancellable, looked_up_cb, g_object_ref (task));
}

static void
put_in_thread (GTask *task)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  Order *order = call->state;
  g_autoptr (GError) error = NULL;

  order->site = asb_opensandbox_site_get (call->lifecycle, call->sandbox_id);
  if (!asb_opensandbox_elf_check (order->contents, order->site->architecture, &error))
    {
      judge (task, error);
      g_task_return_error (task, g_steal_pointer (&error));
    }
  else if (join (task))
    return;
  else if (is_busy (task))
    g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_TOO_MANY_REQUESTS,
                             "Another file is being put at “%s”", order->path);
  else
    begin (task);
}

static Order *
new_order (const char *path, GBytes *contents, guint mode)
{
  Order *order = g_new0 (Order, 1);

  order->path = g_strdup (path);
  order->parcel = asb_opensandbox_parcel_new (path, contents);
  order->contents = g_bytes_ref (contents);
  order->hash = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, contents);
  order->mode = mode;
  return order;
}

void
asb_opensandbox_upload_put_file (AsbOpensandboxLifecycle *lifecycle, const char *sandbox_id,
                                 const char *path, GBytes *contents, guint mode, GTask *task)
{
  AsbOpensandboxCall *call;

  if (path[0] != '/' || !asb_opensandbox_shell_is_plain_path (path))
    {
      g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                               "execd takes no path that is relative, holds “$” or “~”, or is no "
                               "UTF-8");
      return;
    }
  call = asb_opensandbox_call_new (lifecycle, sandbox_id);
  call->state = new_order (path, contents, mode);
  call->free_state = order_free;
  asb_opensandbox_call_run (call, task, put_in_thread);
}

void
asb_opensandbox_upload_was_missed (AsbOpensandboxSite *site, const char *path, gint64 since)
{
  AsbOpensandboxUpload *upload = g_hash_table_lookup (site->uploads, path);

  if (upload && !upload->waiting && upload->done_at < since)
    g_hash_table_remove (site->uploads, path);
}
