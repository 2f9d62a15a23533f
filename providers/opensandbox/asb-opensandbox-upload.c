/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-upload.h"

#include <string.h>

#include "asb-opensandbox-call.h"
#include "asb-opensandbox-elf.h"
#include "asb-opensandbox-parcel.h"
#include "asb-opensandbox-script.h"
#include "asb-opensandbox-shell.h"

/* How much of the hash of the guest is at the end of its name. */
#define HASH_DIGITS 16

/* One that is going on, or has succeeded. */
struct _AsbOpensandboxUpload
{
  char *hash;
  guint mode;
  GPtrArray *waiting; /* of GTask; NULL: it is done */
  gint64 done_at;
};

/* What a task wants. */
typedef struct
{
  AsbOpensandboxSite *site;
  AsbOpensandboxExecd *execd;
  char *path;
  AsbOpensandboxParcel *parcel;
  GBytes *contents;
  char *hash;
  guint mode;
} Order;

void
asb_opensandbox_upload_free (AsbOpensandboxUpload *self)
{
  g_clear_pointer (&self->waiting, g_ptr_array_unref);
  g_free (self->hash);
  g_free (self);
}

static void
order_free (gpointer data)
{
  Order *order = data;

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

/* All who wait are answered. */
static void
finish (GTask *task, const GError *error)
{
  Order *order = get_order (task);
  AsbOpensandboxUpload *upload = g_hash_table_lookup (order->site->uploads, order->path);
  g_autoptr (GPtrArray) waiting = g_steal_pointer (&upload->waiting);

  upload->done_at = g_get_monotonic_time ();
  if (error || !is_named_by_hash (order->path, order->hash))
    g_hash_table_remove (order->site->uploads, order->path);
  for (guint i = 0; i < waiting->len; i++)
    if (error)
      g_task_return_error (waiting->pdata[i], g_error_copy (error));
    else
      g_task_return_boolean (waiting->pdata[i], TRUE);
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

  asb_opensandbox_script_run_async (order->execd, COMMIT, arguments, "put the file", NULL,
                                    committed_cb, g_object_ref (task));
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
  g_autoptr (GError) error = NULL;

  if (asb_opensandbox_parcel_send_finish (result, &error))
    {
      commit (task);
      return;
    }
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
  asb_opensandbox_parcel_send_async (order->parcel, order->execd, sent_cb, g_object_ref (task));
}

/* Whether somebody sends the same to the same place, or has done so and nobody has missed it. */
static gboolean
join (GTask *task)
{
  Order *order = get_order (task);
  AsbOpensandboxUpload *upload = g_hash_table_lookup (order->site->uploads, order->path);

  if (!upload || !g_str_equal (upload->hash, order->hash) || upload->mode != order->mode)
    return FALSE;
  if (upload->waiting)
    g_ptr_array_add (upload->waiting, g_object_ref (task));
  else
    g_task_return_boolean (task, TRUE);
  return TRUE;
}

static gboolean
is_busy (GTask *task)
{
  Order *order = get_order (task);
  AsbOpensandboxUpload *upload = g_hash_table_lookup (order->site->uploads, order->path);

  return upload && upload->waiting;
}

static void
begin (GTask *task)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  Order *order = call->state;
  AsbOpensandboxUpload *upload = g_new0 (AsbOpensandboxUpload, 1);

  upload->hash = g_strdup (order->hash);
  upload->mode = order->mode;
  upload->waiting = g_ptr_array_new_with_free_func (g_object_unref);
  g_ptr_array_add (upload->waiting, g_object_ref (task));
  g_hash_table_replace (order->site->uploads, g_strdup (order->path), upload);
  asb_opensandbox_endpoints_lookup_async (asb_opensandbox_lifecycle_get_endpoints (call->lifecycle),
                                          call->sandbox_id, ASB_OPENSANDBOX_PORT_EXECD, NULL,
                                          looked_up_cb, g_object_ref (task));
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
