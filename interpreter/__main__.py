"""`python -m interpreter`."""

import sys

from interpreter.cli.entry import main

sys.exit(main())
