"""`python -m proofbook`."""

import sys

from proofbook.cli.main import main

sys.exit(main())
