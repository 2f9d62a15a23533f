/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Closing what nobody waits for. */

#pragma once

/* Closes @fd in another thread. The last one to close a removed directory frees its blocks, and
 * where the file system tells the disk of each at once, that takes milliseconds. */
void asb_local_close_later (int fd);
