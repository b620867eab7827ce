"""A rule document: plain data with places; `rules` reads it."""

from __future__ import annotations

from typing import cast

from interpreter.model import RuleText
from interpreter.parse.context import Fields
from interpreter.yaml_tree import places, to_value


def parse_rule_text(fields: Fields) -> RuleText:
    fields.ignore(*fields.names())
    return RuleText(
        name=fields.text("rules") or "",
        body=cast(dict[str, object], to_value(fields.node)),
        places=dict(places(fields.node).items()),
        span=fields.span,
    )
