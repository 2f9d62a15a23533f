/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A provider as a module of its own: a sandbox is a folder, which bubblewrap makes the root of
 * whatever is run in it. It says how one is made and removed, how a program is run inside, and how
 * a file gets there. Commands, terminals, files and the record come with the guest.
 *
 *     gcc -shared -fPIC box-provider.c -o libasb-provider-box.so \
 *       $(pkg-config --cflags --libs libasb-1)
 *     asb-provider-check --module-path=. --history=sandbox box
 */

#include <asb.h>

ASB_DEFINE_SIMPLE_PROVIDER_MODULE (BoxProvider, box_provider, "box");

static gboolean
create (AsbSimpleProvider *provider, const char *id, AsbSandboxSpec *spec,
        GCancellable *cancellable, GError **error)
{
  g_autofree char *root = asb_simple_provider_dup_folder (provider, id);
  const char *script = "mkdir -p \"$0$1\" \"$0/tmp\" && ln -s usr/bin usr/lib usr/lib64 \"$0\"";
  g_autoptr (GSubprocess) shell
      = g_subprocess_new (G_SUBPROCESS_FLAGS_NONE, error, "sh", "-c", script, root,
                          asb_sandbox_spec_get_workdir (spec), NULL);

  /* Not to be cancelled: it would go on, and make what nobody removes. */
  return shell && g_subprocess_wait_check (shell, NULL, error);
}

static GIOStream *
open_program (AsbSimpleProvider *provider, const char *id, const char *const *argv,
              GCancellable *cancellable, GError **error)
{
  g_autofree char *root = asb_simple_provider_dup_folder (provider, id);
  const char *script = "exec bwrap --bind \"$0\" / --ro-bind /usr /usr --proc /proc --dev /dev "
                       "--clearenv sh -c 'exec \"$0\" \"$@\"' \"$@\"";
  const char *const shell[] = { "sh", "-c", script, root, NULL };

  return asb_subprocess_stream_new (shell, argv, error);
}

static gboolean
store_file (AsbSimpleProvider *provider, const char *id, const char *path, GBytes *contents,
            guint mode, GCancellable *cancellable, GError **error)
{
  const char *script = "mkdir -p \"${0%/*}\" && cat >\"$0\" && chmod \"$1\" \"$0\"";
  g_autofree char *bits = g_strdup_printf ("%o", mode);
  const char *const argv[] = { "sh", "-c", script, path, bits, NULL };
  /* From inside: what has been run there may have put links in the way, to what is outside. */
  g_autoptr (GIOStream) stream = open_program (provider, id, argv, cancellable, error);
  GOutputStream *input = stream ? g_io_stream_get_output_stream (stream) : NULL;

  return stream
         && g_output_stream_write_all (input, g_bytes_get_data (contents, NULL),
                                       g_bytes_get_size (contents), NULL, cancellable, error)
         && g_output_stream_close (input, cancellable, error)
         && g_subprocess_wait_check (
             asb_subprocess_stream_get_subprocess (ASB_SUBPROCESS_STREAM (stream)), cancellable,
             error);
}

static void
box_provider_class_init (AsbSimpleProviderClass *klass)
{
  klass->create = create;
  klass->remove = asb_simple_provider_end_guest;
  klass->open_program = open_program;
  klass->store_file = store_file;
  klass->thread_safe = TRUE;
}
