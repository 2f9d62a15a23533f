/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where a new sandbox shall be: with which provider, how that is set, of what image. */

#pragma once

#include "tool-command.h"
#include "tool.h"

typedef struct
{
  const char *provider;
  const char *image;
  const char *snapshot;
  const char *platform;
  GPtrArray *entrypoint;
  GPtrArray *resources;
  const char *network;
  GPtrArray *settings;
} ToolPlace;

/* The options, for a list of them. */
#define TOOL_PLACE_OPTIONS(values)                                                                 \
  { "provider",                                                                                    \
    '\0',                                                                                          \
    TOOL_OPTION_TEXT,                                                                              \
    &(values).provider,                                                                            \
    "NAME",                                                                                        \
    "makes the sandbox with this provider, see asb modules; if not given, opensandbox with "       \
    "--server, else local",                                                                        \
    TOOL_COMPLETE_PROVIDER,                                                                        \
    TOOL_GROUP_SANDBOX },                                                                          \
      { "image",                                                                                   \
        '\0',                                                                                      \
        TOOL_OPTION_TEXT,                                                                          \
        &(values).image,                                                                           \
        "IMAGE",                                                                                   \
        "makes the sandbox of this image, where the provider has images",                          \
        TOOL_COMPLETE_NOTHING,                                                                     \
        TOOL_GROUP_SANDBOX },                                                                      \
      { "snapshot",                                                                                \
        '\0',                                                                                      \
        TOOL_OPTION_TEXT,                                                                          \
        &(values).snapshot,                                                                        \
        "SNAPSHOT",                                                                                \
        "makes the sandbox of a snapshot instead of an image, see asb snapshot",                   \
        TOOL_COMPLETE_SNAPSHOT,                                                                    \
        TOOL_GROUP_SANDBOX },                                                                      \
      { "platform",                                                                                \
        '\0',                                                                                      \
        TOOL_OPTION_TEXT,                                                                          \
        &(values).platform,                                                                        \
        "OS/ARCH",                                                                                 \
        "makes the sandbox for this system and processor, for example linux/amd64",                \
        TOOL_COMPLETE_NOTHING,                                                                     \
        TOOL_GROUP_SANDBOX },                                                                      \
      { "entrypoint",                                                                              \
        '\0',                                                                                      \
        TOOL_OPTION_TEXTS,                                                                         \
        &(values).entrypoint,                                                                      \
        "WORD",                                                                                    \
        "runs this as the first program of the sandbox, given once for each word; the sandbox "    \
        "ends with it",                                                                            \
        TOOL_COMPLETE_NOTHING,                                                                     \
        TOOL_GROUP_SANDBOX },                                                                      \
      { "resource",                                                                                \
        '\0',                                                                                      \
        TOOL_OPTION_TEXTS,                                                                         \
        &(values).resources,                                                                       \
        "NAME=AMOUNT",                                                                             \
        "gives the sandbox so much of the server's machine: cpu=1, cpu=500m, memory=2Gi",          \
        TOOL_COMPLETE_NOTHING,                                                                     \
        TOOL_GROUP_SANDBOX },                                                                      \
      { "network",                                                                                 \
        '\0',                                                                                      \
        TOOL_OPTION_TEXT,                                                                          \
        &(values).network,                                                                         \
        "NETWORK",                                                                                 \
        "none, or host: the network of this machine, with all its services on loopback, which is " \
        "weaker; none if not given",                                                               \
        TOOL_COMPLETE_NETWORK,                                                                     \
        TOOL_GROUP_SANDBOX },                                                                      \
  {                                                                                                \
    "set", '\0', TOOL_OPTION_TEXTS, &(values).settings, "NAME=VALUE",                              \
        "sets an option of the provider, as its documentation names it", TOOL_COMPLETE_NOTHING,    \
        TOOL_GROUP_SANDBOX                                                                         \
  }

/* Makes the provider and puts it, and the image, in @options. */
gboolean tool_place_apply (const ToolPlace *self, Tool *tool, AsbBackendOptions *options,
                           GError **error);
