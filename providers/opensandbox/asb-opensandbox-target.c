/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-target.h"

#include <asb.h>
#include <string.h>

#define MAX_NAME 253
#define MAX_LABEL 63
#define MAX_SHOWN 80

static gboolean
is_label (const char *label)
{
  gsize length = strlen (label);

  return length > 0 && length <= MAX_LABEL
         && strspn (label, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
                == length;
}

/* The last label of a name is never a number, so that none looks like an address. */
static gboolean
is_name (const char *text)
{
  g_auto (GStrv) labels = g_strsplit (text, ".", -1);
  guint n_labels = g_strv_length (labels);
  const char *last = n_labels > 0 ? labels[n_labels - 1] : "";

  for (guint i = 0; i < n_labels; i++)
    if (!is_label (labels[i]))
      return FALSE;
  return strlen (text) <= MAX_NAME && last[strspn (last, "0123456789")] != '\0';
}

static gboolean
is_range (const char *text)
{
  const char *slash = strchr (text, '/');
  g_autofree char *first = slash ? g_strndup (text, (gsize)(slash - text)) : g_strdup (text);
  g_autoptr (GInetAddress) address = g_inet_address_new_from_string (first);
  guint64 bits;

  if (!address || !slash)
    return address != NULL;
  return g_ascii_string_to_unsigned (slash + 1, 10, 0, 8 * g_inet_address_get_native_size (address),
                                     &bits, NULL);
}

/* Returns: (transfer full) (nullable) what to write instead */
static char *
suggest (const char *target)
{
  const char *start = g_str_has_prefix (target, "*.") ? target + 2 : target;
  g_autofree char *host = NULL;
  g_autofree char *ascii = NULL;

  if (strstr (target, "://"))
    g_uri_split_network (target, G_URI_FLAGS_NONE, NULL, &host, NULL, NULL);
  else
    host = g_strndup (start, strcspn (start, ":/"));
  if (host && g_str_has_suffix (host, "."))
    host[strlen (host) - 1] = '\0';
  ascii = host ? g_hostname_to_ascii (host) : NULL;
  if (!ascii || !(is_name (ascii) || (strstr (target, "://") && is_range (ascii))))
    return NULL;
  return start == target ? g_steal_pointer (&ascii) : g_strconcat ("*.", ascii, NULL);
}

gboolean
asb_opensandbox_target_check (const char *target, GError **error)
{
  g_autofree char *text = g_strstrip (g_strdup (target));
  g_autofree char *shown = NULL;
  g_autofree char *instead = NULL;

  if (is_range (text) || is_name (g_str_has_prefix (text, "*.") ? text + 2 : text))
    return TRUE;
  shown = g_utf8_make_valid (text, (gssize)strnlen (text, MAX_SHOWN));
  instead = suggest (text);
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "The network policy has a rule for “%s”, which is no name such as example.org or "
               "*.example.org, no address and no range such as 10.0.0.0/8, and would not be "
               "heeded%s%s%s",
               shown, instead ? "; write “" : "", instead ? instead : "", instead ? "”" : "");
  return FALSE;
}
