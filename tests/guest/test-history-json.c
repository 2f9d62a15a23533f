/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Canonical JSON: what the record holds, and other implementations hash, byte for byte. What is
 * expected is what Python's json writes, with sorted keys, no spaces and letters as they are. */

#include "history-json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct
{
  const char *name;
  const char *given;
  const char *canonical;
} Example;

static const Example EXAMPLES[] = {
  { "a manifest entry",
    "{\"size\":3,\"sha256\":\"x\",\"relative_path\":\"a.txt\",\"mtime_ns\":1000000000000000000,"
    "\"mode\":0}",
    "{\"mode\":0,\"mtime_ns\":1000000000000000000,\"relative_path\":\"a.txt\",\"sha256\":\"x\","
    "\"size\":3}" },
  { "bytes before letters",
    "{\"b\":1,\"a\":2,\"Z\":3,\"_\":4,\"10\":5,\"9\":6,\"\":7,\"a b\":8,\"aa\":9}",
    "{\"\":7,\"10\":5,\"9\":6,\"Z\":3,\"_\":4,\"a\":2,\"a b\":8,\"aa\":9,\"b\":1}" },
  { "beyond ASCII", "{\"\303\251\":1,\"z\":2,\"e\314\201\":3,\"\344\270\255\":4,\"\177\":5}",
    "{\"e\314\201\":3,\"z\":2,\"\177\":5,\"\303\251\":1,\"\344\270\255\":4}" },
  { "by code points",
    "{\"\360\220\200\200\":1,\"\357\277\277\":2,\"\356\200\200\":3,\"\355\237\277\":4,"
    "\"\364\217\277\277\":5}",
    "{\"\355\237\277\":4,\"\356\200\200\":3,\"\357\277\277\":2,\"\360\220\200\200\":1,"
    "\"\364\217\277\277\":5}" },
  { "nested",
    "{\"b\":[{\"d\":1,\"c\":{\"\360\237\230\200\":1,\"\357\254\201\":2}},[],{}],\"a\":{\"y\":null,"
    "\"x\":true}}",
    "{\"a\":{\"x\":true,\"y\":null},\"b\":[{\"c\":{\"\357\254\201\":2,\"\360\237\230\200\":1},"
    "\"d\":1},[],{}]}" },
  { "control characters in keys",
    "{\"\\t\":1,\"\\u001b\":2,\"\\n\":3,\"\\\"\":4,\"\\\\\":5,\"!\":6,\"\\u2028\":7,\"/\":8}",
    "{\"\\t\":1,\"\\n\":3,\"\\u001b\":2,\"!\":6,\"\\\"\":4,\"/"
    "\":8,\"\\\\\":5,\"\342\200\250\":7}" },
  { "numbers",
    "[0,-1,1.0,10.5,1e-7,1e16,123456789012345680.0,0.0001,-0.0,9007199254740991,1e22,5e-324,1."
    "7976931348623157e308]",
    "[0,-1,1.0,10.5,1e-07,1e+16,1.2345678901234568e+17,0.0001,-0.0,9007199254740991,1e+22,5e-324,1."
    "7976931348623157e+308]" },
};

#define N_EXAMPLES (sizeof EXAMPLES / sizeof EXAMPLES[0])

static bool
check (const Example *example)
{
  json_t *json = json_loads (example->given, JSON_DECODE_ANY, NULL);
  char *canonical = history_json_canonical (json);
  bool is_right = json && strcmp (canonical, example->canonical) == 0;

  if (!is_right)
    printf ("# %s\n", canonical);
  free (canonical);
  json_decref (json);
  return is_right;
}

int
main (void)
{
  size_t n_wrong = 0;

  printf ("1..%zu\n", N_EXAMPLES);
  for (size_t i = 0; i < N_EXAMPLES; i++)
    {
      bool is_right = check (&EXAMPLES[i]);

      printf ("%s %zu - %s\n", is_right ? "ok" : "not ok", i + 1, EXAMPLES[i].name);
      n_wrong += !is_right;
    }
  return n_wrong > 0;
}
