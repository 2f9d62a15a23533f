/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-transport-private.h"

#include "asb-call-private.h"
#include "asb-error.h"
#include "asb-guest-file-private.h"
#include "asb-guest-json-private.h"
#include "asb-guest-lines-private.h"
#include "asb-wire-json.h"
#include "asb-wire-variant-private.h"

/* The operations on files that gather in memory what a channel brings: the bytes of a file, the
 * entries of a directory. Both are bounded, whatever the guest says of them. */

#define MAX_FILE_BYTES (256 * 1024 * 1024)
#define MAX_ERRORS 64

guint asb_guest_max_entries = 262144;

static void
submit (AsbTransport *transport, const char *name, json_t *arguments, AsbFileRequest *request,
        const AsbGuestCallKind *kind, gpointer data, GTask *task)
{
  GError *error = NULL;
  AsbGuestCall *call = asb_guest_call_new (
      name, arguments, asb_file_request_get_operation (request), kind, data, &error);

  if (call)
    {
      asb_guest_call_set_subject (call, request);
      asb_guest_call_set_channel (call, ASB_CHANNEL_OUTPUT, ASB_GUEST_CHANNEL_SINK);
    }
  asb_guest_transport_submit (transport, call, task, error);
}

/* A file. */

typedef struct
{
  GTask *task;
  GByteArray *bytes;
  gsize limit;
  char *path;
} Reading;

static gboolean
reading_opened (AsbGuestCall *call, gpointer data, const json_t *event, GError **error)
{
  return TRUE;
}

static gboolean
reading_received (AsbGuestCall *call, gpointer data, const guint8 *bytes, gsize size,
                  GError **error)
{
  Reading *self = data;

  if (size > self->limit - self->bytes->len)
    {
      g_autofree char *name = g_filename_display_name (self->path);

      g_set_error (error, ASB_ERROR, ASB_ERROR_TOO_LARGE,
                   "Could not read “%s” into memory: it is larger than %" G_GSIZE_FORMAT " bytes",
                   name, self->limit);
      return FALSE;
    }
  g_byte_array_append (self->bytes, bytes, (guint)size);
  return TRUE;
}

static gboolean
reading_result (AsbGuestCall *call, gpointer data, const json_t *result, GError **error)
{
  Reading *self = data;
  gint64 count;

  if (!asb_guest_json_get_integer (result, "bytes", 0, ASB_WIRE_MAX_INTEGER, &count, error))
    return FALSE;
  if (count != self->bytes->len)
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                           "“bytes” is not how many bytes of the file came");
      return FALSE;
    }
  asb_task_return_bytes (self->task, g_byte_array_free_to_bytes (g_steal_pointer (&self->bytes)));
  return TRUE;
}

static void
reading_failed (AsbGuestCall *call, gpointer data, const GError *error)
{
  Reading *self = data;

  g_task_return_error (self->task, g_error_copy (error));
}

static void
reading_free (gpointer data)
{
  Reading *self = data;

  g_object_unref (self->task);
  g_clear_pointer (&self->bytes, g_byte_array_unref);
  g_free (self->path);
  g_free (self);
}

static const AsbGuestCallKind reading_kind = {
  .opening = "opened",
  .opened = reading_opened,
  .received = reading_received,
  .result = reading_result,
  .failed = reading_failed,
  .free = reading_free,
};

/* Who asks for so many bytes wants them in memory. */
static gsize
get_limit (AsbFileRequest *request)
{
  gint64 length = asb_file_request_get_length (request);

  return length < 0 ? MAX_FILE_BYTES : (gsize)MIN (length, G_MAXINT32);
}

void
asb_guest_read_file (AsbTransport *transport, AsbFileRequest *request, GTask *task)
{
  GError *error = NULL;
  json_t *arguments = asb_guest_file_read_arguments (request, &error);
  Reading *self;

  if (!arguments)
    {
      asb_guest_transport_submit (transport, NULL, task, error);
      return;
    }
  self = g_new0 (Reading, 1);
  self->task = g_object_ref (task);
  self->bytes = g_byte_array_new ();
  self->limit = get_limit (request);
  self->path = g_strdup (asb_file_request_get_path (request));
  submit (transport, "file.read", arguments, request, &reading_kind, self, task);
}

