"""The calls that change a file system: their numbers, where their paths stand, and the filter that stops at them.

A step of a command is one such call on the sandbox. Reading leaves nothing behind that could be half done, so calls
that only read are let through by the kernel itself, without a stop.
"""

import os
import struct
from dataclasses import dataclass

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
"""An ``open`` without any of these flags changes nothing."""

AT_FDCWD = -100


@dataclass(frozen=True)
class Place:
    """Where a call names a file: a directory's or the file's own descriptor, a path, or a path below a descriptor."""

    descriptor: int | None = None
    path: int | None = None


@dataclass(frozen=True)
class Call:
    """One system call: its number per machine (``None``: not there), its files, the argument that holds open flags.

    ``flags_behind`` says that this argument is the address of the flags, and ``length`` which argument says how much
    is written.
    """

    name: str
    x86_64: int | None
    aarch64: int | None
    places: tuple[Place, ...]
    flags: int | None = None
    flags_behind: bool = False
    length: int | None = None


def _fd(argument: int) -> Place:
    return Place(descriptor=argument)


def _path(argument: int) -> Place:
    return Place(path=argument)


def _at(descriptor: int, path: int) -> Place:
    return Place(descriptor, path)


CALLS = (
    Call("write", 1, 64, (_fd(0),), length=2),
    Call("pwrite64", 18, 68, (_fd(0),), length=2),
    Call("writev", 20, 66, (_fd(0),)),
    Call("pwritev", 296, 70, (_fd(0),)),
    Call("pwritev2", 328, 287, (_fd(0),)),
    Call("sendfile", 40, 71, (_fd(0),), length=3),
    Call("copy_file_range", 326, 285, (_fd(2),), length=4),
    Call("fsync", 74, 82, (_fd(0),)),
    Call("fdatasync", 75, 83, (_fd(0),)),
    Call("syncfs", 306, 267, (_fd(0),)),
    Call("truncate", 76, 45, (_path(0),)),
    Call("ftruncate", 77, 46, (_fd(0),)),
    Call("fallocate", 285, 47, (_fd(0),)),
    Call("open", 2, None, (_path(0),), flags=1),
    Call("openat", 257, 56, (_at(0, 1),), flags=2),
    Call("openat2", 437, 437, (_at(0, 1),), flags=2, flags_behind=True),
    Call("creat", 85, None, (_path(0),)),
    Call("mknod", 133, None, (_path(0),)),
    Call("mknodat", 259, 33, (_at(0, 1),)),
    Call("mkdir", 83, None, (_path(0),)),
    Call("mkdirat", 258, 34, (_at(0, 1),)),
    Call("rmdir", 84, None, (_path(0),)),
    Call("unlink", 87, None, (_path(0),)),
    Call("unlinkat", 263, 35, (_at(0, 1),)),
    Call("rename", 82, None, (_path(0), _path(1))),
    Call("renameat", 264, 38, (_at(0, 1), _at(2, 3))),
    Call("renameat2", 316, 276, (_at(0, 1), _at(2, 3))),
    Call("link", 86, None, (_path(0), _path(1))),
    Call("linkat", 265, 37, (_at(0, 1), _at(2, 3))),
    Call("symlink", 88, None, (_path(1),)),
    Call("symlinkat", 266, 36, (_at(1, 2),)),
    Call("chmod", 90, None, (_path(0),)),
    Call("fchmod", 91, 52, (_fd(0),)),
    Call("fchmodat", 268, 53, (_at(0, 1),)),
    Call("fchmodat2", 452, 452, (_at(0, 1),)),
)


@dataclass(frozen=True)
class Machine:
    """How one kind of machine hands a call to its kernel.

    ``audit`` is the kernel's own name for it, ``words`` how many registers of 64 bits a process has; the others are
    places among these. Where the call's number has a register set of its own, ``number_apart`` names that.
    """

    name: str
    audit: int
    words: int
    number: int
    result: int
    arguments: tuple[int, ...]
    number_apart: int | None = None

    def calls(self) -> dict[int, Call]:
        """The calls that this machine has, by their number."""
        numbered = ((getattr(call, self.name), call) for call in CALLS)
        return {number: call for number, call in numbered if number is not None}


MACHINES = {
    machine.name: machine
    for machine in (
        Machine("x86_64", 0xC000003E, 27, 15, 10, (14, 13, 12, 7, 9, 8)),
        Machine("aarch64", 0xC00000B7, 34, 8, 0, (0, 1, 2, 3, 4, 5), number_apart=0x404),
    )
}

_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_LET_THROUGH, _STOP = 0x7FFF0000, 0x7FF00000
_AT_NUMBER, _AT_MACHINE, _AT_ARGUMENTS = 0, 4, 16
"""Where ``struct seccomp_data`` holds the number, the machine, and the arguments of 8 bytes each."""


def stopping_filter(machine: Machine) -> bytes:
    """The kernel's filter program: stop at the calls of the table, and at an ``open`` only if it may write."""
    whole: list[tuple[int, int | str, int | str, int]] = [
        (_LOAD, 0, 0, _AT_MACHINE),
        (_EQUAL, 0, "through", machine.audit),
        (_LOAD, 0, 0, _AT_NUMBER),
    ]
    for number, call in machine.calls().items():
        if call.flags is None or call.flags_behind:
            whole.append((_EQUAL, "stop", 0, number))
        else:
            whole.append((_EQUAL, 0, 2, number))
            whole.append((_LOAD, 0, 0, _AT_ARGUMENTS + 8 * call.flags))
            whole.append((_ANY_BIT, "stop", "through", WRITING))
    ends = {"through": len(whole), "stop": len(whole) + 1}
    whole += [(_RETURN, 0, 0, _LET_THROUGH), (_RETURN, 0, 0, _STOP)]

    def steps(jump: int | str, here: int) -> int:
        return jump if isinstance(jump, int) else ends[jump] - here - 1

    return b"".join(
        struct.pack("HBBI", code, steps(yes, here), steps(no, here), value)
        for here, (code, yes, no, value) in enumerate(whole)
    )
