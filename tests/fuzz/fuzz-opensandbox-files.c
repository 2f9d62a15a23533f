/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files of a sandbox without the guest, whose shells and whose execd say anything: each call comes
 * to an end, with what can be looked at or an error, and nothing that was cut is taken for whole.
 * The first byte says which call it is; then come the answers (scripted-server.h). */

#include "fuzz.h"

#include "look.h"
#include "scripted-server.h"

#define FOLDER "/d"
#define PATH "/d/f"
#define MAX_READ (1024 * 1024)

static const ScriptedNews *
get_news (void)
{
  static ScriptedNews news;

  scripted_server_get_news (&news);
  return &news;
}

/* Of a call that is one script. */
static void
check_script (void)
{
  FUZZ_CHECK (get_news ()->was_last_run || get_news ()->was_odd);
}

/* Of one that only looks, and must know all of it. */
static void
check_look (void)
{
  check_script ();
  FUZZ_CHECK (!get_news ()->lacked_end || get_news ()->was_odd);
}

/* Of one that brings what is in files, all of it. */
static void
check_download (void)
{
  FUZZ_CHECK (get_news ()->n_cut == 0);
}

static void
check_info (AsbFileInfo *info, const char *path)
{
  if (!info)
    return;
  FUZZ_CHECK (g_strcmp0 (asb_file_info_get_path (info), path) == 0);
  fuzz_look_at (info);
}

static void
check_infos (GListModel *list)
{
  for (guint i = 0; list && i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr (GObject) item = g_list_model_get_item (list, i);

      if (ASB_IS_FILE_INFO (item))
        FUZZ_CHECK (g_str_has_prefix (asb_file_info_get_path (ASB_FILE_INFO (item)), FOLDER));
      fuzz_look_at (item);
    }
}

static AsbFileRequest *
new_request (const char *path)
{
  AsbFileRequest *request = asb_file_request_new ();

  asb_file_request_set_path (request, path);
  return request;
}

/* Single files. Each returns whether it was done. */

static gboolean
query (AsbTransport *transport, GError **error)
{
  g_autoptr (AsbFileRequest) request = new_request (PATH);
  g_autoptr (AsbFileInfo) info = asb_transport_query_file (transport, request, NULL, error);

  check_info (info, PATH);
  if (info)
    check_look ();
  return info != NULL;
}

static gboolean
query_link (AsbTransport *transport, GError **error)
{
  g_autoptr (AsbFileRequest) request = new_request (PATH);
  g_autoptr (AsbFileInfo) info = NULL;

  asb_file_request_set_flags (request, ASB_FILE_FLAGS_NOFOLLOW);
  info = asb_transport_query_file (transport, request, NULL, error);
  check_info (info, PATH);
  if (info)
    check_script ();
  return info != NULL;
}

static gboolean
list (AsbTransport *transport, GError **error)
{
  g_autoptr (AsbFileRequest) request = new_request (FOLDER);
  g_autoptr (GListModel) found = asb_transport_list_files (transport, request, NULL, error);

  check_infos (found);
  if (found)
    check_look ();
  return found != NULL;
}

static gboolean
read_whole (AsbTransport *transport, GError **error)
{
  g_autoptr (AsbFileRequest) request = new_request (PATH);
  g_autoptr (GBytes) bytes = asb_transport_read_file (transport, request, NULL, error);

  if (!bytes)
    return FALSE;
  check_download ();
  FUZZ_CHECK (g_bytes_get_size (bytes) <= get_news ()->n_bytes);
  FUZZ_CHECK (g_bytes_get_size (bytes) >= get_news ()->size);
  return TRUE;
}

/* To its end, as far as it is read. */
static gboolean
drain (GInputStream *stream, gsize *total, gboolean *is_whole, GError **error)
{
  char buffer[4096];
  gssize n = 1;

  *total = 0;
  while (n > 0 && *total < MAX_READ)
    {
      n = g_input_stream_read (stream, buffer, sizeof buffer, NULL, error);
      *total += n > 0 ? (gsize)n : 0;
    }
  *is_whole = n == 0;
  return n >= 0;
}

static gboolean
read_part (AsbTransport *transport, GError **error)
{
  g_autoptr (AsbFileRequest) request = new_request (PATH);
  g_autoptr (GInputStream) stream = NULL;
  gboolean is_whole = FALSE;
  gsize total = 0;

  asb_file_request_set_offset (request, 3);
  asb_file_request_set_length (request, 7);
  stream = asb_transport_open_read (transport, request, NULL, error);
  if (!stream || !drain (stream, &total, &is_whole, error))
    return FALSE;
  FUZZ_CHECK (total <= 7 && !get_news ()->was_shifted);
  FUZZ_CHECK (total + 3 >= MIN (get_news ()->size, 10) || get_news ()->size <= 3);
  return TRUE;
}

