/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is uploaded before a backend is handed out. */

#pragma once

#include "asb-backend.h"

/* Uploads one after the other, and answers @task with @backend; when one fails, with its error, the
 * backend closed and a sandbox that was made for it deleted. Takes both. */
void asb_create_uploads (AsbBackend *backend, AsbBackendOptions *options, GTask *task);
