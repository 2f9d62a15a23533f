/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The fault switchboard: which answers are spoilt, and how. */

#pragma once

#include "lookalike-request.h"

G_BEGIN_DECLS

LookalikeFaults *lookalike_faults_new (void);
void lookalike_faults_free (LookalikeFaults *self);

/* From a file with a fault, or with a list of them. */
gboolean lookalike_faults_load (LookalikeFaults *self, const char *path, GError **error);

/* TRUE: the request was taken over and its handler must not run (now). */
gboolean lookalike_faults_apply (LookalikeFaults *self, LookalikeRequest *request, gboolean early);
gboolean lookalike_faults_has_early (LookalikeFaults *self);

/* POST, GET and DELETE /_faults */
void lookalike_faults_handle (LookalikeRequest *request);

G_END_DECLS
