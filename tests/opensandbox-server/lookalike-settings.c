/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GET and POST /_settings: what a test changes without a new server. */

#include "lookalike-json.h"
#include "lookalike-lifecycle.h"

typedef struct
{
  const char *name;
  gsize offset;
  gboolean is_boolean;
} Setting;

#define NUMBER(name)                                                                               \
  {                                                                                                \
#name, G_STRUCT_OFFSET(LookalikeConfig, name), FALSE                                           \
  }
#define BOOLEAN(name)                                                                              \
  {                                                                                                \
#name, G_STRUCT_OFFSET(LookalikeConfig, name), TRUE                                            \
  }

static const Setting settings[] = {
  BOOLEAN (old),        BOOLEAN (nulls),          BOOLEAN (egress_null),    BOOLEAN (late_ping),
  BOOLEAN (early_exit), BOOLEAN (hold_snapshots), BOOLEAN (fail_snapshots), NUMBER (grace_ms),
  NUMBER (ping_ms),     NUMBER (tail_ms),         NUMBER (metrics_ms),      NUMBER (split),
  NUMBER (split_seed),  NUMBER (max_timeout),
};

static gboolean
change (LookalikeConfig *config, const char *name, JsonNode *node)
{
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    {
      int *value = G_STRUCT_MEMBER_P (config, settings[i].offset);
      GType type = settings[i].is_boolean ? G_TYPE_BOOLEAN : G_TYPE_INT64;

      if (!g_str_equal (settings[i].name, name))
        continue;
      if (!JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != type)
        return FALSE;
      *value = settings[i].is_boolean ? json_node_get_boolean (node)
                                      : (int)CLAMP (json_node_get_int (node), 0, G_MAXINT);
      return TRUE;
    }
  return FALSE;
}

static void
reply_all (LookalikeRequest *request)
{
  g_autoptr (JsonObject) object = json_object_new ();

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    {
      int value = *(int *)G_STRUCT_MEMBER_P (&request->lookalike->config, settings[i].offset);

      if (settings[i].is_boolean)
        json_object_set_boolean_member (object, settings[i].name, value);
      else
        json_object_set_int_member (object, settings[i].name, value);
    }
  lookalike_request_reply_object (request, SOUP_STATUS_OK, object);
}

void
lookalike_lifecycle_change_settings (LookalikeRequest *request)
{
  g_autoptr (JsonNode) node = NULL;
  g_autoptr (GList) names = NULL;
  JsonObject *object = NULL;

  if (g_str_equal (request->method, "POST"))
    {
      node = lookalike_request_parse (request, NULL);
      if (node != NULL && JSON_NODE_HOLDS_OBJECT (node))
        object = json_node_get_object (node);
      names = object != NULL ? json_object_get_members (object) : NULL;
      if (names == NULL)
        {
          lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "INVALID_SETTING",
                                  "An object of settings is wanted");
          return;
        }
    }
  for (GList *i = names; i != NULL; i = i->next)
    if (!change (&request->lookalike->config, i->data, json_object_get_member (object, i->data)))
      {
        lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "INVALID_SETTING",
                                "There is no setting %s, or not of that type", (char *)i->data);
        return;
      }
  reply_all (request);
}
