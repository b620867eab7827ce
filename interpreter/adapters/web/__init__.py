"""The web behind the contracts of `specs/tools/web.yaml`: pages of the network, or pages saved in a folder.

The road of a page: `addresses` takes its address apart and says what may be read; `live` or `saved` gives the answer;
`bodies` unpacks and cuts it; `pages` walks the redirects and asks `robots_file`; the rest happens in a child process
(`page`: `charset`, `markup`, `tree`, `main_text`, `facts`, `access`; `pdf`). Searching saved pages is `index`.
"""

from __future__ import annotations

from interpreter.adapters.web.adapter import TOOLS, WebAdapter

__all__ = ["TOOLS", "WebAdapter"]
