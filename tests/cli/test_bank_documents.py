"""Cases of the bank about what people write: YAML, expressions, shapes."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.cli.bank_kit import CASES, SECRET, Desk, listed, places


def test_y01_words_that_others_read_as_booleans_stay_words(desk: Desk) -> None:
    words = ["NO", "no", "off", "Yes", "on", "True", "FALSE", "y", "~"]
    head = f"data: {{regions: {{type: array, default: [CN, US, {', '.join(words)}]}}}}\n"
    head += 'outputs: {regions: {type: array, value: "{{ regions }}"}}'
    desk.tools({})
    desk.workflow(
        f"  A:\n    steps: [{{let: {{same: [{', '.join(words)}]}}}}, {{set: {{regions: '{{{{ regions }}}}'}}}}]\n", head
    )
    assert desk.outputs()["regions"] == ["CN", "US", *words]
    desk.workflow("  A: {steps: [{say: {done: d, next: n, writes: no}}]}\n")
    assert places(desk.lint()) == ["7 shape/looks-like-another-kind"]


def test_y02_what_stands_twice_is_refused_at_any_depth(desk: Desk) -> None:
    desk.tools({"search": ""}, search=[{"give": {}}])
    twice = """  A:
    tools: [desk.search]
    steps:
      - id: recall
        call: desk.search
        with: {q: a, id: mine}
        with: {q: a}
      - {id: recall, say: {done: d, next: n, writes: false}}
  A: {}
"""
    desk.workflow(twice, "uses: {tools: [desk]}")
    found = desk.lint()
    assert found.status == 1
    assert places(found)[::2] == ["13 yaml/duplicate-key", "15 yaml/duplicate-key"]
    assert "lines 12 and 13" in " ".join(found.out.split() + found.err.split())
    assert desk.run().status == 2
    assert desk.sent == []
    head = "x-base: &base {type: integer, default: 1}\n"
    head += 'data: {a: *base, b: {<<: *base, default: 2}}\noutputs: {both: {type: array, value: "{{ [a, b] }}"}}'
    desk.workflow("  A: {}\n", head)
    assert desk.outputs()["both"] == [1, 2]


def test_y08_a_value_that_begins_with_braces_is_shown_mended(desk: Desk) -> None:
    desk.tools({})
    for value, mended in {
        "{{ x }}": "v: '{{ x }}'",
        "{{ x }} 副本": "v: '{{ x }} 副本'",
        "{{ x | default('y') }}": "v: \"{{ x | default('y') }}\"",
        "{% if x == '' %}a{% endif %}": "v: \"{% if x == '' %}a{% endif %}\"",
        "{a: {{ x }}, b: 1}": "v: {a: '{{ x }}', b: 1}",
        "[{{ x }}]": "v: ['{{ x }}']",
    }.items():
        desk.workflow(
            f"  A:\n    steps:\n      - set:\n          m:\n            v: {value}\n",
            "data: {x: {type: string, default: a}, m: {type: object, default: {}}}\n"
            "outputs: {m: {type: object, value: '{{ m }}'}}",
        )
        found = desk.lint()
        assert places(found) == ["12 yaml/value-needs-quotes"]
        assert mended in " ".join((found.out + found.err).split()), found
        assert desk.run().status == 2
        assert desk("lint", "--fix", "it.yaml").status == 0
        assert desk.run().status == 0


@pytest.mark.skipif(not CASES, reason="the cases of the bank are not here")
def test_y10_full_width_signs_are_found_everywhere_but_in_texts(desk: Desk) -> None:
    found = desk.lint(CASES["Y10"]["input"]["value"])
    assert [one for one in places(found) if "full-width" in one] == [
        f"{line} yaml/full-width" for line in (1, 3, 4, 5, 6)
    ]
    desk.tools({})
    desk.workflow(
        '  A: {steps: [{say: {done: "注意：“引用”（内容），要保留！", next: 完成。就这样？, writes: false}}]}\n'
    )
    assert desk.lint().status == 0


def test_j02_a_value_reaches_a_tool_with_its_own_kind(desk: Desk) -> None:
    titles = ["1e5", "2024", "None", "True", "[草稿]", '{"a": 1}', "1_000", "0x10", "007", "null", "", " x ", "NaN"]
    values: list[Any] = [*titles, 5, 1.5, [1, "2"], {"items": []}, False]
    desk.tools(
        {"search": "", "note": ""}, search=[{"give": {"found": [{"t": one} for one in values]}}], note=[{"give": {}}]
    )
    desk.workflow(
        "  A:\n    tools: [desk.search, desk.note]\n    steps:\n      - {call: desk.search, as: answer}\n"
        "      - each: hit\n        in: answer.found\n"
        '        do: [{call: desk.note, with: {title: "{{ hit.t }}", text: "{{ hit.t }}!", list: ["{{ hit.t }}"]}}]\n',
        "uses: {tools: [desk]}",
    )
    assert desk.run().status == 0
    sent = [arguments for tool, arguments in desk.sent if tool == "note"]
    assert [(type(one["title"]), one["title"], one["list"]) for one in sent] == [(type(v), v, [v]) for v in values]
    assert all(isinstance(one["text"], str) for one in sent)
    assert [one["text"] for one in sent[: len(titles)]] == [f"{title}!" for title in titles]


def test_j03_a_field_that_is_named_like_a_method_is_a_field(desk: Desk) -> None:
    names = ["items", "keys", "values", "count", "get", "copy", "pop", "update", "index", "__class__", "length"]
    answers: list[dict[str, Any]] = [{"give": {name: [name] for name in names}}, {"give": {"other": 1}}]
    head = listed(seen=[])
    loops = "".join(
        f"      - {{each: x, in: \"{place}\", do: [{{collect: seen, item: '{{{{ x }}}}'}}]}}\n"
        for name in names
        for place in (f"found.{name}", f"found['{name}']")
    )
    desk.tools({"search": ""}, search=answers[:1])
    desk.workflow(
        f"  A:\n    tools: [desk.search]\n    steps:\n      - {{call: desk.search, as: found}}\n{loops}", head
    )
    said = desk.lint()
    assert (said.out + said.err).count("[expression/looks-like-a-property]") == 1  # not of ['length']
    assert desk.outputs()["seen"] == [name for name in names for _ in range(2)]
    desk.tools({"search": ""}, search=answers[1:])
    for name, place in itertools.product(names, ("found.{}", "found['{}']")):
        read = place.format(name)
        body = "  A:\n    tools: [desk.search]\n    steps:\n      - {call: desk.search, as: found}\n"
        body += f'      - set: {{seen: "{{{{ {read} }}}}"}}\n'
        desk.workflow(body, head)
        if name in ("items", "values", "__class__"):
            blocked = desk.run().json["blocked"]
            assert (blocked["facts"]["reason"], blocked["facts"]["field"]) == ("absent-field", name)


def test_j04_text_that_looks_like_a_template_is_never_evaluated(desk: Desk) -> None:
    mark = "Q3 {{ env.API_TOKEN }} {% for i in range(99999) %}x{% endfor %} {{ 7 * 7 }} {# c #} $(id)"
    desk.tools(
        {"search": "", "say": "", "file": "  effect: write\n"},
        search=[{"give": {"title": mark}}],
        say=[{"give": {"text": mark}}],
        file=[{"give": {}}],
    )
    desk.write(
        "inner.yaml",
        "workflow: inner\nversion: 1.0.0\ntitle: Inner\ninputs: {t: {type: string}}\n"
        "outputs: {t: {type: string, value: '{{ t }}'}}\nstates: {A: {}}\n",
    )
    desk.workflow(
        """  A:
    tools: [desk.search, desk.say, desk.file]
    steps:
      - {call: desk.search, as: found}
      - {call: desk.say, with: {text: "{{ found.title }}"}, as: said}
      - {use: inner, with: {t: "{{ said.text }}"}, as: inside}
      - {set: {t: "{{ inside.t }}"}}
      - confirm: plan
        shows: t
        permits: [{id: f, tool: desk.file, with: {title: "{{ t }}"}}]
        text: {done: "File {{ t }}", next: n2, writes: true}
        choices: [{id: file, confirms: true, label: "OK {{ t }}"}]
        refused: block
      - {call: desk.file, needs: plan, with: {title: "{{ t }}"}}
      - {say: {done: "{{ plan.shown }}", next: end2, writes: false}}
