/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The streams over a pipe. They are pollable and never use a thread of their own; an owner, if
 * there is one, lives as long as the stream. */

#pragma once

#include "asb-pipe-private.h"

#define ASB_TYPE_PIPE_INPUT_STREAM (asb_pipe_input_stream_get_type ())
G_DECLARE_FINAL_TYPE (AsbPipeInputStream, asb_pipe_input_stream, ASB, PIPE_INPUT_STREAM,
                      GInputStream)

GInputStream *asb_pipe_input_stream_new (AsbPipe *pipe, GObject *owner);

#define ASB_TYPE_PIPE_OUTPUT_STREAM (asb_pipe_output_stream_get_type ())
G_DECLARE_FINAL_TYPE (AsbPipeOutputStream, asb_pipe_output_stream, ASB, PIPE_OUTPUT_STREAM,
                      GOutputStream)

GOutputStream *asb_pipe_output_stream_new (AsbPipe *pipe, AsbPipeClose close, GObject *owner);
