/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Archives as a guest is asked for them, and as it tells what became of them. */

#pragma once

#include "asb-archive-options.h"
#include "asb-archive-result.h"

#include <jansson.h>

typedef enum
{
  ASB_GUEST_ARCHIVE_PACKED,
  ASB_GUEST_ARCHIVE_UNPACKED
} AsbGuestArchiveKind;

/* The arguments of the call; NULL with @error set when the options cannot be sent. */
json_t *asb_guest_archive_arguments (AsbArchiveOptions *options, AsbGuestArchiveKind kind,
                                     GError **error);

/* NULL with @error set when the guest makes no sense. */
AsbArchiveResult *asb_guest_archive_result_new (const json_t *result, AsbGuestArchiveKind kind,
                                                GError **error);
