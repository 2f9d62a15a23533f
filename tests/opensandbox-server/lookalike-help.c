/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-help.h"

#include "lookalike-fault.h"
#include "lookalike-listener.h"

static const char *const introduction
    = "This is an OpenSandbox server for those who have none: its sandboxes are folders on this\n"
      "machine, with real processes in them. It listens on the loopback address only. With\n"
      "SIGTERM, or Ctrl-C, it ends and leaves nothing.\n"
      "\n"
      "It speaks what opensandbox-server 1.1.1 and its execd speak: the lifecycle of sandboxes, "
      "the\n"
      "server's proxy for HTTP and WebSocket, commands, sessions, PTYs, files, metrics, and the\n"
      "egress sidecar of sandboxes with a network policy (which keeps rules and enforces none).\n"
      "\n"
      "Images, by their names:\n"
      "  busybox…, alpine…                    without bash and Python\n"
      "  debian…, ubuntu…, node…, nginx…      without Python\n"
      "  …no-such-image…                      cannot be pulled\n"
      "  private.example.org/…                for ann, with the password “open sesame”\n"
      "  nonroot…                             only /tmp, /var/tmp and /home/user may be written\n"
      "  any other, for example python:3.12   with both, as this machine has them\n"
      "\n"
      "For tests:\n"
      "  GET  /_requests     what was asked: ?hop=lifecycle|execd|egress|gateway, ?method=,\n"
      "                      ?path=GLOB; DELETE forgets\n"
      "  POST /_settings     {\"late_ping\":true}, see GET /_settings\n"
      "  POST /_faults       a fault or a list of faults; GET lists and counts, DELETE ends them\n"
      "\n"
      "A fault says which requests it is for: \"method\", \"path\" (a glob), \"hop\", \"nth\" (the "
      "first\n"
      "one it is for, from 1), \"times\" (how many: one with \"nth\", else all), \"early\":true "
      "(before\n"
      "the body is read; reply and reset). And what to do, \"action\":\n";

static const char *const examples
    = "\n"
      "For example, two answers that ask to wait, then none:\n"
      "  curl -d "
      "'{\"method\":\"POST\",\"path\":\"/v1/sandboxes\",\"times\":2,\"action\":\"reply\",\n"
      "            \"status\":429,\"headers\":{\"Retry-After\":\"1\"}}' "
      "http://127.0.0.1:PORT/_faults\n";

char *
lookalike_help_describe (void)
{
  g_autofree char *actions = lookalike_fault_describe_actions ();

  return g_strconcat (introduction, actions, examples, NULL);
}

void
lookalike_help_greet (Lookalike *lookalike)
{
  guint port = lookalike->lifecycle->port;
  const char *key = lookalike->config.api_key;

  g_print ("A look-alike of an OpenSandbox server is ready at http://127.0.0.1:%u\n", port);
  g_print ("Sandboxes are folders in %s, their processes %s.\n\n", lookalike->root,
           lookalike->confined ? "confined by bubblewrap"
                               : "NOT confined: bubblewrap does not work here");
  g_print ("In another terminal, with this library:\n\n"
           "  export OPEN_SANDBOX_DOMAIN=127.0.0.1:%u\n%s%s%s"
           "  asb run --provider opensandbox -- echo hello\n\n",
           port, key != NULL ? "  export OPEN_SANDBOX_API_KEY=" : "", key != NULL ? key : "",
           key != NULL ? "\n" : "");
  g_print ("or by hand:\n\n"
           "  curl http://127.0.0.1:%u/v1/sandboxes -H 'Content-Type: application/json' \\\n"
           "    -d "
           "'{\"image\":{\"uri\":\"python:3.12\"},\"entrypoint\":[\"tail\",\"-f\",\"/dev/null\"],\n"
           "         \"resourceLimits\":{\"cpu\":\"1\"},\"timeout\":600}'\n\n"
           "Ctrl-C ends it and leaves nothing. “--help” tells more.\n",
           port);
}
