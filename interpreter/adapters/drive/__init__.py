"""A folder as the drive, behind the contracts of `specs/tools/drive.yaml`, `reading.yaml` and
`evidence.yaml`.
"""

from __future__ import annotations

from interpreter.adapters.drive.adapter import TOOLS, DriveAdapter

__all__ = ["TOOLS", "DriveAdapter"]
