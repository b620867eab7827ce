"""`new`: one small workflow to begin with."""

from __future__ import annotations

import re

from interpreter.cli.context import Context, UsageError
from interpreter.report.words import safe

_WORKFLOW = """\
workflow: {name}
version: 0.1.0
title: {{zh: {name}, en: {name}}}
effect: read

inputs:
  topic: {{type: string, title: {{zh: 主题, en: Topic}}}}
data:
  tasks: {{type: array, items: {{type: string}}, default: []}}
outputs:
  tasks: {{type: array, value: "{{{{ tasks }}}}", default: []}}
questions: {{wait: 7d}}

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
      - set: {{tasks: "{{{{ tasks + [next_task.task] }}}}"}}
    next:
      - {{when: next_task.more, to: COLLECT, at_most: 20}}
      - {{to: DONE}}
  DONE:
    title: {{zh: 完成, en: Done}}
    steps:
      - say:
          done: {{zh: "共 {{{{ tasks | count }}}} 项", en: "{{{{ tasks | count }}}} tasks"}}
          next: {{zh: 结束, en: The run ends}}
          writes: false
          tables:
            - title: {{zh: 任务, en: Tasks}}
              rows: tasks
              row: task
              columns: {{task: "{{{{ task }}}}"}}
              headings: {{task: {{zh: 任务, en: Task}}}}
"""
_PROFILE = """\
profile: local
title: {zh: 本机, en: This machine}
tools: {}
"""


def _proposed(name: str) -> str:
    """Return a valid name that is as near to a typed one as can be."""
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    if not plain:
        return "my_workflow"
    return plain if plain[0].isalpha() else f"workflow_{plain}"


def new(context: Context) -> int:
    """Write a small workflow, and a profile beside it where there is none."""
    name, folder = context.arguments.name, context.arguments.folder
    if re.fullmatch(r"[a-z][a-z0-9_]*", name) is None:
        good = _proposed(name)
        raise UsageError(
            context.say(
                f"「{safe(name)}」不能作流程名：要以小写字母开头，只用小写字母、数字和下划线。"
                f"例如：interpreter new {good}",
                f"“{safe(name)}” cannot be the name of a workflow: it begins with a lower-case letter and holds only "
                f"lower-case letters, digits and underscores. For example: interpreter new {good}",
            )
        )
    path = folder / f"{name}.yaml"
    if path.exists():
        return context.refuse_with("command/file-exists", file=path)
    profile = folder / "profiles" / "local.yaml"
    profile.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_WORKFLOW.format(name=name), encoding="utf-8")
    if not profile.exists():
        profile.write_text(_PROFILE, encoding="utf-8")
    print(path)
    print(context.say("运行：", "run it: ") + f"interpreter run {path} --input topic=…")
    return 0
