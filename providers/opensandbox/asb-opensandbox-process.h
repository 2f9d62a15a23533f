/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The AsbProcess over a command. */

#pragma once

#include "asb-opensandbox-command.h"

#define ASB_TYPE_OPENSANDBOX_PROCESS (asb_opensandbox_process_get_type ())
G_DECLARE_FINAL_TYPE (AsbOpensandboxProcess, asb_opensandbox_process, ASB, OPENSANDBOX_PROCESS,
                      GObject)

/* @owner, the transport, lives as long as the process and its streams. */
AsbOpensandboxProcess *asb_opensandbox_process_new (AsbOpensandboxCommand *command, GObject *owner);
