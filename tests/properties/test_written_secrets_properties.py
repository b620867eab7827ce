"""A secret that somebody wrote into a document is in no finding, however it is told as one."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from interpreter.diagnostics import Related, Words, finding
from interpreter.report.diagnostics import as_json, as_text
from interpreter.report.sarif import as_github, as_sarif
from interpreter.safety.written_secrets import masked_line
from interpreter.source import Source, Span
from interpreter.yaml_tree import read_tree

WORDS = [
    "bearer_from", "key_from", "password", "passwd", "apiKey", "API_KEY", "client-secret", "Authorization", "X-Api-Key",
    "access_token", "SHOP_SECRET", "credentials", "密钥", "口令",
]  # fmt: skip
#: How a secret stands behind a word for one; a line each.
WRITINGS = [
    "{word}: {secret}",
    "{word} {secret}",
    "{word}:{secret}",
    "{word}：{secret}",
    "{word} = {secret}",
    "{word}: '{secret}'",
    '{word}: "{secret}',
    '{word}: "{escaped}"',
    "{word}: &name {secret}",
    "{word}: !odd {secret}",
    "{word}: [{secret}]",
    "{word}: {{a: {secret}}}",
    "{word}: {{a: {{b: [x, {secret}]}}}}",
    "{word}: {{{secret}: b}}",
    "{word}: {{{secret}}}",
    "{word}: {secret}: b",
    "{word}: |\n  {secret}",
    "{word}: >-\n\n  {secret}\n  more",
    "{word}:\n  {secret}",
    "{word}:\n{secret}",
    "{word}:\n- {secret}",
    "{word}:\n  - b\n  - {secret}",
    "{word}:\n  a: {secret}",
    "{word}:\n  a:\n    b: {secret}",
    "{word}: {{\n  a: {secret}",
    "a: b  # {word}: {secret}",
    "# the {word} is {secret}",
    '{{"a": "b", "{word}": "{secret}", "c": 1}}',
    "argv: [send, --{word}, {secret}, --loud]",
    "argv: [send, --{word}={secret}]",
    "argv: [-H, '{word}: {secret}']",
    "address: https://shop.example/a?b=c&{word}={secret}&d",
    "address: https://ann:{secret}@shop.example/a",
]
#: Lines that may stand around: they tell of nothing, and the first two are wrong.
AROUND = ["to: {", "colour: 'red", "name: shop", "items:", "  - id: a", "# a note", "", "\tx: y", "text: >"]
#: What a program makes up: letters and digits, parted by signs that services take.
SECRETS = st.from_regex(r"[A-Za-z]{2}[a-z][0-9][A-Za-z0-9]{4,12}([-_][A-Za-z0-9]{4,8})?", fullmatch=True)


def everything_told(source: Source, secret: str) -> str:
    """Return all forms of the findings about a document, and of one at each line that repeats its secret."""
    found = list(read_tree(source)[1])
    for number, line in enumerate(source.text.split("\n"), 1):
        start = source.offset(number, 1)
        span = Span(source, start, start + len(line))
        hint = Words(f"写 {secret}", f"write {secret}")
        found.append(finding("name/unknown", span, name=secret, hint=hint, related=[Related(span, hint)]))
    text = [line for _, line in as_text(found, "en", 10_000)]
    data = [as_json(found, "zh"), as_sarif(found, "zh", "1")]
    return "\n".join([*text, *as_github(found, "zh"), json.dumps(data, ensure_ascii=False)])


@given(
    secret=SECRETS,
    word=st.sampled_from(WORDS),
    writing=st.sampled_from(WRITINGS),
    above=st.lists(st.sampled_from(AROUND), max_size=3),
    below=st.lists(st.sampled_from(AROUND), max_size=3),
    indent=st.sampled_from(["", "  ", "      "]),
)
def test_no_finding_repeats_a_secret_or_a_part_of_it(
    secret: str, word: str, writing: str, above: list[str], below: list[str], indent: str
) -> None:
    escaped = f"{secret[:3]}\\x{ord(secret[3]):02x}{secret[4:]}"
    written = writing.format(word=word, secret=secret, escaped=escaped)
    lines = [*above, *(indent + line for line in written.split("\n")), *below]
    source = Source("x.yaml", "\n".join(lines))
    told = everything_told(source, secret)
    assert not [part for part in (secret[at : at + 6] for at in range(len(secret) - 5)) if part in told], told


@given(
    pieces=st.lists(
        st.sampled_from(
            [*"ab1_-: \n#\"'{}[],=?&@/\\", "key_from", "密钥", "secrets:\n", "\\ud83d", "\\x41", "://", "sk-1"]
        ),
        max_size=40,
    )
)
def test_whatever_stands_in_a_document_masking_keeps_every_place(pieces: list[str]) -> None:
    source = Source("x.yaml", "".join(pieces))
    for number, line in enumerate(source.lines(), 1):
        masked = masked_line(source, number)
        assert len(masked) == len(line)
        assert all(mark in (own, "•") for own, mark in zip(line, masked, strict=True))
    assert everything_told(source, "a")
