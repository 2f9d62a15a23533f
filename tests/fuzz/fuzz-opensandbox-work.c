/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What execd, and shells in a sandbox, say while one works there without the guest: of terminals,
 * jobs, code and what lies in a directory. The first byte says which it is. */

#include "fuzz.h"

#include <asb.h>

#include "asb-opensandbox-job.h"
#include "asb-opensandbox-json.h"
#include "asb-opensandbox-native-ask.h"
#include "asb-opensandbox-pty-frame.h"
#include "asb-opensandbox-tree.h"

#define MAX_MESSAGE 1024
#define MAX_WORDS 400

static void
check_error (gboolean is_well, const GError *error)
{
  FUZZ_CHECK (is_well == (error == NULL));
  if (!error)
    return;
  FUZZ_CHECK (error->domain == ASB_ERROR);
  FUZZ_CHECK (strlen (error->message) <= MAX_MESSAGE);
  FUZZ_CHECK (g_utf8_validate (error->message, -1, NULL));
}

/* A piece of the message, which can be read. */
static void
check_piece (const AsbOpensandboxPtyFrame *frame, GBytes *message)
{
  gsize size;
  const guint8 *start = g_bytes_get_data (message, &size);

  if (!frame->bytes)
    return;
  FUZZ_CHECK (frame->bytes > start && frame->bytes <= start + size);
  FUZZ_CHECK (frame->size == (gsize)(start + size - frame->bytes));
}

static void
check_frame (gboolean is_text, GBytes *message)
{
  g_auto (AsbOpensandboxPtyFrame) frame = { 0 };
  g_autoptr (GError) error = NULL;
  gboolean is_well = asb_opensandbox_pty_frame_parse (&frame, is_text, message, &error);
  gboolean is_error = is_well && frame.type == ASB_OPENSANDBOX_PTY_FRAME_ERROR;

  check_error (is_well, error);
  FUZZ_CHECK (is_text || is_well);
  FUZZ_CHECK (frame.exit_code >= -1 && frame.exit_code <= 255);
  FUZZ_CHECK (frame.offset == 0 || frame.type == ASB_OPENSANDBOX_PTY_FRAME_REPLAY);
  FUZZ_CHECK (is_error == (frame.words != NULL));
  FUZZ_CHECK (!is_text || !frame.bytes);
  check_piece (&frame, message);
  if (!is_error)
    return;
  FUZZ_CHECK (strlen (frame.words) <= MAX_WORDS && g_utf8_validate (frame.words, -1, NULL));
  for (const char *at = frame.words; *at; at = g_utf8_next_char (at))
    FUZZ_CHECK (!g_unichar_iscntrl (g_utf8_get_char (at)));
}

static void
check_session (GBytes *body)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *id = asb_opensandbox_pty_frame_parse_session (body, &error);

  check_error (id != NULL, error);
  FUZZ_CHECK (!id || (*id && !strpbrk (id, "/?#%.&= \r\n")));
}

/* Ten lines of a shell, and behind them what execd says of the command. */
static void
check_job (char **lines)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) status_error = NULL;
  g_autoptr (AsbOpensandboxJob) job = asb_opensandbox_job_parse (lines, &error);
  g_autofree char *rest = NULL;
  g_autoptr (GBytes) body = NULL;
  g_autoptr (JsonObject) status = NULL;
  g_autoptr (GVariant) told = NULL;
  gboolean is_well;

  check_error (job != NULL, error);
  if (!job)
    return;
  FUZZ_CHECK (job->pid > 0 && *job->command_id && *job->token);
  FUZZ_CHECK (g_utf8_validate (job->command, -1, NULL));
  rest = g_strjoinv ("\n", lines + ASB_OPENSANDBOX_JOB_LINES);
  body = g_bytes_new (rest, strlen (rest));
  status = asb_opensandbox_json_parse_object (body, "the status of a job", NULL);
  is_well = asb_opensandbox_job_take_status (job, status, &status_error);
  check_error (is_well, status_error);
  if (!is_well)
    return;
  told = g_variant_ref_sink (asb_opensandbox_job_to_variant (job));
  FUZZ_CHECK (g_variant_is_of_type (told, G_VARIANT_TYPE_VARDICT));
  FUZZ_CHECK (g_variant_is_normal_form (told));
}

static void
check_tree (char **lines)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxTree) tree = asb_opensandbox_tree_parse ("/x", lines, &error);

  check_error (tree != NULL, error);
  for (guint i = 0; tree && i < tree->entries->len; i++)
    FUZZ_CHECK (g_str_has_prefix (asb_file_info_get_path (tree->entries->pdata[i]), "/x"));
  for (guint i = 0; tree && i < tree->errors->len; i++)
    FUZZ_CHECK (g_utf8_validate (tree->errors->pdata[i], -1, NULL));
}

static void
check_code (GBytes *body)
{
  g_autoptr (GError) error = NULL;
  GVariant *variant = asb_opensandbox_native_ask_parse (body, &error);

  check_error (variant != NULL, error);
  if (!variant)
    return;
  g_variant_take_ref (variant);
  FUZZ_CHECK (g_variant_is_of_type (variant, G_VARIANT_TYPE_VARDICT));
  g_variant_unref (variant);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput input = { data, data + size };
  uint8_t choice = fuzz_take_byte (&input) % 6;
  g_autoptr (GBytes) body = g_bytes_new_static (input.at, fuzz_left (&input));
  g_autofree char *text = g_strndup ((const char *)input.at, fuzz_left (&input));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  if (choice <= 1)
    check_frame (choice == 1, body);
  else if (choice == 2)
    check_session (body);
  else if (choice == 3)
    check_job (lines);
  else if (choice == 4)
    check_tree (lines);
  else
    check_code (body);
  return 0;
}
