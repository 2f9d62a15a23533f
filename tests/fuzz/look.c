/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "look.h"

#include "fuzz.h"

void
fuzz_look_at (gpointer object)
{
  guint n = 0;
  g_autofree GParamSpec **properties = NULL;

  if (!object)
    return;
  properties = g_object_class_list_properties (G_OBJECT_GET_CLASS (object), &n);
  for (guint i = 0; i < n; i++)
    {
      g_auto (GValue) value = G_VALUE_INIT;
      g_autofree char *text = NULL;

      if (!(properties[i]->flags & G_PARAM_READABLE))
        continue;
      g_value_init (&value, properties[i]->value_type);
      g_object_get_property (object, properties[i]->name, &value);
      text = g_strdup_value_contents (&value);
      FUZZ_CHECK (text != NULL);
    }
}
