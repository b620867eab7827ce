"""The web behind a profile: what is said before it is contacted, what is wrong with its settings, a run over it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from interpreter.adapters.web.settings import contacts_of
from tests.cli.kit import Command
from tests.unit.web_kit import LONG, page, saved

ROOT = Path(__file__).parents[2]
WORKFLOW = """\
workflow: reading
version: 1.0.0
title: {zh: 读一页, en: Read a page}
effect: read
uses: {tools: [web]}
inputs:
  address: {type: string}
data:
  page: {type: object, default: {}}
  hits: {type: array, default: []}
outputs:
  text: {type: string, value: "{{ page.text }}", default: ""}
  hits: {type: array, value: "{{ hits }}", default: []}
states:
  READ:
    tools: [web.batch_web_search, web.web_fetch]
    steps:
      - {call: web.batch_web_search, with: {queries: [数据治理]}, as: found}
      - set: {hits: "{{ found.answers | pluck('hits') | flatten | pluck('url') }}"}
      - {call: web.web_fetch, with: {url: "{{ address }}"}, as: answer}
      - set: {page: "{{ answer }}"}
"""
PROFILE = """\
profile: local
title: {zh: 本机, en: This machine}
settings:
  pages: {type: string, default: "", title: {zh: 网页, en: Pages}}
  own: {type: string, default: "", title: {zh: 内网, en: Own}}
tools:
  web.*: {adapter: python, use: web, settings: {pages: "{{ settings.pages }}", own_addresses: "{{ settings.own }}"}}
"""


@pytest.fixture
def command(tmp_path: Path) -> Command:
    command = Command(tmp_path)
    specs = command.folder
    (specs / "profiles").mkdir(exist_ok=True)
    (specs / "tools").mkdir(exist_ok=True)
    (specs / "reading.yaml").write_text(WORKFLOW, "utf-8")
    (specs / "profiles" / "web.yaml").write_text(PROFILE.replace("profile: local", "profile: web"), "utf-8")
    shutil.copy(ROOT / "specs" / "tools" / "web.yaml", specs / "tools" / "web.yaml")
    saved(specs / "pages", {"one": {"url": "https://www.example.com/1", "body": page(LONG)}})
    return command


RUN = ("run", "reading.yaml", "--profile", "profiles/web.yaml", "--input", "address=https://www.example.com/1")


def test_a_workflow_searches_and_reads_saved_pages(command: Command) -> None:
    done = command(*RUN, "--set", "settings.pages=pages", "--json")
    assert done.status == 0, done.err
    outputs = done.json["outputs"]
    assert outputs["hits"] == ["https://www.example.com/1"]
    assert outputs["text"].startswith("标题\n第0段")


def test_the_web_itself_is_asked_about_before_it_is_contacted(command: Command) -> None:
    done = command(*RUN, "--set", "settings.own=wiki.intra")
    assert done.status == 2
    assert "pages of the public web; the addresses wiki.intra" in " ".join(done.err.split())


@pytest.mark.parametrize(("language", "words"), [("zh", "没有文件夹"), ("en", "there is no folder")])
def test_a_setting_that_cannot_be_used_is_said_in_the_readers_language(
    command: Command, language: str, words: str
) -> None:
    done = command(*RUN, "--set", "settings.pages=nowhere", language=language)
    assert done.status == 2
    assert words.replace(" ", "") in "".join(done.err.split())  # the terminal breaks lines
    assert done.code == "tool/adapter-refused"


def test_saved_pages_contact_nobody() -> None:
    assert contacts_of({"pages": "here"}) == ()
    assert [words.en for words in contacts_of({})] == ["pages of the public web"]
    assert [words.zh for words in contacts_of({"own_addresses": ["a", "b"]})] == ["公网上的网页", "内网地址 a b"]
