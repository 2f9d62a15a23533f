/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is listed here is refused and the rest allowed, as by flatpak and, in effect, by Docker:
 * programs of all kinds must work inside. It is a second wall. The first, that there are no
 * capabilities and no further user namespaces, already makes most of these calls fail; the filter
 * keeps them from reaching the code of the kernel that decides so.
 *
 * The numbers of new system calls are the same on all processors but these, and so is the bound. */
#if !defined(__mips__) && !defined(__alpha__)
#define FIRST_UNKNOWN_CALL 467 /* open_tree_attr: with it begins what nobody has looked at */
#define END_OF_CALLS 1024      /* above are ranges of single processors */
#define FCHMODAT2_CALL 452
#endif

#define LOW_BITS 0xffffffffu /* of an argument that the kernel takes as an int */
#define MAX_FILTER_SIZE (4096 * sizeof (struct sock_filter))

#ifdef __s390__
#define CLONE_FLAGS_ARGUMENT 1
#else
#define CLONE_FLAGS_ARGUMENT 0
#endif

#define COUNT_OF_BITS 32
#define BINARY_TREE 2 /* otherwise the filter looks at one call after the other */

typedef struct
{
  int call;
  int reason;
} Refusal;

/* ENOSYS where programs know what to do on an older kernel. */
static const Refusal refusals[] = {
  /* Mounts, of both kinds. */
  { SCMP_SYS (mount), EPERM },
  { SCMP_SYS (umount), EPERM },
  { SCMP_SYS (umount2), EPERM },
  { SCMP_SYS (pivot_root), EPERM },
  { SCMP_SYS (chroot), EPERM },
  { SCMP_SYS (open_tree), ENOSYS },
  { SCMP_SYS (move_mount), ENOSYS },
  { SCMP_SYS (fsopen), ENOSYS },
  { SCMP_SYS (fsconfig), ENOSYS },
  { SCMP_SYS (fsmount), ENOSYS },
  { SCMP_SYS (fspick), ENOSYS },
  { SCMP_SYS (mount_setattr), ENOSYS },
  /* Namespaces. The flags of clone3 lie in memory, where no filter sees them. */
  { SCMP_SYS (clone3), ENOSYS },
  { SCMP_SYS (setns), EPERM },
  /* Keyrings know no namespaces. */
  { SCMP_SYS (add_key), EPERM },
  { SCMP_SYS (keyctl), EPERM },
  { SCMP_SYS (request_key), EPERM },
  /* Where the faults of the kernel were that mattered, and what makes others easy to use. */
  { SCMP_SYS (bpf), EPERM },
  { SCMP_SYS (perf_event_open), EPERM },
  { SCMP_SYS (userfaultfd), ENOSYS },
  { SCMP_SYS (io_uring_setup), ENOSYS },
  { SCMP_SYS (io_uring_enter), ENOSYS },
  { SCMP_SYS (io_uring_register), ENOSYS },
  { SCMP_SYS (modify_ldt), ENOSYS },
  { SCMP_SYS (vm86), ENOSYS },
  { SCMP_SYS (vm86old), ENOSYS },
  { SCMP_SYS (kcmp), EPERM },
  { SCMP_SYS (mbind), EPERM },
  { SCMP_SYS (set_mempolicy), EPERM },
  { SCMP_SYS (set_mempolicy_home_node), EPERM },
  { SCMP_SYS (migrate_pages), EPERM },
  { SCMP_SYS (move_pages), EPERM },
  /* Files past the mounts, and the work of others with files. */
  { SCMP_SYS (open_by_handle_at), EPERM },
  { SCMP_SYS (lookup_dcookie), EPERM },
  { SCMP_SYS (fanotify_init), EPERM },
  { SCMP_SYS (quotactl), EPERM },
  { SCMP_SYS (quotactl_fd), EPERM },
  /* The machine. */
  { SCMP_SYS (kexec_load), EPERM },
  { SCMP_SYS (kexec_file_load), EPERM },
  { SCMP_SYS (init_module), EPERM },
  { SCMP_SYS (finit_module), EPERM },
  { SCMP_SYS (delete_module), EPERM },
  { SCMP_SYS (create_module), EPERM },
  { SCMP_SYS (query_module), EPERM },
  { SCMP_SYS (get_kernel_syms), EPERM },
  { SCMP_SYS (reboot), EPERM },
  { SCMP_SYS (swapon), EPERM },
  { SCMP_SYS (swapoff), EPERM },
  { SCMP_SYS (acct), EPERM },
  { SCMP_SYS (syslog), EPERM },
  { SCMP_SYS (settimeofday), EPERM },
  { SCMP_SYS (stime), EPERM },
  { SCMP_SYS (clock_settime), EPERM },
  { SCMP_SYS (clock_settime64), EPERM },
  { SCMP_SYS (iopl), EPERM },
  { SCMP_SYS (ioperm), EPERM },
  { SCMP_SYS (vhangup), EPERM },
  { SCMP_SYS (nfsservctl), EPERM },
  { SCMP_SYS (uselib), EPERM },
  { SCMP_SYS (sysfs), EPERM },
  { SCMP_SYS (ustat), EPERM },
  { SCMP_SYS (_sysctl), EPERM },
};

