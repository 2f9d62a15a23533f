/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-failure.h"

#include <asb.h>

/* json_object_foreach () would call a function of json-glib, which has one of the same name. */
static GVariant *
describe (const Failure *failure)
{
  static const char *const names[] = { "path", "limit", "errno" };
  GVariantDict details;

  g_variant_dict_init (&details, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const char *value = json_string_value (json_object_get (failure->details, names[i]));

      if (value)
        g_variant_dict_insert (&details, names[i], "s", value);
    }
  return g_variant_dict_end (&details);
}

GError *
asb_opensandbox_failure_to_error (const Failure *failure)
{
  g_autoptr (AsbErrorInfo) info = NULL;
  int code;

  if (!failure->code)
    return g_error_new_literal (ASB_ERROR, ASB_ERROR_INTERNAL, "No reason was given");
  info = asb_error_info_new ();
  if (!asb_error_code_from_string (failure->code, &code))
    code = ASB_ERROR_IO;
  asb_error_info_set_details (info, describe (failure));
  return asb_error_new_with_info (code, failure->message, info);
}
