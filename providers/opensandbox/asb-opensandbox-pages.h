/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Walking over the pages of a list of the server. It ends: with the page that says so, with one
 * that brings nothing new, or when more came than anybody can have. */

#pragma once

#include "asb-opensandbox-lifecycle.h"

#define ASB_OPENSANDBOX_PAGE_SIZE 100

/* Turns one item into an object and gives its id, which the object keeps alive. */
typedef GObject *(*AsbOpensandboxParseItem) (AsbOpensandboxLifecycle *lifecycle, JsonObject *item,
                                             const char **id, GError **error);

/* Whether an object counts, and whether that is enough: n_enough objects that count end the walk.
 */
typedef gboolean (*AsbOpensandboxCountItem) (GObject *item, gpointer user_data);

typedef struct
{
  const char *what; /* static: “list the sandboxes” */
  const char *path; /* static: “sandboxes” */
  char **query;     /* names and values by turns, NULL-terminated; taken */
  AsbOpensandboxParseItem parse;
  AsbOpensandboxCountItem count;
  GObject *count_data; /* taken */
  guint64 n_enough;
} AsbOpensandboxPages;

/* [io] */
void asb_opensandbox_pages_async (AsbOpensandboxLifecycle *lifecycle,
                                  const AsbOpensandboxPages *pages, GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer user_data);

/* Returns: (transfer full) (nullable): all objects that count, each once */
GListStore *asb_opensandbox_pages_finish (AsbOpensandboxLifecycle *lifecycle, GAsyncResult *result,
                                          GError **error);