static gboolean
add (scmp_filter_ctx filter, int call, int reason)
{
  return seccomp_rule_add_array (filter, SCMP_ACT_ERRNO (reason), call, 0, NULL) == 0;
}

static gboolean
add_if (scmp_filter_ctx filter, int call, int reason, struct scmp_arg_cmp condition)
{
  return seccomp_rule_add_array (filter, SCMP_ACT_ERRNO (reason), call, 1, &condition) == 0;
}

/* If the argument, an int, has just these of the bits in @mask. */
static gboolean
add_if_bits (scmp_filter_ctx filter, int call, int reason, unsigned argument, guint32 mask,
             guint32 bits)
{
  return add_if (filter, call, reason, SCMP_CMP (argument, SCMP_CMP_MASKED_EQ, mask, bits));
}

static gboolean
add_refusals (scmp_filter_ctx filter)
{
  for (gsize i = 0; i < G_N_ELEMENTS (refusals); i++)
    if (!add (filter, refusals[i].call, refusals[i].reason))
      return FALSE;
  return TRUE;
}

/* The others want a capability, which only a new user namespace would give. */
static gboolean
add_namespaces (scmp_filter_ctx filter)
{
  return add_if_bits (filter, SCMP_SYS (unshare), EPERM, 0, CLONE_NEWUSER, CLONE_NEWUSER)
         && add_if_bits (filter, SCMP_SYS (clone), EPERM, CLONE_FLAGS_ARGUMENT, CLONE_NEWUSER,
                         CLONE_NEWUSER);
}

/* Typing for others, and line disciplines, each another driver. */
static gboolean
add_terminals (scmp_filter_ctx filter)
{
  static const guint32 requests[] = { TIOCSTI, TIOCLINUX, TIOCSETD };

  for (gsize i = 0; i < G_N_ELEMENTS (requests); i++)
    if (!add_if_bits (filter, SCMP_SYS (ioctl), EPERM, 1, LOW_BITS, requests[i]))
      return FALSE;
  return TRUE;
}

/* Linux, 32-bit Linux, the old version numbers and addresses that do not change, which debuggers
 * and sanitizers want, in any combination; and 0xffffffff, which only asks. A rule compares once,
 * so each refuses a bit that is clear after the one before it, round about, is set. What is left
 * has none of the others set, or all bits. */
static gboolean
add_personalities (scmp_filter_ctx filter)
{
  const guint32 harmless = PER_LINUX32 | UNAME26 | ADDR_NO_RANDOMIZE;
  guint32 before = 1u << (COUNT_OF_BITS - 1);

  for (guint i = 0; i < COUNT_OF_BITS; i++)
    {
      guint32 bit = 1u << i;

      if (!add_if_bits (filter, SCMP_SYS (personality), EPERM, 0, before | bit, before))
        return FALSE;
      if (!(bit & harmless))
        before = bit;
    }
  return TRUE;
}

/* All but AF_UNSPEC, AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK. Of 64 bits the kernel takes 32: a
 * greater number is refused as such. Where 32-bit programs have socketcall, whose arguments lie in
 * memory, libseccomp refuses to make sockets by that at all. */
static gboolean
add_families (scmp_filter_ctx filter)
{
  static const struct
  {
    guint64 ignored; /* bits */
    guint64 family;
  } refused[] = { { 0, 3 }, { 3, 4 }, { 1, 8 }, { 0, 11 }, { 3, 12 } };

  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    if (!add_if (filter, SCMP_SYS (socket), EAFNOSUPPORT,
                 SCMP_CMP (0, SCMP_CMP_MASKED_EQ, ~refused[i].ignored, refused[i].family)))
      return FALSE;
  return add_if (filter, SCMP_SYS (socket), EAFNOSUPPORT, SCMP_CMP (0, SCMP_CMP_GT, AF_NETLINK))
         && add_if (filter, SCMP_SYS (socketpair), EAFNOSUPPORT,
                    SCMP_CMP (0, SCMP_CMP_NE, AF_UNIX));
}

/* With all of the conditions. */
static gboolean
add_if_both (scmp_filter_ctx filter, int call, struct scmp_arg_cmp first,
             struct scmp_arg_cmp second)
{
  const struct scmp_arg_cmp conditions[] = { first, second };

  return seccomp_rule_add_array (filter, SCMP_ACT_ERRNO (EPERM), call, 2, conditions) == 0;
}

/* Of its user's processes the guest is one, which could do nothing more without descriptors. A
 * process's own limits go by 0. */
