/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-user.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define NOBODY 65534
#define NUMBER_FOR_ROOT 1000

/* Root of a user namespace that has no other users, as of "unshare -r", is an ordinary user to the
 * host, and there is nobody else it could become. */
static gboolean
find_only_user (void)
{
  g_autofree char *map = NULL;
  unsigned first, outside, count;

  return g_file_get_contents ("/proc/self/uid_map", &map, NULL, NULL)
         && sscanf (map, "%u %u %u", &first, &outside, &count) == 3 && first == 0 && outside != 0
         && count == 1;
}

static gboolean
is_only_user (void)
{
  static gsize known;

  if (g_once_init_enter (&known))
    g_once_init_leave (&known, find_only_user () ? 1 : 2);
  return known == 1;
}

gboolean
asb_local_user_differs (void)
{
  return geteuid () == 0 && !is_only_user ();
}

uid_t
asb_local_user_outside (void)
{
  return asb_local_user_differs () ? NOBODY : geteuid ();
}

gid_t
asb_local_group_outside (void)
{
  return asb_local_user_differs () ? NOBODY : getegid ();
}

uid_t
asb_local_user_inside (void)
{
  return geteuid () == 0 ? NUMBER_FOR_ROOT : geteuid ();
}

gid_t
asb_local_group_inside (void)
{
  return getegid () == 0 ? NUMBER_FOR_ROOT : getegid ();
}

gboolean
asb_local_user_give (int folder, const char *name)
{
  if (!asb_local_user_differs ())
    return TRUE;
  return fchownat (folder, name, asb_local_user_outside (), asb_local_group_outside (),
                   AT_SYMLINK_NOFOLLOW)
         == 0;
}
