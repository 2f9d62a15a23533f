/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "asb-backend.h"
#include "asb-job.h"

#include <jansson.h>

/* What a transport says of a job, the status of docs/guest-protocol.md §4.5. NULL with
 * %ASB_ERROR_PROTOCOL when that makes no sense. */
AsbJob *asb_job_new_from_json (AsbBackend *backend, const json_t *status, GError **error);
AsbJob *asb_job_new_from_variant (AsbBackend *backend, GVariant *status, GError **error);

/* One that has just begun: @record_error (nullable) says why that was not recorded. */
AsbJob *asb_job_new_started (AsbBackend *backend, GVariant *status, const char *record_error,
                             GError **error);

/* For the two functions above: what its methods need. */
void asb_job_set_backend (AsbJob *self, AsbBackend *backend);
AsbBackend *asb_job_get_backend (AsbJob *self);
