/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Making a sandbox. The request is sent once. Where its answer is lost, the sandbox is looked for
 * by its instance id; what cannot be gone on with is deleted. */

#pragma once

#include "asb-opensandbox-call.h"

/* The caller's thread: answers @task, here or later. */
void asb_opensandbox_create (AsbOpensandboxLifecycle *lifecycle, AsbSandboxSpec *spec, GTask *task);
