"""Cases of `tests:` documents: read, run against declared answers, compared, and what of a workflow they cover.

Nothing that a workflow names is started or contacted: every tool answers what the case declares, an answer that nobody
declared is a finding, time stands still where the case puts it, and people say what the case lets them say.
"""
