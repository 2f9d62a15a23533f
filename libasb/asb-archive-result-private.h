/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "asb-archive-result.h"

/* The object data of a stream, once that has been packed or unpacked as a whole. */
#define ASB_ARCHIVE_RESULT_KEY "asb-archive-result"
