"""What a person reads of a run: messages, tables, questions, progress, and how it ended.

Everything that comes from tools and people passes `words.safe`; markup is never interpreted. Tables fit the width of
the terminal, wide characters counted as two; without a terminal the width is 80.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from typing import IO, TYPE_CHECKING, Any

from interpreter.diagnostics import Diagnostic
from interpreter.ports import recorded_key
from interpreter.report import confirmed
from interpreter.report import diagnostics as findings_report
from interpreter.report.columns import aligned, cut, hanging, width_for, width_of, wrapped
from interpreter.report.findings import finding_lines
from interpreter.report.words import COMMAND_BEGINS, instant, safe, shown
from interpreter.safety.masking import MASK, masked_question
from interpreter.words import at_home

if TYPE_CHECKING:
    from rich.console import Console

    from interpreter.session.sessions import Result

_MOST_CHOICES = 20
#: So many permitted calls are shown one by one.
_MOST_CALLS = 5
_READS_COMMANDS = "GITHUB_ACTIONS" in os.environ
_STYLES = {
    "error": "bold red",
    "warning": "yellow",
    "note": "cyan",
    "code": "dim",
    "mark": "red",
    "hint": "cyan",
    "related": "dim",
    "place": "dim",
    "condition": "red",
}
_WORDS = {
    "next": {"zh": "接下来", "en": "Next"},
    "writes": {"zh": "会写入", "en": "writes"},
    "reads": {"zh": "不写入", "en": "writes nothing"},
    "folded": {"zh": "已折叠", "en": "folded"},
    "more": {"zh": "还有 {count} 行", "en": "{count} more rows"},
    "answer": {"zh": "回答", "en": "To answer"},
    "optional": {"zh": "可不填", "en": "may be left out"},
    "conditional": {"zh": "视前面的回答而定", "en": "depends on earlier fields"},
    "many": {"zh": "可多选", "en": "a list"},
    "terminal": {"zh": "终端", "en": "at the terminal"},
    "answer-command": {"zh": "answer 命令", "en": "with the answer command"},
    "prepared": {"zh": "文件中的回答", "en": "from the file"},
    "host": {"zh": "宿主程序", "en": "through the host"},
    "nobody": {"zh": "无人回答", "en": "nobody was there"},
    "refused": {"zh": "拒绝", "en": "refused"},
    "timed_out": {"zh": "过期", "en": "timed out"},
    "abandoned": {"zh": "放弃", "en": "given up"},
    "choices": {"zh": "可选", "en": "You may answer"},
    "type": {"zh": "输入", "en": "type"},
    "run": {"zh": "运行", "en": "Run"},
    "resume": {"zh": "继续", "en": "Go on with"},
    "waiting": {"zh": "等待回答", "en": "Waiting for an answer"},
    "blocked": {"zh": "已停下，可以继续", "en": "Stopped; it can go on"},
    "completed": {"zh": "完成", "en": "Completed"},
    "partial": {"zh": "部分完成", "en": "Completed in part"},
    "failed": {"zh": "失败", "en": "Failed"},
    "cancelled": {"zh": "已取消", "en": "Cancelled"},
    "interrupted": {"zh": "已中断，可以继续", "en": "Interrupted; it can go on"},
    "rehearsal": {"zh": "演练", "en": "Rehearsal"},
    "dry": {"zh": "没有写入任何内容，也没有留下运行", "en": "nothing was written, and no run is kept"},
    "examples": {"zh": "只凭示例走到的状态", "en": "States reached on examples alone"},
    "running": {"zh": "正在运行", "en": "Running"},
    "asking": {
        "zh": "进程 {number} 正在问这个问题；在别处先回答也算",
        "en": "process {number} is asking this now; an answer from elsewhere counts if it comes first",
    },
    "at-work": {
        "zh": "有进程正在运行它；用 {command} 查看",
        "en": "a process is at work on it; {command} shows how it goes on",
    },
    "deadline": {"zh": "截止", "en": "Until"},
    "deadline-passed": {
        "zh": "截止时间已过（{deadline}），不再接受回答；resume 按流程为过期写的继续",
        "en": "no answer is taken any more, its time has passed ({deadline}); resume goes on as the workflow says",
    },
    "short-overdue": {"zh": "已过截止", "en": "overdue"},
    "short-damaged": {"zh": "已损坏", "en": "damaged"},
    "short-waiting": {"zh": "等待回答", "en": "waiting"},
    "short-blocked": {"zh": "已停下", "en": "stopped"},
    "short-completed": {"zh": "完成", "en": "completed"},
    "short-partial": {"zh": "部分完成", "en": "in part"},
    "short-failed": {"zh": "失败", "en": "failed"},
    "short-cancelled": {"zh": "已取消", "en": "cancelled"},
    "short-interrupted": {"zh": "已中断", "en": "interrupted"},
    "short-running": {"zh": "运行中", "en": "running"},
    "entry": {"zh": "条目", "en": "entry"},
    "tool": {"zh": "工具", "en": "tool"},
    "result": {"zh": "结果", "en": "result"},
    "done-of": {"zh": "许可的 {count} 次调用已完成 {done} 次", "en": "{done} of {count} permitted calls done"},
    "only-computed": {
        "zh": "{tools} 由 profile 里的表达式回答：没有真的写入任何东西",
        "en": "{tools}: expressions of the profile answered; nothing was really written",
    },
    "write-done": {"zh": "已完成", "en": "done"},
    "write-failed": {"zh": "失败", "en": "failed"},
    "permits": {"zh": "同意后允许的调用（{count}）：", "en": "a yes permits ({count}):"},
    "permits-many": {
        "zh": "同意后允许 {count} 次调用：{tools}；逐一列出：{command}",
        "en": "a yes permits {count} calls: {tools}; each of them: {command}",
    },
    "permits-many-of-nothing": {
        "zh": "同意后允许 {count} 次调用：{tools}",
        "en": "a yes permits {count} calls: {tools}",
    },
    "plan-shown": {"zh": "展示的内容：", "en": "What was shown:"},
    "again": {"zh": "再演练一次", "en": "Rehearse again with"},
    "with-fields": {"zh": "填写时", "en": "With values"},
    "write-under_way": {"zh": "进行中", "en": "under way"},
    "write-pending": {"zh": "尚未结束", "en": "not ended yet"},
    "write-unknown": {"zh": "不确定", "en": "unknown"},
    "write-not_done": {"zh": "未做", "en": "not done"},
    "write-not_confirmed": {"zh": "未确认", "en": "not confirmed"},
}


def word(name: str, language: str) -> str:
    return _WORDS[name][language]


class Terminal:
    """Prints for people on standard error, or wherever it is told.

    Shapes: `quiet` leaves out messages and progress; `home` is what a command takes further to find a run; `is_live`
    says whether the output is a terminal.
    """

    def __init__(self, language: str, *, quiet: bool = False, stream: IO[str] | None = None, home: str = "") -> None:
        self.language = language
        self._home = home
        self._quiet = quiet
        self._stream = stream or sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        self._console: Console | None = None
        self._state = ""
        self._live = ""
        self.about("RUN")

    def about(self, run: str) -> None:
        """Write out commands for a run from now on; one of them prints the plan that does not fit."""
        self._run = run
        self._plan_command = at_home(f"interpreter show {run} --plan", self._home)

    def about_rehearsal(self) -> None:
        """Name no command that prints what does not fit: nothing is kept of a rehearsal."""
        self._plan_command = ""

    @property
    def is_live(self) -> bool:
        return self._stream.isatty()

    def line(self, text: str = "", style: str | None = None) -> None:
        """Print one line as it is; the caller has made it safe."""
        if _READS_COMMANDS and text.lstrip().startswith(COMMAND_BEGINS):
            text = f"\\{text}"
        self._clear_live()
        if not self.is_live:
            try:
                print(text, file=self._stream, flush=True)
            except OSError:
                if self._stream is sys.stdout:
                    raise  # that is what the command was asked for
                self._nobody_reads()
            return
        self.console.print(text, style=style, markup=False, highlight=False, emoji=False, soft_wrap=True)

    def _nobody_reads(self) -> None:
        """Go on in silence: a run is not there for whoever reads its messages."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())

    def words(self, text: str, style: str | None = None, indent: int = 4) -> None:
        """Print one line of words, wrapped to the width with a hanging indent; commands in it stay in one piece."""
        for line in hanging(text, self.width, indent):
            self.line(line, style)

    def word(self, name: str) -> str:
        return word(name, self.language)

    @property
    def _colon(self) -> str:
        return "：" if self.language == "zh" else ": "

    # --- messages -----------------------------------------------------------------------------------------------------

    def message(self, message: dict[str, Any]) -> None:
        """Show what a workflow says: what is done, tables, what comes next and whether that writes."""
        if self._quiet or not message:
            return
        self.line()
        self._parts(message)

    def _parts(self, message: dict[str, Any]) -> None:
        language = self.language
        done = shown(message.get("done"), language, line_breaks=True)
        if done:
            self._paragraph("● ", done, "bold")
        for table in message.get("tables", []):
            self.table(table)
        following = shown(message.get("next"), language, line_breaks=True)
        if following:
            writes = message.get("writes")
            tail = "" if writes is None else f" [{word('writes' if writes else 'reads', language)}]"
            self._paragraph("→ ", f"{word('next', language)}{self._colon}{following}{tail}", None)

    def _paragraph(self, mark: str, text: str, style: str | None) -> None:
        for number, line in enumerate(wrapped(text.strip(), self.width - 2)):
            self.line((mark if number == 0 else "  ") + line, style)

    def table(self, table: dict[str, Any]) -> None:
        """Show one table; a folded one is its title and its count, an empty one is left out."""
        language = self.language
        count = table.get("count", len(table["rows"]))
        title = shown(table.get("title"), language)
        if not count:
            return
        if table.get("folded"):
            self.line(f"  ▸ {title} ({count}, {word('folded', language)})", "dim")
            return
        if title:
            self.line(f"  {title} ({count})", "bold")
        headings = [shown(column.get("heading", column["key"]), language) for column in table["columns"]]
        rows = [[_cell(cell, language, is_first=place == 0) for place, cell in enumerate(row)] for row in table["rows"]]
        for line in aligned(headings, rows, self.width - 2):
            self.line("  " + line)
        hidden = count - len(rows)
        if hidden > 0:
            self.line("  " + word("more", language).format(count=hidden), "dim")

    # --- questions ----------------------------------------------------------------------------------------------------

    def question(self, question: dict[str, Any], *, with_fields: bool = True) -> None:
        """Show a question with everything that it is about.

        Shapes: `with_fields` lists the fields of a form with what may stand in each, for an answer given elsewhere.
        """
        language = self.language
        question = masked_question(question)
        self.line()
        text = question.get("text") or {}
        if "code" in text:
            self.finding(text)
            self.words("  " + shown(question.get("shown"), language))
        else:
            self._parts(text)
        self._confirmed(question)
        self.choices(question.get("choices") or [])
        if with_fields:
            for field in question.get("form") or []:
                self.field(field)

    def _confirmed(self, question: dict[str, Any]) -> None:
        """Show what a yes is about: where no table says it the very value, and the calls that a yes permits.

        Beside a table a call takes one line, and many are told by their tools; else nothing is left out unsaid.
        """
        entries, value = question.get("permits") or [], question.get("shown")
        language, look = self.language, self._look
        tables = (question.get("text") or {}).get("tables", [])
        has_table = any(table.get("count", len(table["rows"])) and not table.get("folded") for table in tables)
        is_apart = value != entries
        if not has_table and is_apart and question.get("kind") == "confirm":
            for line in confirmed.value_lines(value, look):
                self.line(f"    {line}".rstrip())
        if not entries:
            return
        if len(entries) > _MOST_CALLS:
            tools = Counter(one["tool"] for one in entries)
            named = ", ".join(f"{safe(tool)} × {count}" for tool, count in tools.items())
            told = word("permits-many" if self._plan_command else "permits-many-of-nothing", language)
            self.words("  " + told.format(count=len(entries), tools=named, command=safe(self._plan_command)), "dim")
            if not has_table and not is_apart:
                for line in confirmed.first_call_lines(entries, look):
                    self.line(f"    {line}", "dim")
            return
        self.line("  " + word("permits", language).format(count=len(entries)), "dim")
        if has_table and is_apart:
            lines = list(confirmed.short_call_lines(entries, look))
        else:
            seen = value if is_apart else None
            lines = [line for one in entries for line in confirmed.call_lines(one, seen, look)]
        for line in lines:
            self.line(f"    {line}".rstrip(), "dim")

    @property
    def _look(self) -> confirmed.Look:
        return confirmed.Look(self.language, self.width - 4, safe(self._plan_command))

    def plan(self, calls: list[confirmed.PlannedCall], value: Any) -> None:
        """Show permitted calls in full, and what was shown beside them; None for nothing."""
        headings = [word(name, self.language) for name in ("entry", "tool", "result")]
        look = self._look._replace(width=self.width)
        lines = list(confirmed.plan_lines(calls, headings, look)) if calls else []
        if value is not None:
            lines += ["", *confirmed.shown_lines(word("plan-shown", self.language), value, look)]
        for line in lines:
            self.line(line.rstrip())

    def field(self, field: dict[str, Any]) -> None:
        """Show one field of a form: its name in the answer, its title, what it takes, and the values to choose from."""
        from interpreter.engine.problems import wanted_by  # not every run shows a form

        language, colon = self.language, self._colon
        wanted = wanted_by(field["schema"]) if not field.get("choices") else None
        notes = [wanted[language]] if wanted is not None else []
        notes += [word(name, language) for name in ("optional", "conditional", "many") if field.get(name)]
        title = shown(field.get("title", ""), language)
        tail = f" ({', '.join(notes)})" if notes else ""
        self.words(f"  {safe(field['name'])}{colon if title else ''}{title}{tail}")
        choices = field.get("choices") or [{"value": value} for value in field["schema"].get("enum", ())]
        for choice in choices[:_MOST_CHOICES]:
            value, label = shown(choice["value"], language), shown(choice.get("label", ""), language)
            self.words(f"    {value}" + (f"  {label}" if label not in ("", value) else ""), indent=6)
        if len(choices) > _MOST_CHOICES:
            self.line("    " + word("more", language).format(count=len(choices) - _MOST_CHOICES), "dim")

    def answered(self, question: dict[str, Any], answer: dict[str, Any], how: str) -> None:
        """Show a question that has ended, its answer, and who gave it or through what."""
        if self._quiet:
            return
        self.question(question, with_fields=False)
        self.given(question, answer, how)

    def given(self, question: dict[str, Any], answer: dict[str, Any], how: str) -> None:
        """Show an answer, its value as the run keeps it, and who gave it or through what."""
        language, colon = self.language, self._colon
        value = answer.get("value") or {}
        if answer.get("ending", "answered") != "answered":
            self.line(f"  ✎ {word(answer['ending'], language)}  ({how})", "cyan")
            return
        taken = next((one for one in question.get("choices") or [] if one["id"] == value.get("choice")), None)
        if taken is not None:
            self.line(f"  ✎ {shown(taken.get('phrase', taken['id']), language)}  ({how})", "cyan")
            return
        for field in question.get("form") or []:
            if field["name"] in value:
                title = shown(field.get("title", field["name"]), language)
                answered = MASK if field.get("masked") else _labelled(field, value[field["name"]], language)
                self.line(f"  ✎ {title}{colon}{answered}", "cyan")
        self.line(f"    ({how})", "cyan")

    def choices(self, choices: list[dict[str, Any]]) -> None:
        """Show what may be answered. Only these lines begin so: words from elsewhere are always set in."""
        language = self.language
        number = 0
        for choice in choices:
            label = shown(choice.get("label", choice["id"]), language)
            phrase = choice.get("phrase")
            if phrase is not None:
                words = shown(phrase, language)
                head = f"{word('type', language)}{'' if language == 'zh' else ' '}“{words}”"
                self.words(f"» {head}" + (f"  {label}" if label not in (words, choice["id"]) else ""), "bold")
            else:
                number += 1  # a phrase is typed, so it has none
                self.words(f"» {number}. {label}" + (f"  ({choice['id']})" if label != choice["id"] else ""), indent=5)

    # --- progress -----------------------------------------------------------------------------------------------------

    def progress(self, state: str, text: dict[str, Any]) -> None:
        if self._quiet:
            return
        words = shown(text.get("text"), self.language) or safe(state)
        self.line(f"… {words}", "dim")

    def live(self, state: str, text: dict[str, Any]) -> None:
        """Show a line that the next output replaces; nothing where there is no terminal."""
        if self._quiet or not self.is_live:
            return
        self._clear_live()
        words = shown(text.get("text"), self.language) or safe(state)
        self._live = cut(f"… {words}", self.width - 1)
        self._stream.write(self._live)
        self._stream.flush()

    def _clear_live(self) -> None:
        if self._live:
            self._stream.write("\r" + " " * width_of(self._live) + "\r")
            self._stream.flush()
            self._live = ""

    # --- findings and endings -----------------------------------------------------------------------------------------

    def diagnostics(self, diagnostics: list[Diagnostic]) -> None:
        found = [one.of_home(self._home) for one in diagnostics]
        for kind, line in findings_report.as_text(found, self.language, self.width):
            self.line(line, _STYLES.get(kind))

    def finding(self, finding: dict[str, Any], *, with_hint: bool = True) -> None:
        for kind, line in finding_lines(finding, self.language, self._run, self._home):
            if kind == "hint" and not with_hint:
                continue
            if kind in ("place", "code"):
                self.line(line, _STYLES.get(kind))
            else:
                self.words(line, _STYLES.get(kind))

    def ending(self, result: Result, commands: dict[str, str], writes: list[dict[str, Any]]) -> None:
        """Say how a run stands and what goes on from here.

        Shapes: `commands` holds the exact command lines, as `cli.commands` makes them; `writes` are the permitted calls
        and what became of them, told where the run stopped among them.
        """
        self._status(result)
        self._what_was_written(result, writes)
        if result.asking is not None:
            self.words("  " + self.word("asking").format(number=result.asking))
        if result.status == "running":
            self.words("  " + self.word("at-work").format(command=commands["follow"]))
        for question in result.waiting:
            self._how_to_answer(question, commands)
        if result.status in ("blocked", "interrupted") and "resume" in commands:
            self._command("resume", commands["resume"])
        if result.status in ("blocked", "interrupted", "waiting") and "again" in commands:
            self._command("again", commands["again"])

    def _status(self, result: Result) -> None:
        """Say how a run ended or stopped, and why."""
        status = "partial" if result.status == "completed" and result.partial is not None else result.status
        style = {"completed": "bold green", "failed": "bold red", "cancelled": "yellow"}.get(status, "bold yellow")
        self.line()
        if result.dry_run:
            self.line(f"{self.word('rehearsal')}{self._colon}{self.word(f'short-{status}')}", style)
        else:
            self.line(f"{self.word(status)}{self._colon}{self.word('run')} {result.run_id}", style)
        if result.partial is not None:
            self.words("  " + shown(result.partial, self.language))
        if result.dry_run:
            self.line("  " + self.word("dry"))
            if result.only_examples:
                self.line(f"  {self.word('examples')}{self._colon}" + ", ".join(result.only_examples))
        for finding in (result.error, result.blocked):
            if finding is not None:
                # Nothing is kept of a dry run: what stopped it is no place to go on from.
                self.finding(finding, with_hint=not result.dry_run or finding is result.error)

    def _what_was_written(self, result: Result, writes: list[dict[str, Any]]) -> None:
        """Say which tools only seemed to write, and where a run that is not completed stopped among its writes."""
        computed = sorted({safe(one["tool"]) for one in writes if one["result"] == "done" and one.get("computed")})
        if computed:
            self.words("  " + self.word("only-computed").format(tools=", ".join(computed)), "yellow")
        if result.status != "completed" and any(one["result"] != "not_done" for one in writes):
            self.writes(writes)

    def _how_to_answer(self, question: dict[str, Any], commands: dict[str, str]) -> None:
        """Show the command that answers an open question, or the one that goes on where its time has passed."""
        from interpreter.adapters.clock import has_passed  # few messages are about waiting

        name = recorded_key(question)
        if name not in commands:
            return
        if has_passed(question.get("deadline")):
            passed = self.word("deadline-passed").format(deadline=instant(question["deadline"]))
            self.words(f"  {passed}", "yellow")
            self._command("resume", commands["resume"])
            return
        if question.get("deadline"):
            self.line(f"  {self.word('deadline')}{self._colon}{instant(question['deadline'])}")
        self._command("answer", commands[name])
        if f"{name} fields" in commands:
            self._command("with-fields", commands[f"{name} fields"])

    def _command(self, what: str, command: str) -> None:
        self.line(f"  {self.word(what)}{self._colon}{safe(command)}", "cyan")

    def writes(self, writes: list[dict[str, Any]]) -> None:
        """Show how many permitted calls are done, and what became of each; of very many only those that are not."""
        language = self.language
        told = [one for one in writes if one["result"] != "done"] if len(writes) > confirmed.MOST_ROWS else writes
        told = told[: confirmed.MOST_ROWS]
        done = sum(one["result"] == "done" for one in writes)
        rows = [[one["id"], one["tool"], self.write_result(one)] for one in told]
        headings = [word(name, language) for name in ("entry", "tool", "result")]
        self.line("  " + word("done-of", language).format(done=done, count=len(writes)), "bold")
        for line in aligned(headings, [[safe(cell) for cell in row] for row in rows], self.width - 4) if rows else ():
            self.line("    " + line)
        if len(told) < len(writes):
            self.line("    " + confirmed.more_line(len(writes) - len(told), self._look))

    def write_result(self, write: dict[str, Any]) -> str:
        error = f" ({safe(write['error'])})" if write.get("error") else ""
        return word(f"write-{write['result']}", self.language) + (error if write["result"] == "failed" else "")

    # --- the console --------------------------------------------------------------------------------------------------

    @property
    def width(self) -> int:
        return width_for(self._stream)

    @property
    def console(self) -> Console:
        if self._console is None:
            from rich.console import Console

            self._console = Console(file=self._stream, width=self.width, markup=False, highlight=False, emoji=False)
        return self._console


#: Marks where a line of a cell ends in the first column, where the next one could be taken for another row.
_BREAK = "⏎"


def _cell(value: Any, language: str, *, is_first: bool) -> str:
    """Return a cell of a table with the lines that it has; all else that moves a cursor is escaped."""
    value = value.replace("\r\n", "\n").rstrip("\n") if isinstance(value, str) else value
    text = shown(value, language, line_breaks=True)
    return text.replace("\n", f"{_BREAK}\n") if is_first else text


def _labelled(field: dict[str, Any], value: Any, language: str) -> str:
    """Return what was answered in a field, in the words of its choices."""
    labels = {shown(one["value"], language): shown(one["label"], language) for one in field.get("choices") or []}
    parts = value if isinstance(value, list) else [value]
    texts = [shown(part, language) for part in parts]
    return ("、" if language == "zh" else ", ").join(labels.get(text, text) for text in texts)
