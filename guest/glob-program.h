/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a pattern of paths is made into: the parser writes it, the matcher follows it. */

#pragma once

#include "glob.h"

#include <stddef.h>
#include <stdint.h>

/* A byte that is no UTF-8 is a character of its own, behind all others. */
#define GLOB_FIRST_BYTE 0x110000u

typedef enum
{
  GLOB_CHARACTER, /* the character @first */
  GLOB_ANY,       /* one that is no slash */
  GLOB_EVERY,     /* any one */
  GLOB_CLASS,     /* one that is no slash, of @second ranges from number @first on */
  GLOB_NO_CLASS,  /* one that is no slash and not of them */
  GLOB_SPLIT,     /* go on at both @first and @second */
  GLOB_JUMP,      /* go on at @first */
  GLOB_END
} GlobStepType;

typedef struct
{
  GlobStepType type;
  uint32_t first;
  uint32_t second;
} GlobStep;

typedef struct
{
  uint32_t first;
  uint32_t last;
} GlobRange;

typedef struct
{
  uint32_t *steps;
  uint32_t n_steps;
} GlobStates;

struct Glob
{
  GlobStep *steps;
  uint32_t n_steps;
  uint32_t capacity;
  GlobRange *ranges;
  uint32_t n_ranges;
  uint32_t range_capacity;
  bool ignore_case;
  bool wants_directory;

  /* For matching. */
  GlobStates states[2];
  uint32_t *marks; /* the round in which a step was reached last */
  uint32_t round;
  uint32_t *stack;
};

/* Takes the character that @text begins with, which is not at its end. */
uint32_t glob_take_character (const char **text);
uint32_t glob_fold (uint32_t character);
