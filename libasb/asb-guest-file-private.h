/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files as a guest tells of them, and as it is asked for them. */

#pragma once

#include "asb-file-info.h"
#include "asb-file-request.h"

#include <jansson.h>

/* Where the name that the entry has is to be the last part of its path. */
typedef enum
{
  ASB_GUEST_ENTRY_ALONE,
  ASB_GUEST_ENTRY_OF_LIST
} AsbGuestEntryPlace;

/* @result (nullable): the object with “hash” and “previous_hash”. NULL with @error set when the
 * guest makes no sense. */
AsbFileInfo *asb_guest_file_info_new (const json_t *entry, AsbGuestEntryPlace place,
                                      const json_t *result, GError **error);

/* The arguments of the call; NULL with @error set when the request cannot be sent. */
json_t *asb_guest_file_stat_arguments (AsbFileRequest *request, GError **error);
json_t *asb_guest_file_attributes_arguments (AsbFileRequest *request, GError **error);
json_t *asb_guest_file_lines_arguments (AsbFileRequest *request, GError **error);
json_t *asb_guest_file_list_arguments (AsbFileRequest *request, GError **error);
json_t *asb_guest_file_read_arguments (AsbFileRequest *request, GError **error);
json_t *asb_guest_file_write_arguments (AsbFileRequest *request, GError **error);
json_t *asb_guest_file_mkdir_arguments (AsbFileRequest *request, GError **error);
json_t *asb_guest_file_delete_arguments (AsbFileRequest *request, GError **error);
json_t *asb_guest_file_move_arguments (AsbFileRequest *request, GError **error);
