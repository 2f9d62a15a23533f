/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-answer.h"

void
asb_opensandbox_answer_object (GTask *task, gpointer object)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, G_OBJECT_TYPE (object));
  g_value_take_object (&value, object);
  g_task_return_value (task, &value);
}

void
asb_opensandbox_answer_bytes (GTask *task, GBytes *bytes)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_BYTES);
  g_value_take_boxed (&value, bytes);
  g_task_return_value (task, &value);
}

void
asb_opensandbox_answer_variant (GTask *task, GVariant *variant)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_VARIANT);
  g_value_take_variant (&value, g_variant_take_ref (variant));
  g_task_return_value (task, &value);
}

void
asb_opensandbox_answer_written (AsbFileInfo *info, const GError *error, gpointer data)
{
  g_autoptr (GTask) task = data;

  if (info)
    asb_opensandbox_answer_object (task, g_object_ref (info));
  else
    g_task_return_error (task, g_error_copy (error));
}
