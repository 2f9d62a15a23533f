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
static gboolean option_version;

static const GOptionEntry entries[] = {
  { "options", 'o', 0, G_OPTION_ARG_STRING, &option_options,
    "Options of the provider, as text of an a{sv}: \"{'state-dir': <'/tmp/x'>}\"", "TEXT" },
  { "history", 0, 0, G_OPTION_ARG_STRING, &option_store, "Check with the history store NAME",
    "NAME" },
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
               "Example:\n  asb-provider-check --module-path=_build --history=sandbox mine");
  g_option_context_add_main_entries (context, entries, NULL);
  return g_option_context_parse (context, argc, argv, error);
}

static int
complain (const char *text)
{
  g_printerr ("asb-provider-check: %s\n", text);
  return 2;
}

int
main (int argc, char **argv)
{
  AsbRegistry *registry = asb_registry_get_default ();
  g_autoptr (GVariant) options = NULL;
  g_autoptr (AsbProvider) provider = NULL;
  g_autoptr (GError) error = NULL;

  setlocale (LC_ALL, "");
  if (!parse (&argc, &argv, &error))
    return complain (error->message);
  if (option_version)
    {
      g_print ("%s\n", PACKAGE_VERSION);
      return 0;
    }
  if (argc != 2)
    return complain ("Name one provider; --help tells more");
  if (option_options)
    options = g_variant_parse (G_VARIANT_TYPE_VARDICT, option_options, NULL, NULL, &error);
  if (error)
    return complain (error->message);
  if (option_module_path)
    asb_registry_prepend_module_path (registry, option_module_path);
  provider = asb_registry_create_provider (registry, argv[1], options, &error);
  if (!provider)
    return complain (error->message);
  return asb_check_provider (registry, argv[1], options, option_store, option_image,
                             option_one_thread ? ASB_CHECK_FLAGS_ONE_THREAD : ASB_CHECK_FLAGS_NONE)
             ? 1
             : 0;
}
