"""What services, programs and readers of JSON say of a failure: found, in both languages, and never with a secret."""

from __future__ import annotations

from typing import Any

import pytest

from interpreter.adapters.own_words import own_words
from interpreter.adapters.reasons import filled, system_reason
from interpreter.diagnostics import Words
from rules.json_problems import json_problem
from rules.json_texts import strict_json
from rules.values import loads

# who writes it so ; body ; what it says
BODIES: list[tuple[str, Any, str]] = [
    ("OpenAI", {"error": {"message": "too many tokens", "type": "invalid", "code": "x_1"}}, "too many tokens (x_1)"),
    ("OpenAI without a code", {"error": {"message": "no", "code": None, "type": None}}, "no"),
    ("a code that is only the status", {"error": {"message": "no", "code": 400}}, "no"),
    ("Lark", {"code": 99991663, "msg": "Invalid access token"}, "Invalid access token (99991663)"),
    ("a code as a text", {"error": {"code": "99991663", "message": "Invalid"}}, "Invalid (99991663)"),
    ("vLLM", {"object": "error", "message": "bad", "type": "BadRequestError", "code": 400}, "bad (BadRequestError)"),
    ("Ollama", {"error": "model not found"}, "model not found"),
    ("a sign-in", {"error": "invalid_grant", "error_description": "it expired"}, "it expired (invalid_grant)"),
    ("FastAPI", {"detail": [{"type": "t", "loc": ["body", "q", 0], "msg": "too long"}]}, "body.q.0: too long"),
    ("FastAPI in words", {"detail": "Not found"}, "Not found"),
    ("problem details", {"type": "about:blank", "title": "Gone", "status": 410}, "Gone (about:blank)"),
    ("GraphQL", {"errors": [{"message": "a"}, {"message": "b"}]}, "a; b"),
    ("many of them", {"errors": [{"message": str(number)} for number in range(9)]}, "0; 1; 2"),
    ("a text", "quota exceeded\n", "quota exceeded"),
    ("a page", "<html>502</html>", ""),
    ("a page in a message", {"message": "<h1>no</h1>", "error": {"message": "really"}}, "really"),
    ("words that look like a template", {"message": "{{ secret }} {reason}"}, "{{ secret }} {reason}"),
    ("a code alone", {"ok": False, "error": {"type": "api", "code": 99991663}}, "99991663"),
    ("true", {"error": True, "code": 0}, ""),
    ("nothing", {}, ""),
    ("null", None, ""),
    ("a number", 7, ""),
    ("too deep", {"error": {"error": {"error": {"error": {"message": "far"}}}}}, ""),
]


@pytest.mark.parametrize(("who", "body", "words"), BODIES, ids=[row[0] for row in BODIES])
def test_the_words_of_a_service_are_found(who: str, body: Any, words: str) -> None:
    assert own_words(body) == words


def test_the_words_of_others_are_never_a_template() -> None:
    made = filled(Words("读不懂：{reason}", "unread: {reason}"), {"reason": "{told} {reason}"}, "{reason}{x}")
    assert made.zh == "读不懂：{told} {reason}；原话：{reason}{x}"
    assert made.en == "unread: {told} {reason}; in its own words: {reason}{x}"


def test_a_fact_in_both_languages_gives_each_its_own() -> None:
    assert filled(Words("坏了：{why}", "broken: {why}"), {"why": Words("断了", "cut")}) == ("坏了：断了", "broken: cut")


@pytest.mark.parametrize(
    ("error", "zh"),
    [
        (ConnectionRefusedError(111, "x"), "连接被拒绝"),
        (TimeoutError(), "没有回应"),
        (FileNotFoundError(2, "x"), "没有这个文件或文件夹"),
        (RuntimeError(), "域名或证书不被接受"),
    ],
)
def test_what_the_system_says_is_said_in_both_languages(error: BaseException, zh: str) -> None:
    told = system_reason(error)
    assert told.zh == zh
    assert told.en.isascii()


# text ; why it is not JSON
TEXTS: list[tuple[str, str, str]] = [
    ("", "是空的", "it is empty"),
    (" \n", "是空的", "it is empty"),
    ('{"a"', "没有写完就结束了", "it ends in the middle"),
    ("[1, ", "没有写完就结束了", "it ends in the middle"),
    ('"SECRET', "文本没有结束的引号，它从这里开始（第 1 个字符）", "Unterminated string starting at (character 1)"),
    ("SECRET", "这里应当是一个值（第 1 个字符）", "Expecting value (character 1)"),
    (
        "{SECRET}",
        "字段名要写在双引号里（第 2 个字符）",
        "Expecting property name enclosed in double quotes (character 2)",
    ),
    ('{"a" 1}', "字段名后面缺少冒号（第 6 个字符）", "Expecting ':' delimiter (character 6)"),
    ("[1 2]", "缺少逗号（第 4 个字符）", "Expecting ',' delimiter (character 4)"),
    ("[1] SECRET", "值的后面还有别的内容（第 5 个字符）", "Extra data (character 5)"),
    ('"\\x"', "反斜杠后面不能是这个字符（第 2 个字符）", "Invalid \\escape (character 2)"),
    ('"\\u12"', "\\u 后面要有四位十六进制数（第 3 个字符）", "Invalid \\uXXXX escape (character 3)"),
    ('"a\nb"', "文本里有没有转义的换行或控制字符（第 3 个字符）", "Invalid control character at (character 3)"),
    ("[NaN]", "NaN 和 Infinity 不是 JSON 的数", "NaN and Infinity are no numbers of JSON"),
    ("7" * 40, "数的位数太多", "a number of too many digits"),
    ('{"a": 1, "a": 2}', "一个对象里有重复的字段", "a field stands twice in one object"),
    ("[" * 100_000, "嵌套太深", "nested too deeply"),
]


@pytest.mark.parametrize(("text", "zh", "en"), TEXTS, ids=[row[2] for row in TEXTS])
def test_what_is_no_json_is_told_in_both_languages_and_not_repeated(text: str, zh: str, en: str) -> None:
    with pytest.raises(ValueError, match=r".") as raised:
        strict_json(text)
    assert json_problem(raised.value) == (zh, en)
    assert "SECRET" not in zh + en
    if "twice" not in en:
        with pytest.raises(ValueError, match=r"."):
            loads(text)
