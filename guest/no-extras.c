/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the libraries bring along and nobody here calls: mathematics and full-text search in SQL,
 * and a compiler of regular expressions. Without these they would be linked in: a fifth of a
 * program that is sent to each sandbox. */

#include <math.h>
#include <stddef.h>

/* Nobody else in the process is to find these. */
#define ABSENT(type, name, value)                                                                  \
  __attribute__ ((visibility ("hidden"))) type name (void);                                        \
  type name (void)                                                                                 \
  {                                                                                                \
    return value;                                                                                  \
  }

#define ABSENT_OF_ONE(name)                                                                        \
  double name (double x)                                                                           \
  {                                                                                                \
    return NAN;                                                                                    \
  }

#define ABSENT_OF_TWO(name)                                                                        \
  double name (double x, double y)                                                                 \
  {                                                                                                \
    return NAN;                                                                                    \
  }

ABSENT_OF_ONE (acos)
ABSENT_OF_ONE (acosh)
ABSENT_OF_ONE (asin)
ABSENT_OF_ONE (asinh)
ABSENT_OF_ONE (atan)
ABSENT_OF_TWO (atan2)
ABSENT_OF_ONE (atanh)
ABSENT_OF_ONE (cos)
ABSENT_OF_ONE (cosh)
ABSENT_OF_ONE (exp)
ABSENT_OF_ONE (log)
ABSENT_OF_ONE (log10)
ABSENT_OF_ONE (log2)
ABSENT_OF_TWO (pow)
ABSENT_OF_ONE (sin)
ABSENT_OF_ONE (sinh)
ABSENT_OF_ONE (tan)
ABSENT_OF_ONE (tanh)

/* 0: all is well. */
ABSENT (int, sqlite3Fts3Init, 0)
ABSENT (int, sqlite3Fts5Init, 0)
ABSENT (int, sqlite3RtreeInit, 0)

ABSENT (int, _pcre2_jit_check_exec_8, 0)
ABSENT (int, _pcre2_jit_free_8, 0)
ABSENT (size_t, _pcre2_jit_get_size_8, 0)
ABSENT (const char *, _pcre2_jit_get_target_8, "none")
ABSENT (int, pcre2_jit_match_8, -45)
