/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the calls that execd has routes of its own for have in common: arguments become a body, and
 * the body of the answer an a{sv}. */

#pragma once

#include <asb.h>
#include <json-glib/json-glib.h>

#include "asb-opensandbox-execd.h"

/* What error is told instead of one; both belong to whoever has them. */
typedef GError *(*AsbOpensandboxTranslate) (const GError *error);

/* @member of @object becomes the text @name of @arguments, if there is one. */
void asb_opensandbox_native_ask_set_string (JsonObject *object, const char *member,
                                            GVariant *arguments, const char *name);

void asb_opensandbox_native_ask_set_body (AsbOpensandboxRequest *request, JsonObject *body);

/* [io] Takes @request. Answers @task with what the reply says. */
void asb_opensandbox_native_ask_send (AsbOpensandboxExecd *execd, AsbOpensandboxRequest *request,
                                      AsbOpensandboxTranslate translate, GTask *task);

/* A reply that is empty, an object, or an array, which becomes “contexts”. Returns: floating or
 * (transfer full) (nullable) */
GVariant *asb_opensandbox_native_ask_parse (GBytes *body, GError **error);
