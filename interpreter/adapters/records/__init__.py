"""A folder of records behind the contract of `specs/tools/records.yaml`.

A record is a folder. Its text stands in numbered files (`1.md`, `2.md`, …), which are its stored segments: joined in
order, with nothing between them, they are the record. `record.yaml` says what the record is: `record` (the name of the
folder), `title`, `segments` (how many there are), `sha256`, and, where somebody wrote them, `summary` and `protected`.
`sha256` stands for the title, a line feed, and the text. `python -m interpreter.adapters.records FOLDER` tells which
hashes differ, and with `--write` writes them.

Nothing is judged here: a segment that is missing is not among the answers, and a wrong hash is handed on as it stands.
"""
