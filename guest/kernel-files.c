/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "kernel-files.h"

#include <linux/magic.h>
#include <stddef.h>
#include <sys/vfs.h>

/* Not in the kernel's header. */
#define CONFIGFS_MAGIC 0x62656570
#define FUSECTL_MAGIC 0x65735543
#define MQUEUE_MAGIC 0x19800202

/* What these hold is no one's files: reading it may wait for ever, or do something. */
static const unsigned long KERNEL_FILE_SYSTEMS[]
    = { PROC_SUPER_MAGIC, SYSFS_MAGIC,      CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, DEBUGFS_MAGIC,
        TRACEFS_MAGIC,    SECURITYFS_MAGIC, DEVPTS_SUPER_MAGIC, BPF_FS_MAGIC,        PSTOREFS_MAGIC,
        EFIVARFS_MAGIC,   BINFMTFS_MAGIC,   AUTOFS_SUPER_MAGIC, CONFIGFS_MAGIC,      FUSECTL_MAGIC,
        MQUEUE_MAGIC,     SELINUX_MAGIC };

bool
is_kernel_files (int fd)
{
  struct statfs status;

  if (fstatfs (fd, &status) != 0)
    return false;
  for (size_t i = 0; i < sizeof KERNEL_FILE_SYSTEMS / sizeof *KERNEL_FILE_SYSTEMS; i++)
    if ((unsigned long)status.f_type == KERNEL_FILE_SYSTEMS[i])
      return true;
  return false;
}
