/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-mock-script.h"

#include "asb-mock-variant.h"

#include <string.h>

#define PLAIN_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=:,./@%"

static const char *const script_keys[]
    = { "stdout", "stderr", "exit-code", "signal", "delay-ms", "hold", NULL };

void
asb_mock_script_free (AsbMockScript *self)
{
  g_clear_pointer (&self->stdout_bytes, g_bytes_unref);
  g_clear_pointer (&self->stderr_bytes, g_bytes_unref);
  g_free (self);
}

static AsbMockScript *
new_script (void)
{
  AsbMockScript *self = g_new0 (AsbMockScript, 1);

  self->stdout_bytes = g_bytes_new_static ("", 0);
  self->stderr_bytes = g_bytes_new_static ("", 0);
  return self;
}

AsbMockScript *
asb_mock_script_parse (GVariant *source, GError **error)
{
  g_autoptr (GVariant) dict = g_variant_ref_sink (source);
  g_autoptr (AsbMockScript) self = new_script ();
  gint64 exit_code = 0, term_signal = 0, delay_ms = 0;

  if (!asb_mock_variant_check_keys (dict, script_keys, error)
      || !asb_mock_variant_get_bytes (dict, "stdout", &self->stdout_bytes, error)
      || !asb_mock_variant_get_bytes (dict, "stderr", &self->stderr_bytes, error)
      || !asb_mock_variant_get_integer (dict, "exit-code", 0, 255, &exit_code, error)
      || !asb_mock_variant_get_integer (dict, "signal", 0, 64, &term_signal, error)
      || !asb_mock_variant_get_integer (dict, "delay-ms", 0, G_MAXINT, &delay_ms, error)
      || !asb_mock_variant_get_boolean (dict, "hold", &self->hold, error))
    {
      g_prefix_error (error, "Could not set the result of a command: ");
      return NULL;
    }
  self->exit_code = (int)exit_code;
  self->term_signal = (int)term_signal;
  self->delay_ms = (guint)delay_ms;
  return g_steal_pointer (&self);
}

AsbMockScript *
asb_mock_script_copy (const AsbMockScript *self)
{
  AsbMockScript *copy = g_memdup2 (self, sizeof *self);

  g_bytes_ref (copy->stdout_bytes);
  g_bytes_ref (copy->stderr_bytes);
  return copy;
}

/* Takes @text. */
static AsbMockScript *
new_printing (char *text)
{
  AsbMockScript *self = new_script ();

  g_bytes_unref (self->stdout_bytes);
  self->stdout_bytes = g_bytes_new_take (text, strlen (text));
  return self;
}

AsbMockScript *
asb_mock_script_new_default (const char *text, const char *cwd)
{
  AsbMockScript *self;

  if (g_str_equal (text, "pwd"))
    return new_printing (g_strconcat (cwd, "\n", NULL));
  if (g_str_has_prefix (text, "echo "))
    return new_printing (g_strconcat (text + strlen ("echo "), "\n", NULL));
  self = new_script ();
  self->exit_code = g_str_equal (text, "false") ? 1 : 0;
  self->copies = g_str_equal (text, "cat");
  return self;
}

char *
asb_mock_command_text (AsbCommandSpec *spec)
{
  const char *const *argv = asb_command_spec_get_argv (spec);
  GString *text;

  if (!argv)
    return g_strdup (asb_command_spec_get_shell (spec));
  text = g_string_new (NULL);
  for (gsize i = 0; argv[i]; i++)
    {
      g_autofree char *quoted = g_shell_quote (argv[i]);
      gboolean is_plain = argv[i][0] != '\0' && argv[i][strspn (argv[i], PLAIN_CHARACTERS)] == '\0';

      g_string_append_printf (text, "%s%s", i > 0 ? " " : "", is_plain ? argv[i] : quoted);
    }
  return g_string_free (text, FALSE);
}