static gboolean
read_stream (AsbTransport *transport, GError **error)
{
  /* Its name is none that execd reads as it is. */
  g_autoptr (AsbFileRequest) request = new_request ("/d/$f");
  g_autoptr (GInputStream) stream = NULL;
  gboolean is_whole = FALSE;
  gsize total = 0;

  stream = asb_transport_open_read (transport, request, NULL, error);
  if (!stream || !drain (stream, &total, &is_whole, error))
    return FALSE;
  if (is_whole)
    check_download ();
  return TRUE;
}

static gboolean
read_lines (AsbTransport *transport, GError **error)
{
  g_autoptr (AsbFileRequest) request = new_request (PATH);
  g_autoptr (AsbLineWindow) window = NULL;

  asb_file_request_set_offset (request, 1);
  asb_file_request_set_length (request, 2);
  window = asb_transport_read_lines (transport, request, NULL, error);
  if (!window)
    return FALSE;
  FUZZ_CHECK (asb_line_window_get_n_lines (window) <= 2);
  if (asb_line_window_get_total_lines (window) >= 0)
    check_download ();
  fuzz_look_at (window);
  return TRUE;
}

static gboolean
write_with (AsbTransport *transport, const char *expected_hash, GError **error)
{
  g_autoptr (AsbFileRequest) request = new_request (PATH);
  g_autoptr (GBytes) contents = g_bytes_new_static ("hello\n", 6);
  g_autoptr (AsbFileInfo) info = NULL;

  asb_file_request_set_contents (request, contents);
  asb_file_request_set_expected_hash (request, expected_hash);
  info = asb_transport_write_file (transport, request, NULL, error);
  check_info (info, PATH);
  if (!info)
    return FALSE;
  check_script ();
  FUZZ_CHECK (asb_file_info_get_size (info) == 6);
  return TRUE;
}

static gboolean
write_file (AsbTransport *transport, GError **error)
{
  return write_with (transport, NULL, error);
}

static gboolean
write_if_unchanged (AsbTransport *transport, GError **error)
{
  return write_with (transport, "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
                     error);
}

static gboolean
edit (AsbTransport *transport, GError **error)
{
  g_autoptr (AsbFileEdit) change = asb_file_edit_new ();
  g_autoptr (AsbFileInfo) info = NULL;

  asb_file_edit_set_path (change, PATH);
  asb_file_edit_set_old_text (change, "a");
  asb_file_edit_set_new_text (change, "bc");
  asb_file_edit_set_replace_all (change, TRUE);
  info = asb_transport_edit_file (transport, change, NULL, error);
  check_info (info, PATH);
  if (!info)
    return FALSE;
  check_download ();
  check_script ();
  return TRUE;
}

static gboolean
make (AsbTransport *transport, GError **error)
{
  g_autoptr (AsbFileRequest) request = new_request (FOLDER);
  g_autoptr (GError) own_error = NULL;
  gboolean is_made = asb_transport_make_directory (transport, request, NULL, &own_error);

  FUZZ_CHECK (!is_made || !own_error);
  if (!own_error)
    check_script ();
  if (own_error)
    g_propagate_error (error, g_steal_pointer (&own_error));
  return *error == NULL;
}

static gboolean
delete_it (AsbTransport *transport, GError **error)
{
  g_autoptr (AsbFileRequest) request = new_request (PATH);
  gboolean is_done = asb_transport_delete_file (transport, request, NULL, error);

  if (is_done)
    check_script ();
  return is_done;
}

static gboolean
move (AsbTransport *transport, GError **error)
{
  g_autoptr (AsbFileRequest) request = new_request (PATH);
  gboolean is_done;

  asb_file_request_set_new_path (request, "/d/g");
  is_done = asb_transport_move_file (transport, request, NULL, error);
  if (is_done)
    check_script ();
  return is_done;
}

static gboolean
set_attributes (AsbTransport *transport, GError **error)
{
  g_autoptr (AsbFileRequest) request = new_request (PATH);
  g_autoptr (AsbFileInfo) info = NULL;

  asb_file_request_set_mode (request, 0600);
  info = asb_transport_set_attributes (transport, request, NULL, error);
  check_info (info, PATH);
  if (info)
    check_script ();
  return info != NULL;
}

/* Many files. */

