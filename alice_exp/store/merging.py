"""The merge driver's place in the version before, which ``.git/config`` of its homes still names.

The first act in such a home writes the entry that stays (``python -m alice_exp merge-driver``).
"""

import sys

from alice_exp.sync.store.merge_driver import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
