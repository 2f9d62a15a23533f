/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a server is asked for with a new sandbox, beyond where that shall be. */

#pragma once

#include "tool-command.h"
#include "tool-egress.h"

typedef struct
{
  GPtrArray *metadata;
  GPtrArray *allowed;
  GPtrArray *denied;
  const char *rest;
  GPtrArray *volumes;
  GPtrArray *extensions;
  gboolean secure_access;
  const char *registry_login;
  GPtrArray *options;
  const char *file;
} ToolCreation;

/* The options, for a list of them. */
/* clang-format off */
#define TOOL_CREATION_OPTIONS(values)                                                             \
  { "metadata", '\0', TOOL_OPTION_TEXTS, &(values).metadata, "NAME=VALUE",                        \
    "labels the sandbox, so that asb list --metadata finds it",                                   \
    TOOL_COMPLETE_NOTHING, TOOL_GROUP_SANDBOX },                                                  \
  { "egress-allow", '\0', TOOL_OPTION_TEXTS, &(values).allowed, "TARGET",                         \
    "lets the sandbox reach this and, if nothing else is said, nothing but that: a "              \
    "name such as example.org, *.example.org, an address or a range; asb egress "                 \
    "changes it later",                                                                           \
    TOOL_COMPLETE_NOTHING, TOOL_GROUP_SANDBOX },                                                  \
  { "egress-deny", '\0', TOOL_OPTION_TEXTS, &(values).denied, "TARGET",                           \
    "keeps the sandbox from reaching this, even where --egress-allow speaks of it too",           \
    TOOL_COMPLETE_NOTHING, TOOL_GROUP_SANDBOX },                                                  \
  { "egress-rest", '\0', TOOL_OPTION_TEXT, &(values).rest, "ACTION",                              \
    "allow or deny: what holds for everything else; deny if any of these is given",               \
    TOOL_COMPLETE_NOTHING, TOOL_GROUP_SANDBOX,                                                    \
    tool_egress_actions },                                                                        \
  { "volume", '\0', TOOL_OPTION_TEXTS, &(values).volumes, "KIND:SOURCE:TARGET[:ro]",              \
    "mounts a volume of the server: pvc:NAME:/data, or host:/srv/data:/data for a "               \
    "folder of the server's machine; others with --create-file",                                  \
    TOOL_COMPLETE_NOTHING, TOOL_GROUP_SANDBOX },                                                  \
  { "extension", '\0', TOOL_OPTION_TEXTS, &(values).extensions, "NAME=VALUE",                     \
    "sets an extension of the server, such as poolRef=NAME",                                      \
    TOOL_COMPLETE_NOTHING, TOOL_GROUP_SANDBOX },                                                  \
  { "secure-access", '\0', TOOL_OPTION_FLAG, &(values).secure_access, NULL,                       \
    "lets nobody reach the sandbox without a key, which asb endpoint --json tells",               \
    TOOL_COMPLETE_NOTHING, TOOL_GROUP_SANDBOX },                                                  \
  { "registry-login", '\0', TOOL_OPTION_BYTES, &(values).registry_login, "FILE",                  \
    "takes the login for the image's registry from the first line of FILE, "                      \
    "NAME:PASSWORD",                                                                              \
    TOOL_COMPLETE_FILE, TOOL_GROUP_SANDBOX },                                                     \
  { "create-option", '\0', TOOL_OPTION_TEXTS, &(values).options, "NAME=VALUE",                    \
    "sets what only this provider takes for a new sandbox, as its documentation names "           \
    "it; VALUE is JSON or text: template_id=T, credential_proxy=true",                            \
    TOOL_COMPLETE_NOTHING, TOOL_GROUP_SANDBOX },                                                  \
  { "create-file", '\0', TOOL_OPTION_BYTES, &(values).file, "FILE",                               \
    "takes such options from the members of a JSON object in FILE, which may hold "               \
    "secrets",                                                                                    \
    TOOL_COMPLETE_FILE, TOOL_GROUP_SANDBOX }
/* clang-format on */

/* Puts what was given in @options. */
gboolean tool_creation_apply (const ToolCreation *self, AsbBackendOptions *options, GError **error);
