/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The table of commands: what --help, the manual pages, the completion and the parser of options
 * are made from. */

#pragma once

#include "tool.h"

/* What stands in for a word that is being typed. */
typedef enum
{
  TOOL_COMPLETE_NOTHING,
  TOOL_COMPLETE_FILE,
  TOOL_COMPLETE_SANDBOX,
  TOOL_COMPLETE_RECORD, /* sandboxes, removed ones too */
  TOOL_COMPLETE_SNAPSHOT,
  TOOL_COMPLETE_COMMAND,
  TOOL_COMPLETE_JOB, /* of the sandbox that is the first argument */
  TOOL_COMPLETE_NETWORK,
  TOOL_COMPLETE_SIGNAL,
  TOOL_COMPLETE_PROVIDER,
  TOOL_COMPLETE_PROFILE
} ToolCompletion;

typedef enum
{
  TOOL_OPTION_FLAG,      /* gboolean */
  TOOL_OPTION_TEXT,      /* const char *, valid UTF-8, the last one given */
  TOOL_OPTION_TEXTS,     /* GPtrArray * of those, in their order; NULL when none was given */
  TOOL_OPTION_BYTES,     /* const char *, bytes as they came: the name of a file, for example */
  TOOL_OPTION_BYTES_LIST /* GPtrArray * of those */
} ToolOptionKind;

/* Under which heading of the help an option stands. */
typedef enum
{
  TOOL_GROUP_OWN,
  TOOL_GROUP_SANDBOX,
  TOOL_GROUP_SERVER,
  TOOL_N_GROUPS
} ToolGroup;

typedef struct
{
  const char *name;
  char letter;
  ToolOptionKind kind;
  gpointer value;
  const char *argument;
  const char *summary; /* NULL: works, and is not shown */
  ToolCompletion completion;
  ToolGroup group;
  const char *const *words; /* all that its argument can be; NULL: anything */
} ToolOption;

typedef enum
{
  TOOL_ARGUMENT_OPTIONAL = 1 << 0,
  TOOL_ARGUMENT_REPEATED = 1 << 1 /* at most one of a command's arguments */
} ToolArgumentFlags;

typedef struct
{
  const char *name;
  const char *summary;
  ToolArgumentFlags flags;
  ToolCompletion completion;
  const char *const *words; /* what it is likely to be, or NULL */
} ToolArgument;

typedef struct
{
  const char *command;
  const char *meaning;
} ToolExample;

typedef struct
{
  GPtrArray *arguments; /* const char *, bytes as they came */
  GPtrArray *given;     /* const ToolOption * */
  GPtrArray *kept;      /* char **: what values from elsewhere point into */
  gboolean separated;   /* there was a “--” */
  gboolean help;
} ToolParsed;

typedef struct _ToolCommand ToolCommand;

/* Lists end with an entry that has no name. */
struct _ToolCommand
{
  const char *name;        /* as typed: “history list” */
  const char *summary;     /* a phrase, no full stop */
  const char *description; /* paragraphs, divided by empty lines */
  const ToolOption *options;
  const ToolOption *more_options; /* shared with other commands */
  const ToolArgument *arguments;
  const ToolExample *examples;
  const ToolCommand *const *children; /* of a command that only groups others */
  const ToolCommand *usual_child;     /* the one that is meant when none of them is named */
  gboolean (*is_usual) (Tool *tool, const char *word); /* whether its argument may be @word, which
                                                          looks like a command */
  guint foreign_from; /* from its n-th argument on, everything belongs to another
                         program; 0: nothing does */
  int usage_status;   /* exit status when it is called in a wrong way */
  gboolean hidden;
  int (*run) (Tool *tool, const ToolParsed *parsed);
};

/* All commands, in the order of the help. */
extern const ToolCommand *const tool_commands[];

const char *tool_parsed_get (const ToolParsed *parsed, guint index);
void tool_parsed_clear (ToolParsed *parsed);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ToolParsed, tool_parsed_clear)

/* Returns: (nullable): the command that the last word of its name is @word of */
const ToolCommand *tool_command_find (const ToolCommand *const *commands, const char *word);
/* The last word of the name. */
const char *tool_command_get_word (const ToolCommand *command);
/* Returns: (nullable): an option, from 0 on; the shared ones come last */
const ToolOption *tool_command_get_option (const ToolCommand *command, guint index);
/* Returns: (nullable): the option that “--name”, “--name=…” or “-n” stands for */
const ToolOption *tool_command_find_option (const ToolCommand *command, const char *word);
/* Returns: (nullable): the argument that the @index-th one given is, when @n_arguments are given */
const ToolArgument *tool_command_get_argument (const ToolCommand *command, guint index,
                                               guint n_arguments);
/* For example “asb rm [OPTION…] ID…”. */
char *tool_command_dup_usage (const ToolCommand *command);

/* Says that there is no command @word in @commands, and which one may have been meant. @parent: the
 * name of the command that they belong to, or “”. Returns: the exit status */
int tool_command_say_unknown (const ToolCommand *const *commands, const char *parent,
                              const char *word);
/* Finds the command in @words, and runs it. Returns: the exit status */
int tool_command_main (Tool *tool, char **words);
