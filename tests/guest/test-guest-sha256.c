/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* SHA-256 against the examples of FIPS 180 and NIST, whole and in pieces. Built twice: with the
 * processor's own instructions where it has them, and without. */

#include "sha256.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct
{
  const char *name;
  const char *text;
  size_t n_times;
  const char *hash;
} Example;

static const Example EXAMPLES[] = {
  { "empty", "", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
  { "abc", "abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
  { "two blocks", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
  { "four blocks",
    "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
    "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
    1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
  { "a million times a", "a", 1000000,
    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" },
  { "4096 whole blocks", "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno", 4096,
    "919e2c9a2e4ecc09d85fb320cca8ec894813d231b88fe112ed891e4ab991b407" },
};

static void
hash_in_pieces (const char *bytes, size_t size, size_t piece, char hash[SHA256_HEX_SIZE])
{
  Sha256 sha256;

  sha256_begin (&sha256);
  for (size_t at = 0; at < size; at += piece)
    sha256_add (&sha256, bytes + at, size - at < piece ? size - at : piece);
  sha256_end (&sha256, hash);
}

static bool
check (const Example *example)
{
  static const size_t PIECES[] = { 1, 3, 55, 63, 64, 65, 127, 1000 };
  size_t length = strlen (example->text);
  size_t size = length * example->n_times;
  char *bytes = malloc (size + 1);
  char whole[SHA256_HEX_SIZE];
  bool right;

  for (size_t i = 0; i < example->n_times; i++)
    memcpy (bytes + i * length, example->text, length);
  hash_in_pieces (bytes, size, size + 1, whole);
  right = strcmp (whole, example->hash) == 0;
  for (size_t i = 0; i < sizeof PIECES / sizeof *PIECES; i++)
    {
      char hash[SHA256_HEX_SIZE];

      hash_in_pieces (bytes, size, PIECES[i], hash);
      right = right && strcmp (hash, whole) == 0;
    }
  free (bytes);
  return right;
}

int
main (void)
{
  size_t n = sizeof EXAMPLES / sizeof *EXAMPLES;
  bool all = true;

  printf ("1..%zu\n", n);
  for (size_t i = 0; i < n; i++)
    {
      bool right = check (&EXAMPLES[i]);

      printf ("%sok %zu %s\n", right ? "" : "not ", i + 1, EXAMPLES[i].name);
      all = all && right;
    }
  return all ? 0 : 1;
}
