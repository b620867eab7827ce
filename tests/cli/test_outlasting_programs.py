"""The command killed while a program that it started is writing: the resumed run waits for the program."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.cli.kit import PATIENCE, Command, wait_for_file, wait_for_line

CLERK = """\
#!{python}
import os, sys
here = {here!r}
if sys.argv[1] == "send":
    open(os.path.join(here, "begun"), "w").close()
    open(os.path.join(here, "gate")).close()  # until somebody opens it on the other side
    with open(os.path.join(here, "sent"), "a") as sent:
        sent.write(sys.argv[2] + "\\n")
    print("{{}}")
else:
    sent = os.path.join(here, "sent")
    print('{{"lines": %d}}' % (len(open(sent).readlines()) if os.path.exists(sent) else 0))
"""
TOOLS = """\
tools: post
post.send:
  effect: write
  input: {type: object, properties: {id: {type: string}}}
  output: {type: object}
  verify_with: {call: post.count, happened: found.lines > 0, did_not: found.lines == 0}
  example: {}
post.count:
  effect: read
  input: {type: object}
  output: {type: object, required: [lines], properties: {lines: {type: integer}}}
  example: {lines: 0}
"""
PROFILE = """\
profile: post
tools:
  post.send: &clerk
    adapter: command
    settings: {program: ../clerk, output: json}
    request: {argv: [send, "{{ id }}"]}
    success: exit == 0
  post.count: {<<: *clerk, request: {argv: [count]}}
"""
SPEC = """\
workflow: post
version: 1.0.0
title: {zh: 寄, en: Post}
effect: write
uses: {tools: [post]}
writes_without_confirmation: {zh: 试验, en: a trial}
states:
  SEND:
    tools: [post.send]
    steps:
      - {call: post.send, with: {id: a}}
"""


def make(command: Command) -> Path:
    here = command.folder
    (here / "clerk").write_text(CLERK.format(python=sys.executable, here=str(here)), "utf-8")
    (here / "clerk").chmod(0o755)
    os.mkfifo(here / "gate")
    (here / "tools" / "post.yaml").write_text(TOOLS, "utf-8")
    (here / "profiles" / "post.yaml").write_text(PROFILE, "utf-8")
    (here / "post.yaml").write_text(SPEC, "utf-8")
    return here


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_program_that_outlives_the_command_writes_once(command: Command, language: str) -> None:
    here = make(command)
    with command.start("run", "post.yaml", "--profile", "post", "--trust-profile", "--run-id", "one") as process:
        wait_for_file(here / "begun", process)
        process.kill()
    with command.start("resume", "one", "--trust-profile", language=language) as process:
        wait_for_line(process, {"en": "still at work", "zh": "还在工作"}[language])
        (here / "gate").open("w").close()
        assert process.wait(PATIENCE) == 0
    assert (here / "sent").read_text("utf-8") == "a\n"
