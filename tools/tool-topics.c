/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-help.h"

const char tool_help_summary[] = "sandboxes for AI agents, from the command line";

const char tool_help_description[]
    = "Runs commands and keeps files in sandboxes: places that a program, or an AI agent, may use "
      "freely without harm to this machine. What is done in a sandbox is recorded, command by "
      "command and file by file.\n\n"
      "Try: asb run -- sh -c 'echo hello'";

const char *const tool_help_option_headings[TOOL_N_GROUPS] = {
  [TOOL_GROUP_OWN] = "Options",
  [TOOL_GROUP_SANDBOX] = "Options for a new sandbox",
  [TOOL_GROUP_SERVER] = "Options for a server",
};

#define EXIT_STATUS_TEXT "That of run, exec, shell, jobs attach and jobs wait is that of a command."

static const ToolExample statuses[] = {
  { "0", "done; that of a command: it succeeded" },
  { "1", "something failed, or what was given made no sense, and that was said" },
  { "2", "asb was called in a wrong way: something is missing, or is nothing that it knows" },
  { "124", "of a command: its time, given with --timeout, was up" },
  { "125", "in place of 1 and 2: asb itself failed, and said why" },
  { "126", "of a command: the program is there and cannot be executed" },
  { "127", "of a command: there is no such program in the sandbox" },
  { "128+N", "ended by signal N" },
  { "other", "of a command: its exit status" },
  { NULL, NULL },
};

static const ToolExample variables[] = {
  { "ASB_MODULE_PATH", "folders, divided by colons, that are searched for modules first" },
  { "ASB_PROFILE", "the profile to take options from, instead of “default”" },
  { "ASB_COMPLETE_SECONDS",
    "how long the completion in a shell waits for a server at most; 5 if not "
    "set" },
  { "OPEN_SANDBOX_DOMAIN", "the OpenSandbox server to use when --server is not given: a host and a "
                           "port, or a URL" },
  { "OPEN_SANDBOX_API_KEY", "its key, when --api-key-file is not given" },
  { "ASB_GUEST_PATH", "the guest program to put into sandboxes, instead of the installed one" },
  { "XDG_STATE_HOME", "where local sandboxes and their records are kept, in asb/; ~/.local/state "
                      "if not set" },
  { "NO_COLOR", "no colours, when it is set and not empty" },
  { NULL, NULL },
};

static const ToolExample profile_lines[] = {
  { "[default]", "what is taken when no profile is asked for" },
  { "network=host", "an option by its long name, and its argument" },
  { "env=LANG=C.UTF-8;CI=1",
    "one that can be given several times: arguments divided by semicolons" },
  { "[work]", "asb run --profile work, or ASB_PROFILE=work" },
  { "server=http://localhost:8080", "the server that work is done on with it" },
  { "api-key-file=/home/me/.secrets/key", "where the key of that server is" },
  { NULL, NULL },
};

const ToolTopic tool_help_exit_status = { "Exit status", EXIT_STATUS_TEXT, statuses };

const ToolTopic tool_help_topics[] = {
  { "Naming a sandbox",
    "A sandbox is named PROVIDER:ID. Without a provider it is a local one, or with --server one of "
    "that server. Instead of the ID its "
    "beginning is enough, 4 characters or more, when no other sandbox begins so; and so is the "
    "name that was given with --name.",
    NULL },
  { "Output for programs",
    "What --json prints keeps its members and their meaning as long as this is version 1 of asb; "
    "others may come, and a program passes over those it does not know. A member without a value "
    "is null. Times are those of UTC by ISO 8601, such as 2026-01-31T12:00:00.25Z, sizes are "
    "bytes, and modes "
    "of files decimal numbers. Where a name, a path or a text is not valid UTF-8 its bytes stand "
    "there in base64, as {\"b64\": \"Yf9i\"}. There is one document, or with --follow and --watch, "
    "and from asb watch, one after another.\n\n"
    "What is printed without --json is for people and may look different at any time.",
    NULL },
  { "Exit status", EXIT_STATUS_TEXT, statuses },
  { "Profiles",
    "Options that are not given are taken from the file asb/config in $XDG_CONFIG_HOME, or "
    "~/.config. What is given counts more. Options without an argument are not taken from there.",
    profile_lines },
  { "Environment", NULL, variables },
  { NULL, NULL, NULL },
};
