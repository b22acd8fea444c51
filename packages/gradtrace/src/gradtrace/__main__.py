"""`python -m gradtrace`."""

import os
import sys

# Modules are looked for in the current folder first: the html.py of a user would hide Python's.
if sys.path[0] in ("", os.getcwd()):
    del sys.path[0]

from gradtrace.cli import main

sys.exit(main())
