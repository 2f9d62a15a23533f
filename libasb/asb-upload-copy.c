/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-property-private.h"
#include "asb-upload-config-private.h"

/* The caller may change his own as soon as an upload has begun. */

AsbUploadSpec *
asb_upload_spec_copy (AsbUploadSpec *spec)
{
  AsbUploadSpec *copy = asb_upload_spec_new (NULL, NULL);

  asb_property_copy_all (spec, copy);
  return copy;
}

AsbUploadConfig *
asb_upload_config_copy (AsbUploadConfig *config)
{
  AsbUploadConfig *copy = asb_upload_config_new ();

  asb_property_copy_all (config, copy);
  asb_upload_config_share_functions (copy, config);
  return copy;
}
