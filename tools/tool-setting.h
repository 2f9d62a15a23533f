/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* NAME=VALUE, as options for a provider. */

#pragma once

#include <gio/gio.h>

/* @option: what it was given with, for the error. */
gboolean tool_setting_add (GVariantDict *settings, const char *option, const char *text,
                           GError **error);
