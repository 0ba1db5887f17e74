"""A fault injector: run a command again and again, and interfere each time at its next file-system call.

``syscalls`` knows the calls and where their paths stand, ``kernel`` speaks to ptrace and seccomp, ``tracer`` follows a
tree of processes with one counter over all of them, ``faults`` is what can happen at a call, ``powercut`` is a disk
whose power can be cut, ``walk`` goes from step to step, ``python -m tests.crash.injector --help`` is the command line.
Linux on x86_64 (aarch64 has its tables and was never run); the standard library alone.
"""
