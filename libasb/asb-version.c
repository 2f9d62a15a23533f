/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-version.h"

/**
 * asb_get_version:
 *
 * Gets the version of the library that is running, which may be newer than the headers a program
 * was built with.
 *
 * Returns: (transfer none): the version, for example `1.0.0`
 *
 * Since: 1.0
 */
const char *
asb_get_version (void)
{
  return ASB_VERSION;
}
