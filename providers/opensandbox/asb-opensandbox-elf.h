/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For which processor a program is. */

#pragma once

#include <gio/gio.h>

/* FALSE with ASB_ERROR_GUEST_UNAVAILABLE when @program is for another one than @architecture, the
 * answer of “uname -m”. What is no program, or is not known (NULL), is let pass. */
gboolean asb_opensandbox_elf_check (GBytes *program, const char *architecture, GError **error);
