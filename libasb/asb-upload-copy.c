/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-upload-config-private.h"

/* The caller may change his own as soon as an upload has begun. */

static void
copy_properties (gpointer from, gpointer to)
{
  guint n_pspecs;
  g_autofree GParamSpec **pspecs
      = g_object_class_list_properties (G_OBJECT_GET_CLASS (from), &n_pspecs);

  for (guint i = 0; i < n_pspecs; i++)
    {
      g_auto (GValue) value = G_VALUE_INIT;

      g_object_get_property (from, pspecs[i]->name, &value);
      g_object_set_property (to, pspecs[i]->name, &value);
    }
}

AsbUploadSpec *
asb_upload_spec_copy (AsbUploadSpec *spec)
{
  AsbUploadSpec *copy = asb_upload_spec_new (NULL, NULL);

  copy_properties (spec, copy);
  return copy;
}

AsbUploadConfig *
asb_upload_config_copy (AsbUploadConfig *config)
{
  AsbUploadConfig *copy = asb_upload_config_new ();

  copy_properties (config, copy);
  asb_upload_config_share_functions (copy, config);
  return copy;
}
