"""What Linux offers to follow another process and to change its calls, as few plain functions over ``ctypes``."""

import ctypes
import os
import platform
import struct
import sys
from pathlib import Path

from .syscalls import MACHINES, Machine, stopping_filter


class Unable(Exception):
    """This machine cannot do what a mode needs; the text says why."""


_SEIZE, _CONTINUE, _LISTEN = 0x4206, 7, 0x4208
_GET_MESSAGE, _GET_REGISTERS, _SET_REGISTERS = 0x4201, 0x4204, 0x4205
_GENERAL = 1
"""The register set that every machine has (``NT_PRSTATUS``)."""
_FOLLOW = 1 | 2 | 4 | 8 | 0x10 | 0x80 | 0x100000
"""Mark stops at calls; follow fork, vfork, clone and exec; stop at the filter's word; nothing outlives its tracer."""

EVENT_EXEC, EVENT_FILTER, EVENT_STOP = 4, 7, 128
CHILDREN_OF_ANY_KIND = 0x40000000
"""``__WALL`` of ``waitpid``: threads too."""

_NO_NEW_PRIVILEGES, _SECCOMP, _SECCOMP_FILTER = 38, 22, 2

_libc = ctypes.CDLL(None, use_errno=True)


def machine() -> Machine:
    """The tables of this machine; ``Unable`` where there are none."""
    if sys.platform != "linux":
        raise Unable(f"calls are met with ptrace and seccomp of Linux, this is {sys.platform}")
    if platform.machine() not in MACHINES or sys.maxsize < 2**32:
        raise Unable(f"no table of calls for {platform.machine()} here, only for {' and '.join(MACHINES)}")
    return MACHINES[platform.machine()]


def _ptrace(request: int, process: int, place: int = 0, data: int | ctypes.Array[ctypes.c_char] = 0) -> None:
    given = ctypes.c_void_p(data) if isinstance(data, int) else data
    if _libc.ptrace(ctypes.c_long(request), ctypes.c_long(process), ctypes.c_void_p(place), given) == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def seize(process: int) -> None:
    """Follow a process of ours and all that come from it; ``Unable`` where ptrace is refused."""
    try:
        _ptrace(_SEIZE, process, 0, _FOLLOW)
    except OSError as fault:
        raise Unable(f"ptrace is refused here: {fault.strerror}") from fault


def go_on(process: int, signal: int = 0) -> None:
    """Let a stopped process run, with a signal for it."""
    _ptrace(_CONTINUE, process, 0, signal)


def stay_stopped(process: int) -> None:
    """A process that a signal stopped stays so, until another one wakes it."""
    _ptrace(_LISTEN, process)


def event_message(process: int) -> int:
    """What the kernel tells with the event at which a process stands."""
    told = ctypes.create_string_buffer(8)
    _ptrace(_GET_MESSAGE, process, 0, told)
    return int.from_bytes(told.raw, sys.byteorder)


def filter_calls(of: Machine) -> None:
    """From here on this process and its children stop at the calls of the table: only for a child before its exec."""
    program = ctypes.create_string_buffer(stopping_filter(of))
    length = (len(program) - 1) // 8
    shape = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", length, ctypes.addressof(program)))
    for option in ((_NO_NEW_PRIVILEGES, 1, 0), (_SECCOMP, _SECCOMP_FILTER, ctypes.addressof(shape))):
        if _libc.prctl(*(ctypes.c_ulong(word) for word in (*option, 0, 0))):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


class Registers:
    """The registers of a process that stands at a call: read once, and written back only by what changes the call."""

    def __init__(self, of: Machine, process: int) -> None:
        self._of, self._process = of, process
        self._words = ctypes.create_string_buffer(8 * of.words)
        _transfer(_GET_REGISTERS, process, _GENERAL, self._words)
        self._values: list[int] = list(struct.unpack(f"{of.words}Q", self._words.raw))

    @property
    def number(self) -> int:
        """The call's number."""
        return self._values[self._of.number]

    def argument(self, which: int) -> int:
        """One argument of the call, as it stands in its register."""
        return self._values[self._of.arguments[which]]

    def change_argument(self, which: int, value: int) -> None:
        """The call goes out with another argument."""
        self._values[self._of.arguments[which]] = value
        self._write()

    def refuse(self, error: int) -> None:
        """The call is not carried out: its process is told this ``errno``."""
        if self._of.number_apart is None:
            self._values[self._of.number] = 2**64 - 1
        else:
            none = ctypes.create_string_buffer(struct.pack("i", -1), 4)
            _transfer(_SET_REGISTERS, self._process, self._of.number_apart, none)
        self._values[self._of.result] = 2**64 - error
        self._write()

    def _write(self) -> None:
        self._words.raw = struct.pack(f"{self._of.words}Q", *self._values)
        _transfer(_SET_REGISTERS, self._process, _GENERAL, self._words)


def _transfer(request: int, process: int, which: int, words: ctypes.Array[ctypes.c_char]) -> None:
    shape = struct.pack("QQ", ctypes.addressof(words), len(words))
    _ptrace(request, process, which, ctypes.create_string_buffer(shape, len(shape)))


def memory(process: int, address: int, length: int) -> bytes:
    """What stands in another process's memory, up to where it ends."""
    with Path(f"/proc/{process}/mem").open("rb", buffering=0) as whole:
        return os.pread(whole.fileno(), length, address)


def mounts_of_our_own() -> None:
    """Mounts from here on are seen by this process and its children alone; ``Unable`` where that is refused."""
    new_namespace, private_all_below = 0x00020000, 0x40000 | 0x4000
    none = ctypes.c_char_p()
    if _libc.unshare(ctypes.c_int(new_namespace)) or _libc.mount(
        none, ctypes.c_char_p(b"/"), none, ctypes.c_ulong(private_all_below), none
    ):
        raise Unable(f"mounts of its own are refused here: {os.strerror(ctypes.get_errno())}")
