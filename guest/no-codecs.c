/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What zip can hold beside "store" and "deflate", and its encryption, is refused before anything of
 * it is read (archive-input.c). Without these the decoders would be linked in: a third of a MiB
 * that bytes of strangers could reach. */

#include <stddef.h>

/* Nobody else in the process is to find these. */
#define ABSENT(type, name, value)                                                                  \
  __attribute__ ((visibility ("hidden"))) type name (void);                                        \
  type name (void)                                                                                 \
  {                                                                                                \
    return value;                                                                                  \
  }

ABSENT (int, BZ2_bzDecompress, -1)
ABSENT (int, BZ2_bzDecompressEnd, -1)
ABSENT (int, BZ2_bzDecompressInit, -1)
ABSENT (int, lzma_alone_decoder, -1)
ABSENT (int, lzma_code, -1)
ABSENT (int, lzma_end, -1)
ABSENT (int, lzma_stream_decoder, -1)
ABSENT (size_t, ZSTD_DStreamOutSize, 1)
ABSENT (void *, ZSTD_createDStream, NULL)
ABSENT (size_t, ZSTD_decompressStream, (size_t)-1)
ABSENT (size_t, ZSTD_freeDStream, 0)
ABSENT (const char *, ZSTD_getErrorName, "it is not supported")
ABSENT (size_t, ZSTD_initDStream, (size_t)-1)
ABSENT (unsigned, ZSTD_isError, 1)
ABSENT (int, nettle_aes128_encrypt, 0)
ABSENT (int, nettle_aes128_set_encrypt_key, 0)
ABSENT (int, nettle_aes192_encrypt, 0)
ABSENT (int, nettle_aes192_set_encrypt_key, 0)
ABSENT (int, nettle_aes256_encrypt, 0)
ABSENT (int, nettle_aes256_set_encrypt_key, 0)
ABSENT (int, nettle_hmac_sha1_digest, 0)
ABSENT (int, nettle_hmac_sha1_set_key, 0)
ABSENT (int, nettle_hmac_sha1_update, 0)
ABSENT (int, nettle_pbkdf2_hmac_sha1, 0)
