/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One call of a function of the provider, on its way from the caller's thread to the I/O thread and
 * back: the task carries what it is about, and is answered there. */

#pragma once

#include "asb-opensandbox-lifecycle.h"
#include "asb-opensandbox-thread.h"

/* Which members count depends on the function. */
typedef struct
{
  AsbOpensandboxLifecycle *lifecycle;
  char *sandbox_id;
  char *name;
  char *scope;
  char **targets;
  gint64 number;
  guint port;
  GObject *object;
  JsonNode *body;
  gpointer state; /* of the function, while it works */
  GDestroyNotify free_state;
} AsbOpensandboxCall;

/* The caller's thread. The call with these members is made ready; @sandbox_id may be NULL. */
AsbOpensandboxCall *asb_opensandbox_call_new (AsbOpensandboxLifecycle *lifecycle,
                                              const char *sandbox_id);
void asb_opensandbox_call_free (AsbOpensandboxCall *self);

/* Takes @call. Ids no sandbox has are answered for at once. */
void asb_opensandbox_call_run (AsbOpensandboxCall *call, GTask *task,
                               AsbOpensandboxTaskFunc function);

/* [io] */
AsbOpensandboxCall *asb_opensandbox_call_get (GTask *task);

/* [io] An exchange of JSON for the task, which travels to @callback as its data, with a reference.
 * Takes @request. */
void asb_opensandbox_call_send (GTask *task, AsbOpensandboxRequest *request,
                                GAsyncReadyCallback callback);

/* [io] Answers. @object and @variant are taken. NULL: @error is the answer, and is taken. */
void asb_opensandbox_call_return_object (GTask *task, gpointer object, GError *error);
void asb_opensandbox_call_return_variant (GTask *task, GVariant *variant, GError *error);

/* [io] Asks for the sandbox that the call is about, and answers with what is told of it. */
void asb_opensandbox_call_return_sandbox (GTask *task);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbOpensandboxCall, asb_opensandbox_call_free)
