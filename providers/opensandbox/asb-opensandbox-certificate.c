/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-certificate.h"

static const struct
{
  GTlsCertificateFlags flag;
  const char *words;
} faults[] = {
  { G_TLS_CERTIFICATE_BAD_IDENTITY,
    "it was issued for another name; write the address as the certificate has it" },
  { G_TLS_CERTIFICATE_EXPIRED, "its time is over, or the clock of this machine is wrong" },
  { G_TLS_CERTIFICATE_NOT_ACTIVATED,
    "its time has not begun, or the clock of this machine is wrong" },
  { G_TLS_CERTIFICATE_REVOKED, "it was revoked" },
  { G_TLS_CERTIFICATE_INSECURE, "it is made in a way that is no longer safe" },
  /* Last: what is wrong besides stays wrong with any authority. */
  { G_TLS_CERTIFICATE_UNKNOWN_CA,
    "nobody who is trusted here has signed it; option “tls-ca-file” names authorities to trust" },
};

char *
asb_opensandbox_certificate_dup_faults (GTlsCertificateFlags flags)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    if (flags & faults[i].flag)
      g_string_append_printf (text, "%s%s", text->len > 0 ? "; " : "", faults[i].words);
  return g_string_free (text, FALSE);
}

GError *
asb_opensandbox_certificate_explain (GError *error, GTlsCertificateFlags flags)
{
  g_autofree char *words = asb_opensandbox_certificate_dup_faults (flags);

  if (g_error_matches (error, G_TLS_ERROR, G_TLS_ERROR_CERTIFICATE_REQUIRED))
    {
      g_free (error->message);
      error->message = g_strdup ("The server lets in only who shows a certificate, which cannot be "
                                 "done here");
    }
  if (!g_error_matches (error, G_TLS_ERROR, G_TLS_ERROR_BAD_CERTIFICATE) || *words == '\0')
    return error;
  g_free (error->message);
  error->message = g_strdup_printf ("The certificate of the server is not accepted: %s", words);
  return error;
}
