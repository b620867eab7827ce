"""`new`: one small workflow to begin with, with everything that belongs to one."""

from __future__ import annotations

import re
from pathlib import Path

from interpreter.cli.context import Context, UsageError
from interpreter.report.words import safe

_WORKFLOW = """\
workflow: {name}
version: 0.1.0
title: {{zh: {name}, en: {name}}}
effect: write
uses: {{tools: [{name}]}}

inputs:
  topic: {{type: string, title: {{zh: 主题, en: Topic}}}}
data:
  tasks: {{type: array, items: {{type: string}}, default: []}}
  saved: {{type: array, items: {{type: integer}}, default: []}}
outputs:
  saved: {{type: array, value: "{{{{ saved }}}}", default: []}}
questions: {{wait: 7d}}

gates:
  saving_is_confirmed:
    - confirmed: save
      message: {{zh: 保存没有得到确认, en: Saving is not confirmed}}

states:
  COLLECT:
    title: {{zh: 收集, en: Collect}}
    steps:
      - ask: next_task
        text:
          done:
            zh: "主题：{{{{ topic }}}}，已有 {{{{ tasks | count }}}} 项"
            en: "Topic: {{{{ topic }}}}, {{{{ tasks | count }}}} tasks so far"
          next: {{zh: 填一项任务, en: Name one task}}
          writes: false
        form:
          task: {{type: string, minLength: 1, title: {{zh: 任务, en: Task}}}}
          more: {{type: boolean, title: {{zh: 还有吗, en: Another one}}}}
        refused: block
      - set: {{tasks: "{{{{ tasks + [next_task.task] }}}}"}}
    next:
      - {{when: next_task.more, to: COLLECT, at_most: 20}}
      - {{to: CONFIRM}}
  CONFIRM:
    title: {{zh: 确认, en: Confirm}}
    steps:
      - confirm: save
        shows: tasks
        permits:
          each: task
          in: tasks
          give: {{id: "{{{{ task }}}}", tool: {name}.save, with: {{task: "{{{{ task }}}}"}}}}
        text:
          done: {{zh: "共 {{{{ tasks | count }}}} 项", en: "{{{{ tasks | count }}}} tasks"}}
          next: {{zh: 逐项保存, en: Each of them is saved}}
          writes: true
          tables:
            - title: {{zh: 任务, en: Tasks}}
              rows: tasks
              row: task
              columns: {{task: "{{{{ task }}}}"}}
              headings: {{task: {{zh: 任务, en: Task}}}}
        choices:
          - {{id: save, confirms: true, label: {{zh: 保存, en: Save them}}}}
          - {{id: leave, label: {{zh: 不保存, en: Leave it}}, to: end}}
        refused: {{to: end}}
    next: [{{to: SAVE}}]
  SAVE:
    title: {{zh: 保存, en: Save}}
    tools: [{name}.save]
    enter: [saving_is_confirmed]
    steps:
      - each: task
        in: tasks
        do:
          - {{call: {name}.save, needs: save, with: {{task: "{{{{ task }}}}"}}, as: written}}
          - set: {{saved: "{{{{ saved + [written.number] }}}}"}}
      - say:
          done: {{zh: "保存了 {{{{ saved | count }}}} 项", en: "{{{{ saved | count }}}} tasks are saved"}}
          next: {{zh: 结束, en: The run ends}}
          writes: false
    next: [{{to: end}}]
"""
_TOOLS = """\
tools: {name}
title: {{zh: {name} 的工具, en: Tools of {name}}}
{name}.save:
  title: {{zh: 保存一项任务, en: Save a task}}
  effect: write
  idempotent: false
  input: {{type: object, additionalProperties: false, required: [task], properties: {{task: {{type: string}}}}}}
  output: {{type: object, required: [number], properties: {{number: {{type: integer}}}}}}
  example: {{number: 1}}
"""
_PROFILE = """\
profile: local
title: {{zh: 本机, en: This machine}}
tools:
{entry}
"""
#: Stands in for a real tool: it computes an answer, and saves nothing.
_ENTRY = """\
  {name}.save: {{adapter: compute, answer: {{number: "{{{{ task | length }}}}"}}}}"""
_TESTS = """\
tests: {name}
workflow: {name}
cases:
  - id: saves-what-was-confirmed
    inputs: {{topic: home}}
    tools:
      {name}.save:
        - {{answer: {{number: 1}}}}
        - {{answer: {{number: 2}}}}
    answers:
      next_task: [{{task: buy boxes, more: true}}, {{task: pack, more: false}}]
      save: save
    expect:
      status: completed
      visits: [COLLECT, COLLECT, CONFIRM, SAVE]
      calls:
        - {{tool: {name}.save, with: {{task: pack}}, times: 1}}
      outputs: {{saved: [1, 2]}}
  - id: saves-nothing-unconfirmed
    inputs: {{topic: home}}
    answers:
      next_task: {{task: pack, more: false}}
      save: leave
    expect:
      status: completed
      calls:
        - {{tool: {name}.save, times: 0}}
"""


def _proposed(name: str) -> str:
    """Return a valid name that is as near to a typed one as can be."""
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    if not plain:
        return "my_workflow"
    return plain if plain[0].isalpha() else f"workflow_{plain}"


def new(context: Context) -> int:
    """Write a small workflow with its contract, its cases, and a profile beside it where there is none."""
    name, folder = context.arguments.name, context.arguments.folder
    if re.fullmatch(r"[a-z][a-z0-9_]*", name) is None:
        good = _proposed(name)
        raise UsageError(
            context.say(
                f"“{safe(name)}”不能作流程名：要以小写英文字母开头，只用小写英文字母、数字和下划线。"
                f"例如：interpreter new {good}",
                f"“{safe(name)}” cannot be the name of a workflow: it begins with a lower-case letter and holds only "
                f"lower-case letters, digits and underscores. For example: interpreter new {good}",
            )
        )
    path = folder / f"{name}.yaml"
    parts = {
        path: _WORKFLOW,
        folder / "tools" / f"{name}.yaml": _TOOLS,
        folder / "tests" / f"{name}.yaml": _TESTS,
    }
    taken = next((one for one in parts if one.exists()), None)
    if taken is not None:
        return context.refuse_with("command/file-exists", file=taken)
    for one, text in parts.items():
        one.parent.mkdir(parents=True, exist_ok=True)
        one.write_text(text.format(name=name), encoding="utf-8")
        print(one)
    _profile(context, folder / "profiles" / "local.yaml", _ENTRY.format(name=name))
    print(context.say("检查：", "check it: ") + f"interpreter lint {path}")
    print(context.say("试一试：", "try it:   ") + f"interpreter test {folder / 'tests' / f'{name}.yaml'}")
    print(context.say("运行：", "run it:   ") + f"interpreter run {path} --input topic=home")
    return 0


def _profile(context: Context, path: Path, entry: str) -> None:
    """Write a profile that answers the tool; where there is one already, say what belongs into it."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_PROFILE.format(entry=entry), encoding="utf-8")
        print(path)
        return
    print(context.say(f"在 {path} 的 tools: 下加上：", f"add below tools: in {path}:"))
    print(entry)
