/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The program that is put into sandboxes. It is read once, as long as it stays the same file. */

#pragma once

#include <gio/gio.h>

/* Any thread. @program and @hash, its SHA-256 in hexadecimal, are (transfer full). */
gboolean asb_guest_program_load (GBytes **program, char **hash, GError **error);

/* Begins to load it in a thread, for who will soon ask for it. */
void asb_guest_program_prepare (void);
