/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "glob.h"

#include "asb-wire-json.h"
#include "glob-program.h"

#include <string.h>

static size_t
sequence_length (uint8_t first)
{
  if (first < 0xc0)
    return 1;
  if (first < 0xe0)
    return 2;
  return first < 0xf0 ? 3 : 4;
}

uint32_t
glob_take_character (const char **text)
{
  const char *at = *text;
  uint8_t first = (uint8_t)*at;
  size_t length = sequence_length (first);
  uint32_t character = first;

  if (first < 0x80)
    length = 1;
  else if (length == 1 || strnlen (at, length) < length || !asb_wire_is_text (at, length))
    {
      length = 1;
      character = GLOB_FIRST_BYTE + first;
    }
  else
    {
      character = first & (0x7fu >> length);
      for (size_t i = 1; i < length; i++)
        character = character << 6 | ((uint8_t)at[i] & 0x3f);
    }
  *text = at + length;
  return character;
}

uint32_t
glob_fold (uint32_t character)
{
  return character >= 'A' && character <= 'Z' ? character + ('a' - 'A') : character;
}

static bool
is_in_ranges (const Glob *glob, const GlobStep *step, uint32_t character)
{
  for (uint32_t i = step->first; i < step->first + step->second; i++)
    if (character >= glob->ranges[i].first && character <= glob->ranges[i].last)
      return true;
  return false;
}

static bool
is_in_class (const Glob *glob, const GlobStep *step, uint32_t character)
{
  uint32_t folded = glob_fold (character);

  if (is_in_ranges (glob, step, character))
    return true;
  if (!glob->ignore_case || folded < 'a' || folded > 'z')
    return false;
  return is_in_ranges (glob, step, folded) || is_in_ranges (glob, step, folded - ('a' - 'A'));
}

static bool
takes (const Glob *glob, const GlobStep *step, uint32_t character)
{
  switch (step->type)
    {
    case GLOB_CHARACTER:
      return step->first == (glob->ignore_case ? glob_fold (character) : character);
    case GLOB_ANY:
      return character != '/';
    case GLOB_EVERY:
      return true;
    case GLOB_CLASS:
    case GLOB_NO_CLASS:
      return character != '/' && is_in_class (glob, step, character) == (step->type == GLOB_CLASS);
    default:
      return false;
    }
}

/* Adds the step @number to @states, or those that are reached from it without a character. */
static void
enter (Glob *glob, GlobStates *states, uint32_t number)
{
  size_t n = 0;

  glob->stack[n++] = number;
  while (n > 0)
    {
      uint32_t at = glob->stack[--n];
      const GlobStep *step = &glob->steps[at];

      if (glob->marks[at] == glob->round)
        continue;
      glob->marks[at] = glob->round;
      if (step->type == GLOB_SPLIT)
        glob->stack[n++] = step->second;
      if (step->type == GLOB_SPLIT || step->type == GLOB_JUMP)
        glob->stack[n++] = step->first;
      else
        states->steps[states->n_steps++] = at;
    }
}

static void
begin_round (Glob *glob, GlobStates *states)
{
  if (++glob->round == 0)
    {
      memset (glob->marks, 0, glob->n_steps * sizeof *glob->marks);
      glob->round = 1;
    }
  states->n_steps = 0;
}

static void
advance (Glob *glob, const GlobStates *from, GlobStates *to, uint32_t character)
{
  begin_round (glob, to);
  for (uint32_t i = 0; i < from->n_steps; i++)
    if (takes (glob, &glob->steps[from->steps[i]], character))
      enter (glob, to, from->steps[i] + 1);
}

static bool
is_at_end (const Glob *glob, const GlobStates *states)
{
  for (uint32_t i = 0; i < states->n_steps; i++)
    if (glob->steps[states->steps[i]].type == GLOB_END)
      return true;
  return false;
}

GlobMatch
glob_match (Glob *glob, const char *path)
{
  GlobStates *states = &glob->states[0];
  GlobStates *next = &glob->states[1];
  GlobMatch match = { 0 };

  begin_round (glob, states);
  enter (glob, states, 0);
  while (*path && states->n_steps > 0)
    {
      GlobStates *before = states;

      advance (glob, states, next, glob_take_character (&path));
      states = next;
      next = before;
    }
  if (states->n_steps == 0)
    return match;
  match.matches = is_at_end (glob, states);
  advance (glob, states, next, '/');
  match.goes_on = next->n_steps > is_at_end (glob, next);
  return match;
}

bool
glob_wants_directory (const Glob *glob)
{
  return glob->wants_directory;
}