/* A directory. */

typedef struct
{
  GTask *task;
  GPtrArray *entries;
  AsbGuestLines lines;
  char *path;
} Listing;

static gboolean
check_count (Listing *self, GError **error)
{
  g_autofree char *name = NULL;

  if (self->entries->len < asb_guest_max_entries)
    return TRUE;
  name = g_filename_display_name (self->path);
  g_set_error (error, ASB_ERROR, ASB_ERROR_TOO_LARGE,
               "Could not list “%s”: it has more than %u entries", name, asb_guest_max_entries);
  return FALSE;
}

static gboolean
add_entry (gpointer data, const json_t *entry, GError **error)
{
  Listing *self = data;
  AsbFileInfo *info;

  if (!check_count (self, error))
    return FALSE;
  info = asb_guest_file_info_new (entry, ASB_GUEST_ENTRY_OF_LIST, NULL, error);
  if (!info)
    return FALSE;
  g_ptr_array_add (self->entries, info);
  return TRUE;
}

static gboolean
listing_received (AsbGuestCall *call, gpointer data, const guint8 *bytes, gsize size,
                  GError **error)
{
  Listing *self = data;

  return asb_guest_lines_add (&self->lines, bytes, size, add_entry, self, error);
}

/* What could not be examined does not fail the listing; it is told beside it. */
static gboolean
add_errors (GListStore *list, const json_t *result, GError **error)
{
  const json_t *errors;
  GVariant *variant;

  if (!asb_guest_json_get_array (result, "errors", MAX_ERRORS, &errors, error))
    return FALSE;
  variant = asb_wire_variant_from_json (errors, error);
  if (!variant)
    return FALSE;
  g_object_set_data_full (G_OBJECT (list), "asb-errors", g_variant_ref_sink (variant),
                          (GDestroyNotify)g_variant_unref);
  return TRUE;
}

static gboolean
check_result (Listing *self, const json_t *result, GError **error)
{
  gint64 count;
  gint64 error_count;

  if (!asb_guest_json_get_integer (result, "count", 0, ASB_WIRE_MAX_INTEGER, &count, error)
      || !asb_guest_json_get_integer (result, "error_count", 0, ASB_WIRE_MAX_INTEGER, &error_count,
                                      error))
    return FALSE;
  if (asb_guest_lines_is_whole (&self->lines) && count == self->entries->len)
    return TRUE;
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                       "“count” is not how many entries came");
  return FALSE;
}

static gboolean
listing_result (AsbGuestCall *call, gpointer data, const json_t *result, GError **error)
{
  Listing *self = data;
  g_autoptr (GListStore) list = g_list_store_new (ASB_TYPE_FILE_INFO);

  if (!check_result (self, result, error) || !add_errors (list, result, error))
    return FALSE;
  g_list_store_splice (list, 0, 0, self->entries->pdata, self->entries->len);
  asb_task_return_object (self->task, g_steal_pointer (&list));
  return TRUE;
}

static void
listing_failed (AsbGuestCall *call, gpointer data, const GError *error)
{
  Listing *self = data;

  g_task_return_error (self->task, g_error_copy (error));
}

static void
listing_free (gpointer data)
{
  Listing *self = data;

  g_object_unref (self->task);
  g_ptr_array_unref (self->entries);
  asb_guest_lines_clear (&self->lines);
  g_free (self->path);
  g_free (self);
}

static const AsbGuestCallKind listing_kind = {
  .received = listing_received,
  .result = listing_result,
  .failed = listing_failed,
  .free = listing_free,
};

void
asb_guest_list_files (AsbTransport *transport, AsbFileRequest *request, GTask *task)
{
  GError *error = NULL;
  json_t *arguments = asb_guest_file_list_arguments (request, &error);
  Listing *self;

  if (!arguments)
    {
      asb_guest_transport_submit (transport, NULL, task, error);
      return;
    }
  self = g_new0 (Listing, 1);
  self->task = g_object_ref (task);
  self->entries = g_ptr_array_new_with_free_func (g_object_unref);
  asb_guest_lines_init (&self->lines);
  self->path = g_strdup (asb_file_request_get_path (request));
  submit (transport, "file.list", arguments, request, &listing_kind, self, task);
}