static gboolean
add_limits (scmp_filter_ctx filter)
{
  return add_if_both (filter, SCMP_SYS (prlimit64), SCMP_CMP (0, SCMP_CMP_NE, 0),
                      SCMP_CMP (2, SCMP_CMP_NE, 0));
}

/* The calls that set the mode of a file to what has @bit. */
static gboolean
add_modes (scmp_filter_ctx filter, guint32 bit)
{
  static const struct
  {
    int call;
    unsigned argument;
  } changes[] = { { SCMP_SYS (chmod), 1 }, { SCMP_SYS (fchmod), 1 }, { SCMP_SYS (fchmodat), 2 },
                  { SCMP_SYS (creat), 1 }, { SCMP_SYS (mknod), 1 },  { SCMP_SYS (mknodat), 2 } };
  static const struct
  {
    int call;
    unsigned flags; /* the mode comes next, and means something with these */
  } openings[] = { { SCMP_SYS (open), 1 }, { SCMP_SYS (openat), 2 } };
  static const guint32 creating[] = { O_CREAT, O_TMPFILE & ~O_DIRECTORY };

  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    if (!add_if_bits (filter, changes[i].call, EPERM, changes[i].argument, bit, bit))
      return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (openings); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (creating); j++)
      if (!add_if_both (filter, openings[i].call,
                        SCMP_CMP (openings[i].flags, SCMP_CMP_MASKED_EQ, creating[j], creating[j]),
                        SCMP_CMP (openings[i].flags + 1, SCMP_CMP_MASKED_EQ, bit, bit)))
        return FALSE;
  return TRUE;
}

/* A program that runs as its owner means nothing inside. In a folder of the host that is written
 * to, it would be one of the host, for everybody who gets there. The flags of openat2 lie in
 * memory. */
static gboolean
add_owners (scmp_filter_ctx filter)
{
  return add_modes (filter, S_ISUID) && add_modes (filter, S_ISGID)
         && add (filter, SCMP_SYS (openat2), ENOSYS);
}

static gboolean
add_architectures (scmp_filter_ctx filter)
{
#if defined(__x86_64__) && !defined(__ILP32__)
  return seccomp_arch_add (filter, SCMP_ARCH_X86) == 0;
#elif defined(__aarch64__)
  return seccomp_arch_add (filter, SCMP_ARCH_ARM) == 0;
#elif defined(__s390x__)
  return seccomp_arch_add (filter, SCMP_ARCH_S390) == 0;
#else
  return TRUE;
#endif
}

/* What all programs of the sandbox may call, written to @fd. */
static gboolean
export_filter (int fd, gboolean writes_through)
{
  scmp_filter_ctx filter = seccomp_init (SCMP_ACT_ALLOW);
  gboolean done
      = filter && seccomp_attr_set (filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO (ENOSYS)) == 0
        && add_architectures (filter) && add_refusals (filter) && add_namespaces (filter)
        && add_terminals (filter) && add_personalities (filter) && add_families (filter)
        && add_limits (filter) && (!writes_through || add_owners (filter))
        && seccomp_export_bpf (filter, fd) == 0;

  seccomp_release (filter);
  return done;
}

/* System calls younger than this list are missing, as on an older kernel. */
static void
append_youngest (GByteArray *filter)
{
#ifdef FIRST_UNKNOWN_CALL
  const struct sock_filter instructions[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JGE | BPF_K, FIRST_UNKNOWN_CALL, 0, 2),
    BPF_JUMP (BPF_JMP | BPF_JGE | BPF_K, END_OF_CALLS, 1, 0),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
  };

  g_byte_array_append (filter, (const guint8 *)instructions, sizeof instructions);
#endif
}

/* Nor is the new way to set modes, which libseccomp 2.5 has no name for. */
static void
append_new_mode_call (GByteArray *filter)
{
#ifdef FIRST_UNKNOWN_CALL
  const struct sock_filter instructions[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, FCHMODAT2_CALL, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
  };

  g_byte_array_append (filter, (const guint8 *)instructions, sizeof instructions);
#endif
}

GBytes *
asb_local_filter_make (gboolean writes_through)
{
  g_autoptr (GByteArray) filter = g_byte_array_new ();
  guint8 exported[MAX_FILTER_SIZE];
  int fd = memfd_create ("asb-local-filter", MFD_CLOEXEC);
  gssize size = fd >= 0 && export_filter (fd, writes_through)
                    ? pread (fd, exported, sizeof exported, 0)
                    : -1;

  if (fd >= 0)
    close (fd);
  if (size <= 0)
    return NULL;
  append_youngest (filter);
  if (writes_through)
    append_new_mode_call (filter);
  g_byte_array_append (filter, exported, (guint)size);
  return g_byte_array_free_to_bytes (g_steal_pointer (&filter));
}