""",
        "effect: write\nuses: {tools: [desk], workflows: [inner]}\ndata: {t: {type: string, default: ''}}\n"
        "outputs: {t: {type: string, value: '{{ t }}'}, about: {type: string, value: 'about {{ t }}'}}",
    )
    asked = desk.run("--run-id", "one")
    (question,) = asked.json["waiting"]
    assert question["text"]["done"] == f"File {mark}"
    assert question["choices"][0]["label"] == f"OK {mark}"
    assert question["shown"] == mark
    ended = desk("answer", "one", "plan=file", "--seen", question["digest"], "--json")
    assert ended.json["outputs"] == {"t": mark, "about": f"about {mark}"}
    assert [arguments for _, arguments in desk.sent] == [{}, {"text": mark}, {"title": mark}]
    shown = desk("show", "one")
    assert SECRET not in asked.out + asked.err + ended.out + ended.err + shown.out + shown.err + desk.everything_kept()


def test_s01_a_misspelt_step_gets_one_finding_that_fits_it(desk: Desk) -> None:
    desk.tools({"search": ""}, search=[{"give": {}}])
    desk.workflow(
        """  A:
    tools: [desk.search]
    steps:
      - {id: a, call: desk.search, wth: {q: a}}
      - {id: b, cal: desk.search}
      - {id: c, call: 123}
      - {id: d, call: desk.serch}
""",
        "uses: {tools: [desk]}",
    )
    found = desk.lint()
    assert places(found) == ["10 shape/unknown-key", "11 shape/unknown-verb", "12 shape/wrong-kind", "13 tool/unknown"]
    said = " ".join((found.out + found.err).split())
    for near in ("did you mean with?", "did you mean call?", "did you mean desk.search?"):
        assert near in said
    assert "given schema" not in said


def test_s02_an_unknown_key_is_refused_at_every_level(desk: Desk) -> None:
    desk.tools({"move": ""}, move=[{"give": {}}])
    retry = "{max_attempt: 1, at_most: 2, errors: [transient]}"
    step = f"{{id: move, call: desk.move, require_confrim: true, roll_back: x, retry: {retry}}}"
    desk.workflow(f"  A:\n    tools: [desk.move]\n    steps:\n      - {step}\n", "uses: {tools: [desk]}")
    found = desk.lint()
    assert places(found) == ["10 shape/unknown-key"] * 3
    for name in ("require_confrim", "roll_back", "max_attempt"):
        assert name in found.out + found.err
    assert desk.run().status == 2
    assert desk.sent == []
    desk.write("it.yaml", "workflow: it\nversion: 1.0.0\nx-note: {anything: [1]}\nstates: {A: {x-why: because}}\n")
    assert "x-" not in desk.lint().err
