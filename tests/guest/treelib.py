# SPDX-License-Identifier: LGPL-2.1-or-later
"""Trees of files for tests of searches, and what they cost."""

import os

from guestlib import Guest


def make_files(root, *paths):
    """Files that hold their own names."""
    for path in paths:
        whole = os.path.join(root, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "w") as file:
            file.write(os.path.basename(path))


def make_deep(root, depth):
    """A chain of directories with one file at its end."""
    back = os.open(".", os.O_RDONLY)
    os.chdir(root)
    for _ in range(depth):
        os.mkdir("d")
        os.chdir("d")
    with open("last", "w"):
        pass
    os.fchdir(back)
    os.close(back)
    return depth + 1


def remove_deep(root):
    """As deep as it may be."""
    back = os.open(".", os.O_RDONLY)
    os.chdir(root)
    depth = 0
    while os.path.isdir("d"):
        os.chdir("d")
        depth += 1
    os.unlink("last")
    for _ in range(depth):
        os.chdir("..")
        os.rmdir("d")
    os.fchdir(back)
    os.close(back)


def guest_of_nobody():
    """A guest of a user for whom permissions count."""
    guest = Guest(listen=False)
    for path in (guest.directory, guest.work):
        os.chmod(path, 0o777)

    def become():
        if os.getuid() == 0:
            os.setgid(54323)
            os.setuid(54323)

    guest.start(preexec_fn=become)
    os.chmod(guest.path, 0o777)
    return guest


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def name_of(pid):
    with open(f"/proc/{pid}/comm") as file:
        return file.read().strip()


def peak_memory(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:"))
