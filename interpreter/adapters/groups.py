"""Groups of processes: what is started is ended together with everything that it starts."""

from __future__ import annotations

import os


def signal_group(group: int, number: int) -> bool:
    """Send a signal to a group; say whether there still is one."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True
