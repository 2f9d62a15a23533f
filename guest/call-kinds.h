/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The calls there are, by name. */

#pragma once

#include "call.h"

/* A kind without a start function when there is no such call, also for a @name of NULL. With
 * @record_only all is unknown that does more than read the record. */
const CallKind *call_kind_find (const char *name, bool record_only);

extern const CallKind COMMAND_KINDS[];
extern const CallKind FILE_KINDS[];
extern const CallKind HISTORY_KINDS[];
extern const CallKind GUEST_KINDS[];
extern const CallKind JOB_KINDS[];
extern const CallKind JOB_START_KINDS[];
extern const CallKind DOOR_KINDS[];
extern const CallKind EXPIRY_KINDS[];
