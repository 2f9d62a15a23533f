/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The program: checks a provider that is a module. */

#include "asb-check.h"

#include <locale.h>
#include <stdlib.h>

static char *option_options;
static char *option_store = NULL;
static char *option_image;
static char *option_module_path;
static gboolean option_one_thread;
static char **option_only;
static char *option_only_store;
static gboolean option_version;

static const GOptionEntry entries[] = {
  { "options", 'o', 0, G_OPTION_ARG_STRING, &option_options,
    "Options of the provider, as text of an a{sv}: \"{'state-dir': <'/tmp/x'>}\"", "TEXT" },
  { "history", 0, 0, G_OPTION_ARG_STRING, &option_store, "Check with the history store NAME",
    "NAME" },
  { "history-store", 0, 0, G_OPTION_ARG_STRING, &option_only_store,
    "Check the history store NAME alone, with the provider named or else with mock", "NAME" },
  { "only", 0, 0, G_OPTION_ARG_STRING_ARRAY, &option_only,
    "Check only PART: lifecycle, transport or history; may be given again", "PART" },
  { "image", 'i', 0, G_OPTION_ARG_STRING, &option_image, "Image of the sandboxes", "IMAGE" },
  { "module-path", 'm', 0, G_OPTION_ARG_FILENAME, &option_module_path,
    "Look for modules in FOLDER first", "FOLDER" },
  { "one-thread", 0, 0, G_OPTION_ARG_NONE, &option_one_thread,
    "Call the provider from one thread only", NULL },
  { "version", 0, 0, G_OPTION_ARG_NONE, &option_version, "Print the version and exit", NULL },
  { NULL },
};

static gboolean
parse (int *argc, char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("NAME");

  g_option_context_set_summary (
      context, "Checks whether the provider NAME keeps to what libasb expects of providers.\n"
               "It makes sandboxes, works in them and deletes them; it touches no others.\n"
               "The result is printed in the Test Anything Protocol.");
  g_option_context_set_description (
      context, "Exit status: 0 when nothing failed, 1 when something did, 2 for a wrong call.\n\n"
               "Example:\n  asb-provider-check --module-path=_build --history=sandbox mine\n"
               "  asb-provider-check --module-path=_build --history-store=mine");
  g_option_context_add_main_entries (context, entries, NULL);
  return g_option_context_parse (context, argc, argv, error);
}

static int
complain (const char *text)
{
  g_printerr ("asb-provider-check: %s\n", text);
  return 2;
}

static const struct
{
  const char *name;
  AsbCheckFlags flag;
} parts[] = { { "lifecycle", ASB_CHECK_FLAGS_LIFECYCLE },
              { "transport", ASB_CHECK_FLAGS_TRANSPORT },
              { "history", ASB_CHECK_FLAGS_HISTORY } };

/* FALSE for a part that there is not. */
static gboolean
get_flags (AsbCheckFlags *flags)
{
  *flags = option_one_thread ? ASB_CHECK_FLAGS_ONE_THREAD : ASB_CHECK_FLAGS_NONE;
  if (option_only_store)
    *flags |= ASB_CHECK_FLAGS_HISTORY;
  for (gsize i = 0; option_only && option_only[i]; i++)
    {
      gsize part = 0;

      while (part < G_N_ELEMENTS (parts) && !g_str_equal (option_only[i], parts[part].name))
        part++;
      if (part == G_N_ELEMENTS (parts))
        return FALSE;
      *flags |= parts[part].flag;
    }
  return TRUE;
}

/* NULL where none is named and none is needed. */
static const char *
get_provider_name (int argc, char **argv)
{
  if (argc == 1 && option_only_store)
    return "mock";
  return argc == 2 ? argv[1] : NULL;
}

int
main (int argc, char **argv)
{
  AsbRegistry *registry = asb_registry_get_default ();
  g_autoptr (GVariant) options = NULL;
  g_autoptr (AsbProvider) provider = NULL;
  g_autoptr (GError) error = NULL;
  AsbCheckFlags flags;
  const char *name;

  setlocale (LC_ALL, "");
  if (!parse (&argc, &argv, &error))
    return complain (error->message);
  if (option_version)
    {
      g_print ("%s\n", PACKAGE_VERSION);
      return 0;
    }
  name = get_provider_name (argc, argv);
  if (!name)
    return complain ("Name one provider; --help tells more");
  if (!get_flags (&flags))
    return complain ("The parts are lifecycle, transport and history; --help tells more");
  if (option_options)
    options = g_variant_parse (G_VARIANT_TYPE_VARDICT, option_options, NULL, NULL, &error);
  if (error)
    return complain (error->message);
  if (option_module_path)
    asb_registry_prepend_module_path (registry, option_module_path);
  provider = asb_registry_create_provider (registry, name, options, &error);
  if (!provider)
    return complain (error->message);
  if (option_only_store)
    option_store = option_only_store;
  return asb_check_provider (registry, name, options, option_store, option_image, flags) ? 1 : 0;
}
