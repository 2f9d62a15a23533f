# SPDX-License-Identifier: LGPL-2.1-or-later
"""A process that has been killed and has closed its descriptors, but is not yet a zombie."""

import ctypes
import os
import signal

CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
FLAG_EXITING = 4


class CannotBeMade(Exception):
    """This machine lets nobody have processes of their own numbering."""


def _enter_new_numbering():
    unshare = ctypes.CDLL(None, use_errno=True).unshare
    if unshare(CLONE_NEWPID) != 0 and unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


def _fork_that_waits(*closed):
    pid = os.fork()
    if pid == 0:
        for fd in closed:
            os.close(fd)
        while True:
            signal.pause()
    return pid


def _look_after(orders, news):
    """The first process of a namespace, when it is killed, waits until all others in it have been
    waited for; the second one is a child of ours, and we do not wait for it."""
    _enter_new_numbering()
    held, holds = os.pipe()
    first = _fork_that_waits(orders, news, held)
    _fork_that_waits(orders, news, held, holds)
    os.close(holds)
    os.write(news, f"{first}\n".encode())
    os.read(orders, 1)
    os.kill(first, signal.SIGKILL)
    # Its end of the pipe is closed on its way.
    os.read(held, 1)
    os.write(news, b"dying\n")
    os.read(orders, 1)


class DyingProcess:
    """Lives until die (), and is a zombie at the end of the with statement at the soonest."""

    def __enter__(self):
        order, self.orders = os.pipe()
        self.news, new = os.pipe()
        self.helper = os.fork()
        if self.helper == 0:
            try:
                os.close(self.orders)
                _look_after(order, new)
            finally:
                os._exit(0)
        os.close(order)
        os.close(new)
        line = self._hear()
        if not line:
            self.__exit__()
            raise CannotBeMade()
        self.pid = int(line)
        return self

    def _hear(self):
        line = b""
        while not line.endswith(b"\n"):
            part = os.read(self.news, 1)
            if not part:
                return b""
            line += part
        return line

    def _stat(self):
        """From the state, the third field, on."""
        with open(f"/proc/{self.pid}/stat") as file:
            return file.read().rpartition(")")[2].split()

    def start_time(self):
        return int(self._stat()[19])

    def die(self):
        os.write(self.orders, b"\n")
        assert self._hear() == b"dying\n"
        fields = self._stat()
        assert fields[0] not in "ZX" and int(fields[6]) & FLAG_EXITING, fields

    def __exit__(self, *exception):
        os.close(self.orders)
        os.close(self.news)
        os.waitpid(self.helper, 0)
