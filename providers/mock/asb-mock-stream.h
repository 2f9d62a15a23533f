/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The application's ends of a pipe. Both are pollable, and use no threads. */

#pragma once

#include "asb-mock-pipe.h"

#define ASB_TYPE_MOCK_INPUT_STREAM (asb_mock_input_stream_get_type ())
G_DECLARE_FINAL_TYPE (AsbMockInputStream, asb_mock_input_stream, ASB, MOCK_INPUT_STREAM,
                      GInputStream)

GInputStream *asb_mock_input_stream_new (AsbMockPipe *pipe);

/* Called once, when the stream is closed or dropped. FALSE with an error set makes the closing
 * fail. */
typedef gboolean (*AsbMockClosed) (AsbMockPipe *pipe, gboolean dropped, gpointer data,
                                   GError **error);

#define ASB_TYPE_MOCK_OUTPUT_STREAM (asb_mock_output_stream_get_type ())
G_DECLARE_FINAL_TYPE (AsbMockOutputStream, asb_mock_output_stream, ASB, MOCK_OUTPUT_STREAM,
                      GOutputStream)

/* Takes @data. */
GOutputStream *asb_mock_output_stream_new (AsbMockPipe *pipe, AsbMockClosed closed, gpointer data,
                                           GDestroyNotify destroy);
