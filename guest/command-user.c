/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "command-user.h"

#include "arguments.h"
#include "passwd.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The highest number stands for none. */
#define MAX_ID (INT64_C (0xffffffff) - 1)

typedef enum
{
  FAULT_NONE,
  FAULT_GROUPS,
  FAULT_GROUP,
  FAULT_USER,
  FAULT_KILL /* it would be out of reach */
} Fault;

bool
command_user_parse (CommandUser *user, json_t *args, Failure *failure)
{
  return argument_integer (args, "uid", 0, MAX_ID, -1, &user->uid, failure)
         && argument_integer (args, "gid", 0, MAX_ID, -1, &user->gid, failure);
}

static bool
changes_user (const CommandUser *user)
{
  return user->uid >= 0 && user->uid != (int64_t)geteuid ();
}

static bool
changes_group (const CommandUser *user)
{
  return user->gid >= 0 && user->gid != (int64_t)getegid ();
}

void
command_user_give (const CommandUser *user, int fd)
{
  /* Where it is refused the command will be, too. */
  if (changes_user (user) && fchown (fd, (uid_t)user->uid, (gid_t)-1) != 0)
    errno = 0;
}

static void
replace_home (char **environment, const char *home)
{
  static char entry[PASSWD_MAX_LINE + sizeof "HOME="];

  snprintf (entry, sizeof entry, "HOME=%s", *home ? home : "/");
  for (; *environment; environment++)
    if (strncmp (*environment, "HOME=", 5) == 0)
      *environment = entry;
}

void
command_user_resolve (CommandUser *user, char **environment)
{
  Passwd found = { 0 };
  bool is_known;

  if (!changes_user (user))
    return;
  is_known = passwd_find ((uid_t)user->uid, &found);
  if (is_known && user->gid < 0)
    user->gid = found.gid;
  if (!user->keeps_home)
    replace_home (environment, found.home);
}

/* Whoever may become anybody but may not send signals to anybody could not end the command. */
static bool
may_kill_others (void)
{
  struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

  return syscall (SYS_capget, &header, data) == 0
         && (data[CAP_TO_INDEX (CAP_KILL)].effective & CAP_TO_MASK (CAP_KILL)) != 0;
}

int
command_user_become (const CommandUser *user)
{
  uid_t uid = (uid_t)(user->uid >= 0 ? user->uid : (int64_t)geteuid ());
  gid_t gid = (gid_t)(user->gid >= 0 ? user->gid : (int64_t)getegid ());

  if (!changes_user (user) && !changes_group (user))
    return FAULT_NONE;
  if (setgroups (0, NULL) != 0)
    return FAULT_GROUPS;
  if (setresgid (gid, gid, gid) != 0)
    return FAULT_GROUP;
  if (changes_user (user) && !may_kill_others ())
    {
      errno = EPERM;
      return FAULT_KILL;
    }
  return setresuid (uid, uid, uid) == 0 ? FAULT_NONE : FAULT_USER;
}

static void
write_name (const CommandUser *user, char *name, size_t size)
{
  if (user->uid >= 0 && user->gid >= 0)
    snprintf (name, size, "user %lld and group %lld", (long long)user->uid, (long long)user->gid);
  else if (user->uid >= 0)
    snprintf (name, size, "user %lld", (long long)user->uid);
  else
    snprintf (name, size, "group %lld", (long long)user->gid);
}

static const char *
cause_of (int fault, int error)
{
  if (fault == FAULT_KILL)
    return "the guest could not end what another user runs";
  if (error == EINVAL)
    return "there is no such number in this sandbox";
  if (error == EPERM)
    return "the guest has no right to become another";
  return strerrordesc_np (error);
}

void
command_user_describe_fault (const CommandUser *user, int fault, int error, const char *program,
                             Failure *failure)
{
  const char *code
      = error == EINVAL || error == EPERM ? FAILURE_PERMISSION_DENIED : FAILURE_COMMAND_EXECUTION;
  const char *cause = cause_of (fault, error);
  const char *errno_name = strerrorname_np (error);
  char name[64];

  write_name (user, name, sizeof name);
  failure_set (failure, code, "Could not run “%.200s” as %s: %s", program, name,
               cause ? cause : "Unknown error");
  if (errno_name)
    failure_add_detail (failure, "errno", json_string (errno_name));
}
