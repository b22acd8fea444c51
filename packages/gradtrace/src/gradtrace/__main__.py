"""`python -m gradtrace`."""

import sys

from gradtrace.cli import main

sys.exit(main())
