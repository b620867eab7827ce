"""What is given beside a verb: `name=value` on the command line, and files of values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from interpreter.cli.context import Refused, UsageError
from interpreter.diagnostics import Diagnostic, errors_of, finding
from interpreter.source import Span


def pairs(texts: list[str], what: str) -> dict[str, str]:
    """Return `name=value` arguments as a mapping.

    Errors: UsageError for a text without `=`, or a name given twice.
    """
    result: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name or name in result:
            from interpreter.cli.wrong_pairs import of_pair

            raise UsageError(of_pair(what, text, is_there=name in result))
        result[name] = value
    return result


def mapping_in(path: Path) -> dict[str, Any]:
    """Return the mapping in a file: JSON where its name says so, else YAML as strict as documents. Errors: Refused."""
    return placed_mapping_in(path)[0]


def placed_mapping_in(path: Path) -> tuple[dict[str, Any], dict[str, Span]]:
    """Return the mapping in a file, and the place of each of its values. Errors: Refused."""
    from interpreter.documents.reading import Disk
    from interpreter.source import Source
    from interpreter.yaml_tree import Mapping, read_tree, to_value

    text = Disk().read(path)
    if isinstance(text, Diagnostic):
        raise Refused(text)
    if path.suffix.lower() == ".json":
        from interpreter.documents.json_values import read_json_values

        read = read_json_values(Source(str(path), text))
        if isinstance(read, Diagnostic):
            raise Refused(read)
        return read
    node, found = read_tree(Source(str(path), text))
    # An empty document would be told to say what kind it is, which a file of values does not.
    if errors := [one for one in errors_of(found) if one.code != "yaml/empty-document"]:
        raise Refused(*errors)
    if not isinstance(node, Mapping):
        raise Refused(finding("command/inputs-not-a-mapping", None, file=path))
    places = {key.text: value.span for key, value in node.entries}
    return {key.text: to_value(value) for key, value in node.entries}, places
