/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A guest that says what a test wants it to, on the other end of a pair of sockets. All of its
 * functions block, which the I/O thread of the library does not mind. */

#pragma once

#include <asb.h>
#include <jansson.h>

#include "asb-frame.h"
#include "asb-wire-variant-private.h"

typedef struct
{
  int fd;
  guint64 sent; /* the last number */
  guint64 received;
  GIOStream *stream; /* for the library */

  /* For a session that is resumed. */
  GPtrArray *kept;                        /* all numbered frames */
  GBytes *credit;                         /* the last frame of it */
  GIOStream *(*wrap) (GIOStream *stream); /* takes what the library is given; or NULL */
  GAsyncQueue *streams;                   /* our ends of those the library has asked for */
  gssize sendable;                        /* bytes until the connection breaks; −1: it does not */
  gssize receivable;
  guint n_resumed;
} Peer;

typedef struct
{
  AsbFrameHeader header;
  GBytes *payload;
  json_t *json; /* of control frames */
} PeerFrame;

#define PEER_HELLO                                                                                 \
  "{\"major\": 1, \"minor\": 0, \"features\": [\"commands\", \"files\", \"history\"],"             \
  " \"version\": \"1.0.0\", \"arch\": \"x86_64\", \"boot_id\": \"b1\", \"uid\": 0, \"gid\": 0,"    \
  " \"home\": \"/root\", \"clock\": {\"sec\": 1, \"nsec\": 2},"                                    \
  " \"session\": {\"id\": \"i\", \"secret\": \"s\"}}"

#define PEER_ENTRY                                                                                 \
  "{\"name\": \"f\", \"path\": \"/d/f\", \"kind\": \"file\", \"size\": 5, \"mode\": 420,"          \
  " \"uid\": 1, \"gid\": 2, \"mtime\": {\"sec\": 3, \"nsec\": 4000}}"

#define PEER_RESULT                                                                                \
  "{\"result\": {\"command_id\": \"c1\", \"reason\": \"exited\", \"exit_code\": 3,"                \
  " \"signal\": null, \"duration_ns\": 5000, \"stdout_bytes\": 1, \"stderr_bytes\": 2,"            \
  " \"started_at\": {\"sec\": 1, \"nsec\": 0}, \"ended_at\": {\"sec\": 2, \"nsec\": 0}}}"

#define PEER_STARTED "{\"event\": \"started\", \"command_id\": \"c1\", \"pid\": 7}"

#define PEER_HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

Peer *peer_new (void);
void peer_free (Peer *self);

/* Opens a transport to the peer. */
AsbTransport *peer_open (Peer *self);

/* Likewise one that comes back for so long when its connection is lost. */
AsbTransport *peer_open_resumable (Peer *self, gint64 limit);
/* A new pair: this end becomes that of the peer when the library asks for it. */
GIOStream *peer_new_stream (Peer *self);
/* The connection breaks. */
void peer_break (Peer *self);
/* Takes the next stream the library has asked for. */
void peer_take_stream (Peer *self);
/* The HELLO of a library that wants to resume: what it has received. */
guint64 peer_expect_resume (Peer *self);
/* Answers that, and says again what has not been received. */
void peer_resume (Peer *self, guint64 received);

/* Answers the HELLO of the library. */
void peer_hello (Peer *self);

/* The bytes of a frame, numbered if it is of a numbered type. */
GBytes *peer_frame_new (Peer *self, AsbFrameType type, guint32 call, guint16 channel, guint8 flags,
                        gconstpointer payload, gsize size);
void peer_send_bytes (Peer *self, gconstpointer bytes, gsize size);
void peer_send (Peer *self, AsbFrameType type, guint32 call, guint16 channel, guint8 flags,
                gconstpointer payload, gsize size);
void peer_send_text (Peer *self, AsbFrameType type, guint32 call, const char *json);
void peer_send_data (Peer *self, guint32 call, guint16 channel, const char *data);
void peer_send_end (Peer *self, guint32 call, guint16 channel);
void peer_send_count (Peer *self, AsbFrameType type, guint32 call, guint16 channel, guint64 count);

/* The next frame; NULL at the end of the stream. Checks the numbers. */
PeerFrame *peer_receive (Peer *self);
/* The next frame that is no ACK, which is to be of this type. */
PeerFrame *peer_expect (Peer *self, AsbFrameType type);
void peer_skip (Peer *self, AsbFrameType type);
/* A CALL of this name; its arguments are in the JSON. */
PeerFrame *peer_expect_call (Peer *self, const char *name);
/* A CALL of this name with exactly these arguments, as JSON. */
void peer_expect_arguments (Peer *self, const char *name, const char *expected);
/* Starts “cat”, the first call, and says that it runs. */
AsbProcess *peer_start_command (Peer *self, AsbTransport *transport, AsbCommandFlags flags);
/* What is made of PEER_ENTRY. */
void peer_check_entry (AsbFileInfo *info);
/* GOODBYE with this code, and the end. */
void peer_expect_goodbye (Peer *self, const char *code);
/* Nothing but ACKs, and the end. */
void peer_expect_end (Peer *self);
void peer_close (Peer *self);

void peer_frame_free (PeerFrame *frame);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Peer, peer_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PeerFrame, peer_frame_free)

/* A result that is waited for. */
typedef struct
{
  GAsyncResult *result;
} Pending;

void pending_cb (GObject *source, GAsyncResult *result, gpointer user_data);
/* Runs the main context until it is there; to be unreferenced. */
GAsyncResult *pending_wait (Pending *self);
gboolean pending_is_done (Pending *self);

/* What the tests of one call have: a transport to a peer, and an object that says what is asked. */
typedef struct
{
  Peer *peer;
  AsbTransport *transport;
  gpointer request;
  Pending pending;
} PeerFixture;

/* Takes @request. */
void peer_fixture_init (PeerFixture *fixture, gpointer request);
/* For g_test_add (): the request is an AsbFileRequest for “/d/f”. */
void peer_fixture_set_up_file (PeerFixture *fixture, gconstpointer data);
void peer_fixture_tear_down (PeerFixture *fixture, gconstpointer data);
/* Ends the call with this REPLY. */
void peer_fixture_reply (PeerFixture *fixture, const char *json);
