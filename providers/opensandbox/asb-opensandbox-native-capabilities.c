/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-native.h"

#define SOURCE "execd"

typedef struct
{
  const char *name;
  AsbCapabilitySupport support;
  const char *reason;
} Ability;

static const Ability ABILITIES[] = {
  { ASB_CAPABILITY_FILESYSTEM, ASB_CAPABILITY_SUPPORT_NATIVE, NULL },
  { ASB_CAPABILITY_BINARY_FILES, ASB_CAPABILITY_SUPPORT_NATIVE, NULL },
  { ASB_CAPABILITY_ATOMIC_RENAME, ASB_CAPABILITY_SUPPORT_EMULATED,
    "a file is uploaded aside and moved into place by a shell; nothing is synced to the disk" },
  { ASB_CAPABILITY_FILE_HASH, ASB_CAPABILITY_SUPPORT_EMULATED,
    "compared by a shell just before the move: another writer may come between" },
  { ASB_CAPABILITY_FILE_EDIT, ASB_CAPABILITY_SUPPORT_EMULATED,
    "the file is read and written here, if it has not changed meanwhile" },
  { ASB_CAPABILITY_LINE_WINDOWS, ASB_CAPABILITY_SUPPORT_EMULATED,
    "the file is read up to the end of the window" },
  { ASB_CAPABILITY_FILE_SEARCH, ASB_CAPABILITY_SUPPORT_EMULATED,
    "a shell tells of the whole tree, which is looked through here" },
  { ASB_CAPABILITY_TEXT_SEARCH, ASB_CAPABILITY_SUPPORT_EMULATED,
    "files of up to 64 MiB are fetched and searched here" },
  { ASB_CAPABILITY_ARCHIVES, ASB_CAPABILITY_SUPPORT_EMULATED,
    "looked at here, uploaded as files and moved into place by a shell: times are whole seconds, "
    "holes are filled, and nothing is synced to the disk" },
  { ASB_CAPABILITY_BULK_UPLOAD, ASB_CAPABILITY_SUPPORT_NATIVE, NULL },
  { ASB_CAPABILITY_FILE_ATTRIBUTES, ASB_CAPABILITY_SUPPORT_NATIVE, NULL },
  { ASB_CAPABILITY_COMMAND_EXECUTION, ASB_CAPABILITY_SUPPORT_NATIVE, NULL },
  { ASB_CAPABILITY_STREAMING_OUTPUT, ASB_CAPABILITY_SUPPORT_NATIVE, NULL },
  { ASB_CAPABILITY_EXACT_OUTPUT, ASB_CAPABILITY_SUPPORT_EMULATED,
    "execd sends lines of text; where it is asked for, output goes through files and comes when "
    "the command has ended" },
  { ASB_CAPABILITY_BACKGROUND_JOBS, ASB_CAPABILITY_SUPPORT_NATIVE, NULL },
};

/* What only the guest can do. */
static const char *const OF_THE_GUEST[]
    = { ASB_CAPABILITY_SANDBOX_HISTORY, ASB_CAPABILITY_HISTORY_WAIT, ASB_CAPABILITY_FILE_WATCH };

static const char *const WITH_TERMINALS[]
    = { ASB_CAPABILITY_COMMAND_STDIN, ASB_CAPABILITY_COMMAND_TERMINAL };

AsbCapabilities *
asb_opensandbox_native_list_capabilities (gboolean has_terminals, const char *no_guest)
{
  AsbCapabilities *capabilities = asb_capabilities_new ();
  g_autofree char *reason = g_strdup_printf ("the guest does not run here%s%s",
                                             no_guest ? ": " : "", no_guest ? no_guest : "");

  for (gsize i = 0; i < G_N_ELEMENTS (OF_THE_GUEST); i++)
    asb_capabilities_add (capabilities, OF_THE_GUEST[i], ASB_CAPABILITY_SUPPORT_UNAVAILABLE, SOURCE,
                          reason);
  for (gsize i = 0; i < G_N_ELEMENTS (ABILITIES); i++)
    asb_capabilities_add (capabilities, ABILITIES[i].name, ABILITIES[i].support, SOURCE,
                          ABILITIES[i].reason);
  for (gsize i = 0; i < G_N_ELEMENTS (WITH_TERMINALS); i++)
    asb_capabilities_add (capabilities, WITH_TERMINALS[i],
                          has_terminals ? ASB_CAPABILITY_SUPPORT_NATIVE
                                        : ASB_CAPABILITY_SUPPORT_UNAVAILABLE,
                          SOURCE, has_terminals ? NULL : ASB_OPENSANDBOX_NO_TERMINALS);
  return capabilities;
}
