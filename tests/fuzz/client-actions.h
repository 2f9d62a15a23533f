/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What an application does with a transport while the guest misbehaves. Each thing it asks for is
 * answered once, with a result or with an error of the library or of GIO. */

#pragma once

#include <asb.h>

#define N_ACTION_KINDS 12

typedef struct
{
  AsbTransport *transport;
  guint n_pending; /* answers that are waited for */
  GPtrArray *cancellables;
  GPtrArray *processes;
  GPtrArray *inputs;
  GPtrArray *outputs;
} Application;

void application_init (Application *self);
/* Lets go of everything. */
void application_clear (Application *self);

/* @bytes are what it writes where it writes something. */
void application_start (Application *self, guint kind, guint flags, GBytes *bytes);
void application_cancel (Application *self, guint number);
void application_read (Application *self, guint number, gsize size);
void application_write (Application *self, guint number, GBytes *bytes);
void application_close_input (Application *self, guint number);
void application_close_output (Application *self, guint number);
void application_drop (Application *self, guint number);
void application_use_process (Application *self, guint number, guint use);
