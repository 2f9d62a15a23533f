/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where a new sandbox shall be: with which provider, how that is set, of what image. */

#pragma once

#include "tool-command.h"
#include "tool.h"

typedef struct
{
  const char *provider;
  const char *image;
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
    "makes the sandbox with this provider, see asb modules; local if not given",                   \
    TOOL_COMPLETE_PROVIDER },                                                                      \
      { "image",                                                                                   \
        '\0',                                                                                      \
        TOOL_OPTION_TEXT,                                                                          \
        &(values).image,                                                                           \
        "IMAGE",                                                                                   \
        "makes the sandbox of this image, where the provider has images",                          \
        TOOL_COMPLETE_NOTHING },                                                                   \
      { "network",                                                                                 \
        '\0',                                                                                      \
        TOOL_OPTION_TEXT,                                                                          \
        &(values).network,                                                                         \
        "NETWORK",                                                                                 \
        "none, or host: the network of this machine, with all its services on loopback, which is " \
        "weaker; none if not given",                                                               \
        TOOL_COMPLETE_NETWORK },                                                                   \
  {                                                                                                \
    "set", '\0', TOOL_OPTION_TEXTS, &(values).settings, "NAME=VALUE",                              \
        "sets an option of the provider, as its documentation names it", TOOL_COMPLETE_NOTHING     \
  }

/* Makes the provider and puts it, and the image, in @options. */
gboolean tool_place_apply (const ToolPlace *self, Tool *tool, AsbBackendOptions *options,
                           GError **error);
