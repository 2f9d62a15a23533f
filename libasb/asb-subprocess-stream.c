/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-subprocess-stream-private.h"

#include "asb-error-private.h"
#include "asb-property-private.h"

/**
 * AsbSubprocessStream:
 *
 * The standard input and output of a program of this machine as one stream, for providers whose
 * sandboxes are entered by one: `docker exec -i`, `ssh`, `bwrap`.
 *
 * A program that ends before the guest has said hello was not what it should be. If its exit status
 * is 126 or 127, as those of shells and of programs that start others are when there is nothing to
 * start, the guest is put into the sandbox; see [vfunc@Provider.put_file]. Of other failures the
 * error tells the last 4 KiB of what it wrote to its standard error.
 *
 * Closing the stream closes both pipes, which is how the program learns that it is to end.
 *
 * Since: 1.0
 */

struct _AsbSubprocessStream
{
  GIOStream parent_instance;

  GSubprocess *subprocess;
  AsbProgramWatch *watch;
};

enum
{
  PROP_0,
  PROP_SUBPROCESS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbSubprocessStream, asb_subprocess_stream, G_TYPE_IO_STREAM)

static GInputStream *
asb_subprocess_stream_get_input_stream (GIOStream *stream)
{
  return g_subprocess_get_stdout_pipe (ASB_SUBPROCESS_STREAM (stream)->subprocess);
}

static GOutputStream *
asb_subprocess_stream_get_output_stream (GIOStream *stream)
{
  return g_subprocess_get_stdin_pipe (ASB_SUBPROCESS_STREAM (stream)->subprocess);
}

static void
asb_subprocess_stream_get_property (GObject *object, guint property_id, GValue *value,
                                    GParamSpec *pspec)
{
  if (property_id == PROP_SUBPROCESS)
    g_value_set_object (value, ASB_SUBPROCESS_STREAM (object)->subprocess);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
}

static void
asb_subprocess_stream_finalize (GObject *object)
{
  AsbSubprocessStream *self = ASB_SUBPROCESS_STREAM (object);

  g_clear_pointer (&self->watch, asb_program_watch_unref);
  g_clear_object (&self->subprocess);

  G_OBJECT_CLASS (asb_subprocess_stream_parent_class)->finalize (object);
}

static void
asb_subprocess_stream_class_init (AsbSubprocessStreamClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GIOStreamClass *stream_class = G_IO_STREAM_CLASS (klass);

  object_class->finalize = asb_subprocess_stream_finalize;
  object_class->get_property = asb_subprocess_stream_get_property;
  stream_class->get_input_stream = asb_subprocess_stream_get_input_stream;
  stream_class->get_output_stream = asb_subprocess_stream_get_output_stream;

  /**
   * AsbSubprocessStream:subprocess:
   *
   * The program.
   *
   * Since: 1.0
   */
  properties[PROP_SUBPROCESS]
      = g_param_spec_object ("subprocess", NULL, NULL, G_TYPE_SUBPROCESS, ASB_PARAM_READABLE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_subprocess_stream_init (AsbSubprocessStream *self)
{
}

static char **
join (const char *const *wrapper, const char *const *argv)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  g_strv_builder_addv (builder, (const char **)wrapper);
  if (argv)
    g_strv_builder_addv (builder, (const char **)argv);
  return g_strv_builder_end (builder);
}

/**
 * asb_subprocess_stream_new:
 * @wrapper: (array zero-terminated=1): a program of this machine and its arguments; it is looked
 *   for in `PATH` unless it has a `/`
 * @argv: (array zero-terminated=1) (nullable): more arguments: the program that @wrapper is to run
 *   inside a sandbox, with its own
 * @error: return location for an error
 *
 * Starts a program.
 *
 * Returns: (transfer full): its standard input and output, an [class@SubprocessStream].
 * %ASB_ERROR_PROVIDER if it could not be started
 *
 * Since: 1.0
 */
GIOStream *
asb_subprocess_stream_new (const char *const *wrapper, const char *const *argv, GError **error)
{
  g_autoptr (AsbSubprocessStream) self = NULL;
  g_autoptr (GSubprocess) subprocess = NULL;
  g_autoptr (GError) local = NULL;
  g_auto (GStrv) command = NULL;

  g_return_val_if_fail (wrapper != NULL && wrapper[0] != NULL, NULL);

  command = join (wrapper, argv);
  subprocess = g_subprocess_newv ((const char *const *)command,
                                  G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE
                                      | G_SUBPROCESS_FLAGS_STDERR_PIPE,
                                  &local);
  if (!subprocess)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_PROVIDER, "Could not start “%s”: %s", command[0],
                   local->message);
      asb_error_info_note (error);
      return NULL;
    }
  self = g_object_new (ASB_TYPE_SUBPROCESS_STREAM, NULL);
  self->watch = asb_program_watch_new (subprocess, command[0]);
  self->subprocess = g_steal_pointer (&subprocess);
  return G_IO_STREAM (g_steal_pointer (&self));
}

/**
 * asb_subprocess_stream_get_subprocess:
 * @self: an [class@SubprocessStream]
 *
 * Gets the program.
 *
 * Returns: (transfer none): the program
 *
 * Since: 1.0
 */
GSubprocess *
asb_subprocess_stream_get_subprocess (AsbSubprocessStream *self)
{
  g_return_val_if_fail (ASB_IS_SUBPROCESS_STREAM (self), NULL);

  return self->subprocess;
}

AsbProgramWatch *
asb_subprocess_stream_get_watch (AsbSubprocessStream *self)
{
  return self->watch;
}
