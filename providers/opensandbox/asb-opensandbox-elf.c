/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-elf.h"

#include <asb.h>
#include <elf.h>
#include <string.h>

static const struct
{
  guint16 machine;
  const char *name;
  const char *runs_on[6]; /* what the kernel calls those that run its programs */
} MACHINES[] = {
  { EM_X86_64, "x86_64", { "x86_64", "amd64", NULL } },
  { EM_386, "i686", { "i386", "i586", "i686", "x86_64", "amd64", NULL } },
  { EM_AARCH64, "aarch64", { "aarch64", "arm64", NULL } },
  { EM_ARM, "arm", { "armv6l", "armv7l", "armv8l", "aarch64", "arm64", NULL } },
  { EM_RISCV, "riscv64", { "riscv64", NULL } },
  { EM_S390, "s390x", { "s390x", NULL } },
  { EM_PPC64, "ppc64", { "ppc64", "ppc64le", NULL } },
};

static guint16
read_machine (const guint8 *bytes)
{
  guint16 machine;

  memcpy (&machine, bytes + G_STRUCT_OFFSET (Elf64_Ehdr, e_machine), sizeof machine);
  return bytes[EI_DATA] == ELFDATA2MSB ? GUINT16_FROM_BE (machine) : GUINT16_FROM_LE (machine);
}

gboolean
asb_opensandbox_elf_check (GBytes *program, const char *architecture, GError **error)
{
  gsize size;
  const guint8 *bytes = g_bytes_get_data (program, &size);
  guint16 machine;

  if (!architecture || size < sizeof (Elf32_Ehdr) || memcmp (bytes, ELFMAG, SELFMAG) != 0
      || g_str_equal (architecture, "unknown"))
    return TRUE;
  machine = read_machine (bytes);
  for (gsize i = 0; i < G_N_ELEMENTS (MACHINES); i++)
    if (MACHINES[i].machine == machine && !g_strv_contains (MACHINES[i].runs_on, architecture))
      {
        g_set_error (error, ASB_ERROR, ASB_ERROR_GUEST_UNAVAILABLE,
                     "The sandbox has another processor (%s) than the program is for (%s)",
                     architecture, MACHINES[i].name);
        return FALSE;
      }
  return TRUE;
}