static AsbFileSearch *
new_search (void)
{
  AsbFileSearch *search = asb_file_search_new ();

  asb_file_search_set_path (search, FOLDER);
  return search;
}

static gboolean
find (AsbTransport *transport, GError **error)
{
  g_autoptr (AsbFileSearch) search = new_search ();
  g_autoptr (AsbSearchResult) result = NULL;

  asb_file_search_set_pattern (search, "**");
  asb_file_search_set_max_results (search, 5);
  result = asb_transport_find_files (transport, search, NULL, error);
  if (!result)
    return FALSE;
  check_look ();
  check_infos (asb_search_result_get_items (result));
  FUZZ_CHECK (g_list_model_get_n_items (asb_search_result_get_items (result)) <= 5);
  fuzz_look_at (result);
  return TRUE;
}

static gboolean
grep (AsbTransport *transport, GError **error)
{
  g_autoptr (AsbFileSearch) search = new_search ();
  g_autoptr (AsbSearchResult) result = NULL;

  asb_file_search_set_text (search, "e");
  asb_file_search_set_context_lines (search, 1);
  asb_file_search_set_max_results (search, 5);
  result = asb_transport_search_text (transport, search, NULL, error);
  if (!result)
    return FALSE;
  check_download ();
  check_infos (asb_search_result_get_items (result));
  FUZZ_CHECK (g_list_model_get_n_items (asb_search_result_get_items (result)) <= 5);
  fuzz_look_at (result);
  return TRUE;
}

/* Archives. */

static AsbArchiveOptions *
new_archive_options (void)
{
  AsbArchiveOptions *options = asb_archive_options_new ();

  asb_archive_options_set_path (options, FOLDER);
  return options;
}

static gboolean
pack (AsbTransport *transport, GError **error)
{
  g_autoptr (AsbArchiveOptions) options = new_archive_options ();
  g_autoptr (GInputStream) stream = asb_transport_open_archive (transport, options, NULL, error);
  gboolean is_whole = FALSE;
  gsize total = 0;

  if (!stream || !drain (stream, &total, &is_whole, error))
    return FALSE;
  if (is_whole)
    check_download ();
  return TRUE;
}

/* A tar of one file “f” with “hello\n”. */
static void
make_tar (char bytes[2048])
{
  guint sum = 0;

  memset (bytes, 0, 2048);
  memcpy (bytes, "f", 1);
  memcpy (bytes + 100, "0000644", 7);
  memcpy (bytes + 124, "00000000006", 11);
  memcpy (bytes + 136, "14777777777", 11);
  memset (bytes + 148, ' ', 8);
  bytes[156] = '0';
  memcpy (bytes + 257, "ustar\00000", 8);
  for (gsize i = 0; i < 512; i++)
    sum += (guchar)bytes[i];
  g_snprintf (bytes + 148, 8, "%06o", sum);
  memcpy (bytes + 512, "hello\n", 6);
}

static gboolean
unpack (AsbTransport *transport, GError **error)
{
  g_autoptr (AsbArchiveOptions) options = new_archive_options ();
  g_autoptr (GOutputStream) stream
      = asb_transport_extract_archive (transport, options, NULL, error);
  char bytes[2048];

  make_tar (bytes);
  if (!stream || !g_output_stream_write_all (stream, bytes, sizeof bytes, NULL, NULL, error)
      || !g_output_stream_close (stream, NULL, error))
    return FALSE;
  check_script ();
  return TRUE;
}

static gboolean (*const calls[]) (AsbTransport *transport, GError **error) = {
  query,          query_link, list,
  read_whole,     read_part,  read_stream,
  read_lines,     write_file, write_if_unchanged,
  edit,           make,       delete_it,
  set_attributes, move,       find,
  grep,           pack,       unpack,
};

/* What a stream says on its way may be of GIO. */
static void
check_error (const GError *error)
{
  FUZZ_CHECK (error->domain != G_IO_ERROR || error->code != G_IO_ERROR_CANCELLED);
  scripted_server_check_error (error);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput input = { data, data + size };
  uint8_t choice = fuzz_take_byte (&input) % G_N_ELEMENTS (calls);
  g_autoptr (AsbTransport) transport = scripted_server_open_native ();
  g_autoptr (GError) error = NULL;
  gboolean is_done;

  scripted_server_begin (&input);
  is_done = calls[choice](transport, &error);
  FUZZ_CHECK (is_done == (error == NULL));
  if (error)
    check_error (error);
  asb_transport_close (transport, NULL, NULL);
  scripted_server_end ();
  return 0;
}
