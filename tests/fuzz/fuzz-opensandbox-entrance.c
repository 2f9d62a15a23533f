/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The way into a sandbox whose shells, execd and other ends of WebSockets say anything: there is a
 * stream, and what comes by it was sent and ends when that was said, or an error. The first byte
 * says what is tried; then come the answers (scripted-server.h). */

#include "fuzz.h"

#include <gio/gio.h>

#include "look.h"
#include "scripted-server.h"

#define GUEST "/.agent-history/bin/asb-guest-0123456789abcdef"
#define MAX_READ (1024 * 1024)

/* What has been found out of a sandbox is remembered: each time there is another one. */
static const char *
choose_sandbox (void)
{
  static char id[32];
  static guint number;

  g_snprintf (id, sizeof id, "sb-%u", number++);
  return id;
}

static GBytes *
new_program (void)
{
  static const char program[] = "\177ELF, but not really";

  return g_bytes_new_static (program, sizeof program);
}

static AsbStreamSpec *
new_spec (void)
{
  static const char *const argv[] = { GUEST, "connect", NULL };
  AsbStreamSpec *spec = asb_stream_spec_new ();
  g_autoptr (GBytes) program = new_program ();

  asb_stream_spec_set_argv (spec, argv);
  asb_stream_spec_set_program (spec, program);
  asb_stream_spec_set_token (spec, "0123456789abcdef0123456789abcdef");
  return spec;
}

/* Of a program that does not talk: what comes, up to its end. */
static void
talk (GIOStream *stream)
{
  GInputStream *input = g_io_stream_get_input_stream (stream);
  char buffer[4096];
  guint64 total = 0;
  gssize n = 1;
  ScriptedNews news;
  g_autoptr (GError) error = NULL;

  g_output_stream_write_all (g_io_stream_get_output_stream (stream), "hello", 5, NULL, NULL, NULL);
  while (n > 0 && total < MAX_READ)
    {
      n = g_input_stream_read (input, buffer, sizeof buffer, NULL, &error);
      total += n > 0 ? (guint64)n : 0;
    }
  FUZZ_CHECK ((n < 0) == (error != NULL));
  scripted_server_check_error (error);
  scripted_server_get_news (&news);
  FUZZ_CHECK (total <= news.n_bytes);
  FUZZ_CHECK (n != 0 || news.had_close || news.was_odd);
  g_io_stream_close (stream, NULL, NULL);
}

static gboolean
open_by (const char *way, const char *sandbox_id, GError **error)
{
  g_autoptr (AsbStreamSpec) spec = new_spec ();
  g_autoptr (GIOStream) stream = asb_provider_open_stream (scripted_server_get_provider (way),
                                                           sandbox_id, spec, NULL, error);

  if (!stream)
    return FALSE;
  FUZZ_CHECK (asb_stream_spec_get_way (spec) != NULL);
  talk (stream);
  return TRUE;
}

static gboolean
open_guest (GError **error)
{
  return open_by ("guest", choose_sandbox (), error);
}

static gboolean
open_any (GError **error)
{
  return open_by ("auto", choose_sandbox (), error);
}

static gboolean
open_websocket (GError **error)
{
  return open_by ("websocket", choose_sandbox (), error);
}

static gboolean
open_pty (GError **error)
{
  return open_by ("pty", choose_sandbox (), error);
}

/* The door is known the second time. */
static gboolean
open_twice (GError **error)
{
  const char *sandbox_id = choose_sandbox ();
  g_autoptr (GError) first = NULL;

  open_by ("auto", sandbox_id, &first);
  scripted_server_check_error (first);
  return open_by ("auto", sandbox_id, error);
}

static gboolean
put (GError **error)
{
  g_autoptr (GBytes) program = new_program ();
  AsbProvider *provider = scripted_server_get_provider ("auto");
  gboolean is_done
      = asb_provider_put_file (provider, choose_sandbox (), GUEST, program, 0755, NULL, error);
  ScriptedNews news;

  scripted_server_get_news (&news);
  FUZZ_CHECK (!is_done || news.was_last_run || news.was_odd);
  return is_done;
}

static gboolean
open_native (GError **error)
{
  AsbProvider *provider = scripted_server_get_provider ("native");
  g_autoptr (AsbTransport) transport
      = asb_provider_open_transport (provider, choose_sandbox (), NULL, error);
  g_autoptr (AsbCapabilities) capabilities = NULL;

  if (!transport)
    return FALSE;
  capabilities = asb_transport_get_capabilities (transport);
  FUZZ_CHECK (capabilities != NULL);
  asb_transport_close (transport, NULL, NULL);
  return TRUE;
}

static gboolean
create (GError **error)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  AsbProvider *provider = scripted_server_get_provider ("auto");
  g_autoptr (AsbSandboxInfo) info = asb_provider_create_sandbox (provider, spec, NULL, error);

  if (!info)
    return FALSE;
  fuzz_look_at (info);
  return TRUE;
}

static gboolean (*const calls[]) (GError **error)
    = { open_guest, open_any, open_websocket, open_pty, open_twice, put, open_native, create };

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput input = { data, data + size };
  uint8_t choice = fuzz_take_byte (&input) % G_N_ELEMENTS (calls);
  g_autoptr (GError) error = NULL;
  gboolean is_done;

  scripted_server_get_provider ("auto");
  scripted_server_begin (&input);
  is_done = calls[choice](&error);
  FUZZ_CHECK (is_done == (error == NULL));
  scripted_server_check_error (error);
  scripted_server_end ();
  return 0;
}
