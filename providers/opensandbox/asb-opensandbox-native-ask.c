/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-native-ask.h"

#include "asb-opensandbox-answer.h"
#include "asb-opensandbox-json.h"
#include "asb-opensandbox-variant.h"

typedef struct
{
  GTask *task;
  AsbOpensandboxTranslate translate;
} Question;

void
asb_opensandbox_native_ask_set_string (JsonObject *object, const char *member, GVariant *arguments,
                                       const char *name)
{
  const char *value;

  if (g_variant_lookup (arguments, name, "&s", &value))
    json_object_set_string_member (object, member, value);
}

void
asb_opensandbox_native_ask_set_body (AsbOpensandboxRequest *request, JsonObject *body)
{
  g_autoptr (JsonNode) node = json_node_alloc ();

  json_node_init_object (node, body);
  asb_opensandbox_request_set_json (request, node);
}

GVariant *
asb_opensandbox_native_ask_parse (GBytes *body, GError **error)
{
  g_autoptr (JsonNode) node = NULL;
  g_autoptr (GVariant) variant = NULL;
  g_autoptr (GVariant) items = NULL;
  GVariantDict dict;

  if (g_bytes_get_size (body) == 0)
    return g_variant_new ("a{sv}", NULL);
  node = asb_opensandbox_json_parse (body, "the answer of execd", error);
  if (!node)
    return NULL;
  variant = asb_opensandbox_variant_from_json (node);
  if (!JSON_NODE_HOLDS_ARRAY (node))
    return g_steal_pointer (&variant);
  items = g_variant_lookup_value (variant, "items", NULL);
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "contexts", items);
  return g_variant_dict_end (&dict);
}

static void
answered_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Question *question = user_data;
  g_autoptr (GTask) task = question->task;
  AsbOpensandboxTranslate translate = question->translate;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);
  GVariant *variant
      = reply ? asb_opensandbox_native_ask_parse (asb_opensandbox_reply_get_body (reply), &error)
              : NULL;

  g_free (question);
  if (variant)
    asb_opensandbox_answer_variant (task, variant);
  else
    g_task_return_error (task, translate (error));
}

void
asb_opensandbox_native_ask_send (AsbOpensandboxExecd *execd, AsbOpensandboxRequest *request,
                                 AsbOpensandboxTranslate translate, GTask *task)
{
  Question *question = g_new0 (Question, 1);

  question->task = g_object_ref (task);
  question->translate = translate;
  asb_opensandbox_client_send_async (asb_opensandbox_execd_get_client (execd), request,
                                     asb_opensandbox_execd_get_cancellable (execd), answered_cb,
                                     question);
  asb_opensandbox_request_unref (request);
}
