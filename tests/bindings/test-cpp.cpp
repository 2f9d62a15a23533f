/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The header can be included from C++, and what it declares can be linked with. */

#include <asb.h>

static void
test_header (void)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("true");
  g_autoptr (AsbPipe) pipe = asb_pipe_new (1);

  g_assert_cmpstr (asb_command_spec_get_shell (spec), ==, "true");
  g_assert_true (asb_pipe_check (pipe, ASB_PIPE_CONDITION_WRITABLE));
  g_assert_cmpstr (asb_error_code_to_string (ASB_ERROR_CLOSED), ==, "closed");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpp/header", test_header);
  return g_test_run ();
}
