"""A stand-in for lark-cli: its arguments, envelope, exit statuses and standard error, over a folder on this disk.

It is a program of its own and knows nothing of the interpreter. The folder is `$HOME/.lark-cli`: `state.json` holds
account, items, spaces and tasks; `calls.jsonl` every call with its arguments and what it was given of the environment.
`faults` in the state say what a command answers instead, so many times; `variants` switch what is only guessed about
the real program, or differs from one version of it to another.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import sys
from pathlib import Path
from typing import Any, NoReturn

HOME = Path(os.environ.get("HOME", "/")) / ".lark-cli"
VERSION = "1.0.96"
SWITCHES = {
    "--mine",
    "--only-title",
    "--only-comment",
    "--list-only",
    "--yes",
    "--json",
    "--verify",
    "--ignore-case",
    "--page-all",
    "--dry-run",
    "--apply",
}
COMMON = {"--as", "--profile", "--format", "--dry-run"}
TYPES = {
    "docx": "/docx/",
    "sheet": "/sheets/",
    "folder": "/drive/folder/",
    "file": "/file/",
    "slides": "/slides/",
    "wiki": "/wiki/",
    "doc": "/doc/",
    "bitable": "/base/",
    "mindnote": "/mindnote/",
}
FLAGS = {
    "drive +search": (
        "--query --mine --creator-ids --doc-types --folder-tokens --space-ids --edited-since "
        "--edited-until --created-since --created-until --commented-since --commented-until "
        "--opened-since --opened-until --only-title --only-comment --sort --page-size "
        "--page-token"
    ),
    "drive +inspect": "--url --type",
    "drive metas batch_query": "--data --params",
    "drive permission.members auth": "--params",
    "drive files list": "--params --page-all --page-limit --page-delay",
    "drive +preview": "--file-token --type --version --list-only --output",
    "drive +move": "--file-token --type --folder-token",
    "drive +create-folder": "--name --folder-token",
    "drive +delete": "--file-token --type --yes",
    "drive +task_result": "--scenario --task-id --ticket --file-token",
    "wiki +space-list": "--page-size --page-token --page-all",
    "wiki spaces get": "--params",
    "wiki +node-get": "--node-token --obj-type --space-id",
    "wiki +node-list": "--space-id --parent-node-token --page-size --page-token --page-all --page-limit",
    "wiki +move": (
        "--node-token --source-space-id --obj-type --obj-token --target-space-id --target-parent-token --apply"
    ),
    "wiki +move-to-drive": "--node-token --folder-token",
    "wiki +node-create": "--space-id --parent-node-token --title --node-type --obj-type --origin-node-token",
    "wiki +node-delete": "--node-token --obj-type --space-id --include-children --yes",
    "docs +fetch": (
        "--api-version --doc --doc-format --detail --scope --keyword --context-before "
        "--context-after --start-block-id --end-block-id"
    ),
    "sheets +cells-get": "--spreadsheet-token --url --sheet-id --range",
    "sheets +cells-search": "--spreadsheet-token --url --sheet-id --find --range --ignore-case",
    "sheets +read": "--spreadsheet-token --url --sheet-id --range --value-render-option",
    "sheets +find": "--spreadsheet-token --url --sheet-id --find --range --ignore-case",
    "auth status": "--json --verify",
}
STATUSES = {
    "api": 1,
    "validation": 2,
    "authentication": 3,
    "authorization": 3,
    "config": 3,
    "network": 4,
    "internal": 5,
    "policy": 6,
    "confirmation": 10,
}


class Refused(Exception):
    def __init__(self, kind: str, subtype: str, message: str, **more: Any) -> None:
        self.error = {"type": kind, "subtype": subtype, "message": message, **more}
        super().__init__(message)


class Partial(Exception):
    """A failure that the program prints on standard output."""


# --- how it is called ---


def main(words: list[str]) -> int:
    if words == ["--version"]:
        print(f"lark-cli version {_state_or_nothing().get('version', VERSION)} (stand-in)")
        return 0
    HOME.mkdir(parents=True, exist_ok=True)
    with open(HOME / "lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        state = _state_or_nothing()
        with open(HOME / "calls.jsonl", "a", encoding="utf-8") as log:
            log.write(json.dumps({"argv": words, "environment": sorted(os.environ)}, ensure_ascii=False) + "\n")
        status = _answered(words, state)
        fresh = HOME / "state.fresh"
        fresh.write_text(json.dumps(state, ensure_ascii=False), "utf-8")
        fresh.replace(HOME / "state.json")
    return status


def _state_or_nothing() -> dict[str, Any]:
    path = HOME / "state.json"
    return (
        json.loads(path.read_text("utf-8"))
        if path.exists()
        else {"account": None, "items": {}, "spaces": {}, "tasks": {}}
    )


def _answered(words: list[str], state: dict[str, Any]) -> int:
    variants = state.setdefault("variants", {})
    if variants.get("noise"):
        print("[notice] a newer lark-cli is there\n{not json}\nsearching…", file=sys.stderr)
    identity = "user"
    try:
        command, flags = _parsed(words)
        identity = flags.get("--as", "user")
        fault = _fault(state, command)
        if fault is not None:
            sys.stdout.write(fault.get("stdout", ""))
            sys.stderr.write(fault.get("stderr", ""))
            return int(fault.get("exit", 0))
        if state.get("account") is None and command != "auth status":
            raise Refused("authentication", "token_missing", "no user is signed in", code=99991661)
        if command in ("drive +delete", "wiki +node-delete") and "--yes" not in flags:
            raise Refused(
                "confirmation", "confirmation_required", "needs --yes", risk="high-risk-write", action=command
            )
        data = COMMANDS[command](state, flags)
    except Refused as refused:
        error = dict(refused.error)
        status = STATUSES[error["type"]]
        if variants.get("old_errors") and error["type"] in ("authorization", "authentication"):
            error["type"], status = {"authorization": "permission", "authentication": "auth"}[error["type"]], 1
            error.pop("subtype", None)
        print(
            json.dumps({"ok": False, "identity": identity, "error": error}, ensure_ascii=False, indent=2),
            file=sys.stderr,
        )
        return status
    if command == "auth status":
        print(json.dumps(data, ensure_ascii=False))
        return 0
    if variants.get("raw_code") and command in (
        "drive metas batch_query",
        "drive permission.members auth",
        "drive files list",
        "wiki spaces get",
    ):
        print(json.dumps({"code": 0, "msg": "ok", "data": data}, ensure_ascii=False))
        return 0
    envelope: dict[str, Any] = {"ok": True, "identity": identity, "data": data}
    if command in ("sheets +read", "sheets +find"):
        envelope["_notice"] = {"deprecated_command": {"command": command, "replacement": "+cells-get"}}
    print(json.dumps(envelope, ensure_ascii=False))
    return 0


def _parsed(words: list[str]) -> tuple[str, dict[str, str]]:
    names = [word for word in words[:3] if not word.startswith("-")]
    command = next((" ".join(names[:size]) for size in (3, 2) if " ".join(names[:size]) in FLAGS), None)
    if command is None:
        raise Refused("validation", "command_unavailable", f"unknown command {' '.join(names)}")
    known = {*FLAGS[command].split(), *COMMON}
    flags: dict[str, str] = {}
    rest = words[len(command.split()) :]
    at = 0
    while at < len(rest):
        word = rest[at]
        if not word.startswith("--"):
            raise Refused("validation", "invalid_argument", f"unexpected argument {word!r}")
        name, equals, value = word.partition("=")
        if name not in known:
            raise Refused("validation", "invalid_argument", f"unknown flag: {name}")
        if not equals and name not in SWITCHES:
            at += 1
            if at >= len(rest):
                raise Refused("validation", "invalid_argument", f"flag needs an argument: {name}")
            value = rest[at]
        if not (equals and name in SWITCHES and value == "false"):
            flags[name] = value
        at += 1
    return command, flags


def _fault(state: dict[str, Any], command: str) -> dict[str, Any] | None:
    for fault in state.get("faults", []):
        if command.startswith(fault["command"]) and fault.get("skip", 0) > 0:
            fault["skip"] -= 1
        elif command.startswith(fault["command"]) and fault.get("times", 1) > 0:
            fault["times"] = fault.get("times", 1) - 1
            found: dict[str, Any] = fault
            return found
    return None


def _whole(flags: dict[str, str], name: str, otherwise: int, most: int) -> int:
    text = flags.get(name, str(otherwise))
    if not re.fullmatch(r"-?\d+", text):
        raise Refused("validation", "invalid_argument", f"{name}: not a number", param=name)
    return min(int(text), most) if int(text) > 0 else otherwise


def _json(flags: dict[str, str], name: str) -> dict[str, Any]:
    try:
        value = json.loads(flags.get(name, "{}"))
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise Refused("validation", "invalid_argument", f"{name}: invalid JSON", param=name)
    return value


def _required(flags: dict[str, str], name: str) -> str:
    if not flags.get(name):
        raise Refused("validation", "invalid_argument", f"required flag {name} not set", param=name)
    return flags[name]


# --- the tree ---


def _visible(state: dict[str, Any], token: str) -> dict[str, Any] | None:
    item = state["items"].get(token)
    return item if item is not None and not item.get("hidden") and not item.get("deleted") else None


def _address(item: dict[str, Any], token: str) -> str:
    return f"https://example.feishu.cn{TYPES.get(item['type'], '/file/')}{token}"


def _token_in(url: str) -> tuple[str, str | None]:
    """Return the token of an address or a bare token, and the type that the address tells."""
    if "://" not in url:
        return url, None
    path = url.split("://", 1)[1].partition("/")[2].partition("?")[0]
    for kind, beginning in TYPES.items():
        if path.startswith(beginning.lstrip("/")):
            return path[len(beginning) - 1 :], kind
    raise Refused("validation", "invalid_argument", "unsupported address")


def _page(entries: list[Any], flags: dict[str, str], key: str, size: int) -> tuple[list[Any], bool, str]:
    mark = hashlib.sha256(key.encode()).hexdigest()[:8]
    token = flags.get("--page-token", "")
    start = 0
    if token:
        at, _, own = token.partition("-")
        if own != mark or not at.isdigit():
            raise Refused("api", "invalid_parameters", "invalid page_token", code=131002)
        start = int(at)
    has_more = start + size < len(entries)
    return entries[start : start + size], has_more, f"{start + size}-{mark}" if has_more else ""


# --- drive ---


def search(state: dict[str, Any], flags: dict[str, str]) -> dict[str, Any]:
    query = flags.get("--query", "")
    notice = ""
    if len(query) > 30:
        if not state["variants"].get("long_query_is_cut"):
            raise Refused("api", "invalid_parameters", "query too long", code=99992402)
        query, notice = query[:50], "the query was cut to its first 50 characters"
    if "--mine" in flags and "--creator-ids" in flags:
        raise Refused("validation", "invalid_argument", "--mine excludes --creator-ids")
    if flags.get("--folder-tokens") and flags.get("--space-ids"):
        raise Refused("validation", "invalid_argument", "--folder-tokens excludes --space-ids")
    found = []
    kinds = set(flags.get("--doc-types", "").split(",")) - {""}
    folders = set(flags.get("--folder-tokens", "").split(",")) - {""}
    creators = set(flags.get("--creator-ids", "").split(",")) - {""}
    for token, item in state["items"].items():
        if (
            item.get("hidden")
            or item.get("deleted")
            or (item["type"] == "folder" and "folder" not in kinds and not query)
        ):
            continue
        if "--mine" in flags and item["owner"] != state["account"]["openId"]:
            continue
        if (kinds and item["type"] not in kinds) or (creators and item["owner"] not in creators):
            continue
        if folders and not folders & set(_above(state, token)):
            continue
        text = "" if "--only-title" in flags else _text(item)
        if "--only-comment" in flags:
            text, title = " ".join(item.get("comments", [])), ""
        else:
            title = item["name"]
        if _matches(query, title, text):
            found.append((token, item, title, text))
    size = _whole(flags, "--page-size", 15, 20)
    part, has_more, token = _page(found, flags, json.dumps([query, sorted(kinds), "--mine" in flags]), size)
    results = [_hit(state, query, *one) for one in part]
    answer: dict[str, Any] = {"total": len(found), "has_more": has_more, "page_token": token, "results": results}
    return {**answer, "notice": notice} if notice else answer


def _above(state: dict[str, Any], token: str) -> list[str]:
    found = []
    while token:
        token = state["items"].get(token, {}).get("parent", "")
        found.append(token)
    return found


def _text(item: dict[str, Any]) -> str:
    return "\n".join([item.get("text", ""), *(" ".join(row) for row in item.get("rows", []))])


def _terms(query: str) -> tuple[list[tuple[str, bool]], list[str]]:
    """Return what must be there (with whether in the title), and what must not."""
    wanted, unwanted = [], []
    for sign, place, quoted, plain in re.findall(r'(-?)(intitle:)?(?:"([^"]*)"|(\S+))', query):
        word = quoted or plain
        if word and sign:
            unwanted.append(word.casefold())
        elif word:
            wanted.append((word.casefold(), bool(place)))
    return wanted, unwanted


def _matches(query: str, title: str, text: str) -> bool:
    title, text = title.casefold(), text.casefold()
    for choice in re.split(r"\sOR\s", query):
        wanted, unwanted = _terms(choice)
        holds = all(word in title or (not only_title and word in text) for word, only_title in wanted)
        if holds and not any(word in title or word in text for word in unwanted):
            return True
    return False


def _hit(state: dict[str, Any], query: str, token: str, item: dict[str, Any], title: str, text: str) -> dict[str, Any]:
    words = [word for word, _ in _terms(query.replace(" OR ", " "))[0]]

    def marked(whole: str) -> str:
        for word in words:
            whole = re.sub(re.escape(word), lambda found: f"<h>{found.group()}</h>", whole, flags=re.IGNORECASE)
        return whole

    at = min((text.casefold().find(word) for word in words if word in text.casefold()), default=0)
    is_node = item.get("node") is not None
    return {
        "entity_type": "WIKI" if is_node else "DOC",
        "title_highlighted": marked(title or item["name"]),
        "summary_highlighted": marked(" ".join(text[max(0, at - 20) : at + 60].split())),
        "result_meta": {
            "doc_types": item["type"].upper(),
            "token": item["node"] if is_node else token,
            "url": f"https://example.feishu.cn/wiki/{item['node']}" if is_node else _address(item, token),
            "owner_id": item["owner"],
            "owner_name": item["owner"],
            "is_cross_tenant": False,
        },
    }


def inspect(state: dict[str, Any], flags: dict[str, str]) -> dict[str, Any]:
    url = _required(flags, "--url")
    token, told = _token_in(url)
    if told and flags.get("--type") and flags["--type"] != told:
        raise Refused("validation", "invalid_argument", "--type conflicts with the address")
    if not told and not flags.get("--type"):
        raise Refused("validation", "invalid_argument", "--type is required for a bare token")
    if told == "wiki" or flags.get("--type") == "wiki":
        node = _node(state, token)
        found = {
            "space_id": node["space_id"],
            "node_token": node["node_token"],
            "obj_token": node["obj_token"],
            "obj_type": node["obj_type"],
        }
        return {
            "input_url": url,
            "type": node["obj_type"],
            "title": node["title"],
            "token": node["obj_token"],
            "url": url,
            "wiki_node": found,
        }
    item = _visible(state, token)
    kind = item["type"] if item else told or flags["--type"]
    return {
        "input_url": url,
        "type": kind,
        "title": item["name"] if item else "",
        "token": token,
        "url": _address({"type": kind}, token),
    }


def metas(state: dict[str, Any], flags: dict[str, str]) -> dict[str, Any]:
    asked = _json(flags, "--data").get("request_docs", [])
    if len(asked) > 200:
        raise Refused("api", "invalid_parameters", "at most 200", code=99992402)
    found, failed = [], []
    for one in asked:
        item = state["items"].get(one["doc_token"])
        if item is None or item.get("deleted"):
            failed.append({"token": one["doc_token"], "code": 970005})
        elif item.get("hidden"):
            failed.append({"token": one["doc_token"], "code": 970003})
        else:
            found.append(
                {
                    "doc_token": one["doc_token"],
                    "doc_type": item["type"],
                    "title": item["name"],
                    "owner_id": item["owner"],
                    "url": _address(item, one["doc_token"]),
                }
            )
    return {"metas": found, "failed_list": failed}


def permission(state: dict[str, Any], flags: dict[str, str]) -> dict[str, Any]:
    asked = _json(flags, "--params")
    if asked.get("type") == "folder":
        raise Refused("api", "invalid_parameters", "type folder is not supported", code=1061002)
    return {"auth_result": _visible(state, asked.get("token", "")) is not None}


def files(state: dict[str, Any], flags: dict[str, str]) -> dict[str, Any]:
    asked = _json(flags, "--params")
    folder = asked.get("folder_token", "")
    if folder and state["items"].get(folder, {}).get("type") != "folder":
        raise Refused("api", "not_found", "no such folder", code=1061044)
    if folder and _visible(state, folder) is None:
        raise Refused("authorization", "permission_denied", "forbidden", code=1061004)
    inside = [
        {
            "token": token,
            "name": item["name"],
            "type": item["type"],
            "url": _address(item, token),
            "owner_id": item["owner"],
            "parent_token": folder,
        }
        for token, item in state["items"].items()
        if item["parent"] == folder and _visible(state, token) is not None and item.get("node") is None
    ]
    if "--page-all" in flags and state["variants"].get("page_all_cuts"):
        limit = _whole(flags, "--page-limit", 10, 1000) * int(asked.get("page_size", 20))
        print("[pagination] merged 10 pages", file=sys.stderr)
        return {"files": inside[:limit], "has_more": False}
    size = int(asked.get("page_size", 50))
    part, has_more, token = _page(inside, {"--page-token": asked.get("page_token", "")}, folder, size)
    return {"files": part, "has_more": has_more, "next_page_token": token}


def preview(state: dict[str, Any], flags: dict[str, str]) -> dict[str, Any]:
    if _visible(state, _required(flags, "--file-token")) is None:
        raise Refused("api", "not_found", "no such file", code=1061007)
    return {"previews": []}


def move(state: dict[str, Any], flags: dict[str, str]) -> dict[str, Any]:
    token, kind, target = _required(flags, "--file-token"), _required(flags, "--type"), flags.get("--folder-token", "")
    item = _movable(state, token, target)
    if kind == "folder":
        task = _task(state, {"move": [token, target]})
        return {**task, "file_token": token, "folder_token": target or state["root"]}
    item["parent"] = target
    return {"file_token": token, "folder_token": target or state["root"], "type": kind}


def _movable(state: dict[str, Any], token: str, target: str) -> dict[str, Any]:
    item = _visible(state, token)
    if item is None:
        raise Refused("api", "not_found", "no such file", code=1061007)
    if target and state["items"].get(target, {}).get("type") != "folder":
        raise Refused("api", "not_found", "no such folder", code=1061044)
    for place in (token, item["parent"], target):
        if place and state["items"][place].get("locked"):
            raise Refused("authorization", "permission_denied", "forbidden", code=1061004)
    return item


def _task(state: dict[str, Any], work: dict[str, Any]) -> dict[str, Any]:
    number = f"task{len(state['tasks']) + 1}"
    variants = state["variants"]
    state["tasks"][number] = {
        "work": work,
        "left": variants.get("task_polls", 0),
        "fails": variants.get("tasks_fail", False),
    }
    if variants.get("task_polls"):
        return {
            "task_id": number,
            "status": "processing",
            "ready": False,
            "timed_out": True,
            "next_command": f"lark-cli drive +task_result --task-id {number}",
        }
    if variants.get("tasks_fail"):
        raise Refused("api", "task_failed", "the task failed")
    _do(state, work)
    return {"task_id": number, "status": "success", "ready": True}


def _do(state: dict[str, Any], work: dict[str, Any]) -> None:
    if "move" in work:
        token, target = work["move"]
        state["items"][token]["parent"] = target
    if "delete" in work:
        for token, item in state["items"].items():
            if token == work["delete"] or work["delete"] in _above(state, token):
                item["deleted"] = True
    if "into_wiki" in work:
        token, space, parent = work["into_wiki"]
        state["items"][token].update(node=f"wik{token}", space=space, node_parent=parent, parent="-")
    if "out_of_wiki" in work:
        token, folder = work["out_of_wiki"]
        item = state["items"][_object(state, token)]
        item.update(node=None, parent=folder)


def create_folder(state: dict[str, Any], flags: dict[str, str]) -> dict[str, Any]:
    name, parent = _required(flags, "--name"), flags.get("--folder-token", "")
    if len(name.encode()) > 256:
        raise Refused("validation", "invalid_argument", "name is longer than 256 bytes")
    token = f"fld{len(state['items'])}"
    state["items"][token] = {"name": name, "type": "folder", "parent": parent, "owner": state["account"]["openId"]}
    return {
        "created": True,
        "name": name,
        "folder_token": token,
        "parent_folder_token": parent,
        "url": _address({"type": "folder"}, token),
    }


def delete(state: dict[str, Any], flags: dict[str, str]) -> dict[str, Any]:
    token, kind = _required(flags, "--file-token"), _required(flags, "--type")
    if _visible(state, token) is None:
        raise Refused("api", "not_found", "already deleted", code=1061007)
    task = _task(state, {"delete": token})
    if not task["ready"]:
        return {**task, "file_token": token, "type": kind}
    return {"deleted": True, "file_token": token, "type": kind, "task_id": task["task_id"]}


def task_result(state: dict[str, Any], flags: dict[str, str]) -> dict[str, Any]:
    scenario, number = _required(flags, "--scenario"), _required(flags, "--task-id")
    task = state["tasks"].get(number)
    if task is None:
        raise Refused("api", "not_found", "no such task", code=1061007)
    is_wiki = scenario in ("wiki_move", "wiki_move_to_drive")
    answer: dict[str, Any] = {"scenario": scenario, "task_id": number, "ready": False, "failed": False}
    if task["left"] > 0:
        task["left"] -= 1
        return {**answer, "status": 1 if is_wiki else "processing"}
    if task["fails"]:
        return {**answer, "failed": True, "status": -1 if is_wiki else "failed", "status_msg": "failed"}
    if not task.get("done"):
        task["done"] = True
        _do(state, task["work"])
    return {**answer, "ready": True, "status": 0 if is_wiki else "success"}


# --- wiki ---


def _object(state: dict[str, Any], token: str) -> str:
    own: str
    for own, item in state["items"].items():
        if item.get("node") is not None and token in (item["node"], own) and not item.get("deleted"):
            return own
    raise Refused("api", "not_found", "no such node", code=131005)


def _node(state: dict[str, Any], token: str) -> dict[str, Any]:
    own = _object(state, token)
    item = state["items"][own]
    if item.get("hidden"):
        raise Refused("authorization", "permission_denied", "forbidden", code=131006)
    return {
        "space_id": item["space"],
        "node_token": item["node"],
        "obj_token": own,
        "obj_type": item["type"],
        "node_type": "origin",
        "parent_node_token": item.get("node_parent", ""),
        "origin_node_token": "",
        "title": item["name"],
        "has_child": any(other.get("node_parent") == item["node"] for other in state["items"].values()),
        "owner": item["owner"],
        "creator": item["owner"],
    }


def space_list(state: dict[str, Any], flags: dict[str, str]) -> dict[str, Any]:
    spaces = [
        {"space_id": number, "name": name, "space_type": "team", "visibility": "private"}
        for number, name in state["spaces"].items()
    ]
    part, has_more, token = _page(spaces, flags, "spaces", _whole(flags, "--page-size", 50, 50))
    return {"spaces": part, "has_more": has_more, "page_token": token}


def space_get(state: dict[str, Any], flags: dict[str, str]) -> dict[str, Any]:
    number = _json(flags, "--params").get("space_id", "")
    if number not in state["spaces"]:
        raise Refused("api", "not_found", "no such space", code=131005)
    return {"space": {"space_id": number, "name": state["spaces"][number], "space_type": "team"}}


def node_get(state: dict[str, Any], flags: dict[str, str]) -> dict[str, Any]:
    node = _node(state, _token_in(_required(flags, "--node-token"))[0])
    if flags.get("--space-id") and flags["--space-id"] != node["space_id"]:
        raise Refused("validation", "failed_precondition", "the node is in another space")
    return node


def node_list(state: dict[str, Any], flags: dict[str, str]) -> dict[str, Any]:
    space, parent = _required(flags, "--space-id"), flags.get("--parent-node-token", "")
    if space not in state["spaces"]:
        raise Refused("api", "invalid_parameters", "space_id is not int", code=131002)
    nodes = [
        _node(state, own)
        for own, item in state["items"].items()
        if item.get("node")
        and item["space"] == space
        and item.get("node_parent", "") == parent
        and _visible(state, own)
    ]
    part, has_more, token = _page(nodes, flags, space + parent, _whole(flags, "--page-size", 50, 50))
    return {"nodes": part, "has_more": has_more, "page_token": token}


def wiki_move(state: dict[str, Any], flags: dict[str, str]) -> dict[str, Any]:
    parent = flags.get("--target-parent-token", "")
    if flags.get("--node-token"):
        item = state["items"][_object(state, flags["--node-token"])]
        space = flags.get("--target-space-id") or state["items"][_object(state, parent)]["space"]
        before = item["space"]
        item.update(space=space, node_parent=parent)
        return {
            "mode": "node",
            "source_space_id": before,
            "target_space_id": space,
            **_node(state, flags["--node-token"]),
        }
    token, space = _required(flags, "--obj-token"), _required(flags, "--target-space-id")
    answer = {
        "mode": "docs_to_wiki",
        "obj_type": _required(flags, "--obj-type"),
        "obj_token": token,
        "target_space_id": space,
        "target_parent_token": parent,
    }
    _movable(state, token, "")
    if state["variants"].get("asks_for_approval"):
        return {**answer, "applied": True, "ready": False, "failed": False, "status_msg": "waiting for approval"}
    task = _task(state, {"into_wiki": [token, space, parent]})
    if not task["ready"]:
        return {**answer, **task, "status": 1, "failed": False}
    return {**answer, "ready": True, "failed": False, "node_token": f"wik{token}", "wiki_token": f"wik{token}"}


def move_to_drive(state: dict[str, Any], flags: dict[str, str]) -> dict[str, Any]:
    node, folder = _required(flags, "--node-token"), flags.get("--folder-token", "")
    own = _object(state, node)
    task = _task(state, {"out_of_wiki": [node, folder]})
    answer = {"node_token": node, "folder_token": folder, "failed": False, **task, "status": 0 if task["ready"] else 1}
    return {**answer, "obj_token": own, "obj_type": state["items"][own]["type"]} if task["ready"] else answer


def node_create(state: dict[str, Any], flags: dict[str, str]) -> dict[str, Any]:
    parent = flags.get("--parent-node-token", "")
    space = flags.get("--space-id") or (state["items"][_object(state, parent)]["space"] if parent else "my_library")
    own = f"new{len(state['items'])}"
    state["items"][own] = {
        "name": flags.get("--title", ""),
        "type": flags.get("--obj-type", "docx"),
        "parent": "-",
        "owner": state["account"]["openId"],
        "node": f"wik{own}",
        "space": space,
        "node_parent": parent,
        "text": "",
    }
    return {"resolved_space_id": space, "resolved_by": "explicit_space_id", **_node(state, own)}


def node_delete(state: dict[str, Any], flags: dict[str, str]) -> dict[str, Any]:
    node = _required(flags, "--node-token")
    item = state["items"][_object(state, node)]
    for other in state["items"].values():
        if other.get("node_parent") == node:
            other["node_parent"] = item.get("node_parent", "")
    item["deleted"] = True
    return {
        "space_id": item["space"],
        "node_token": node,
        "obj_type": "wiki",
        "include_children": False,
        "ready": True,
        "failed": False,
        "status": "success",
    }


# --- contents ---


def fetch(state: dict[str, Any], flags: dict[str, str]) -> dict[str, Any]:
    token = _token_in(_required(flags, "--doc"))[0]
    item = _visible(state, token)
    if item is None:
        raise Refused("authorization", "permission_denied", "forbidden", code=1061004)
    lines = [line for line in item.get("text", "").split("\n") if line.strip()]
    if flags.get("--scope") == "keyword":
        words = [word.casefold() for word in flags.get("--keyword", "").split("|") if word]
        before, after = _whole(flags, "--context-before", 0, 10), _whole(flags, "--context-after", 0, 10)
        kept = {
            near
            for at, line in enumerate(lines)
            if any(word in line.casefold() for word in words)
            for near in range(at - before, at + after + 1)
        }
        lines = [line for at, line in enumerate(lines) if at in kept]
    return {"document": {"document_id": token, "revision_id": 1, "content": "\n\n".join(lines)}}


def _rows(state: dict[str, Any], flags: dict[str, str]) -> list[list[str]]:
    item = _visible(state, _required(flags, "--spreadsheet-token"))
    if item is None:
        raise Refused("authorization", "permission_denied", "forbidden", code=1061004)
    rows: list[list[str]] = item.get("rows", [])
    return rows


def _only(state: dict[str, Any], spelling: str) -> None:
    if state["variants"].get("sheets", "both") not in ("both", spelling):
        raise Refused("validation", "command_unavailable", "unknown command")


def cells_get(state: dict[str, Any], flags: dict[str, str]) -> dict[str, Any]:
    _only(state, "new")
    cells = [
        {"row": row, "col": column, "value": value}
        for row, line in enumerate(_rows(state, flags), 1)
        for column, value in enumerate(line, 1)
    ]
    return {"ranges": [{"range": flags.get("--range", "A1:Z200"), "cells": cells, "has_more": False}]}


def cells_search(state: dict[str, Any], flags: dict[str, str]) -> dict[str, Any]:
    _only(state, "new")
    _required(flags, "--sheet-id")
    wanted = _required(flags, "--find").casefold()
    found = [
        {"address": f"{chr(64 + column)}{row}", "value": value, "sheet_id": flags["--sheet-id"]}
        for row, line in enumerate(_rows(state, flags), 1)
        for column, value in enumerate(line, 1)
        if wanted in value.casefold()
    ]
    return {"matches": found, "total_matches": len(found), "has_more": False}


def read(state: dict[str, Any], flags: dict[str, str]) -> dict[str, Any]:
    _only(state, "old")
    return {"valueRange": {"range": flags.get("--range", "A1:Z200"), "values": _rows(state, flags)}}


def find(state: dict[str, Any], flags: dict[str, str]) -> dict[str, Any]:
    _only(state, "old")
    found = cells_search({**state, "variants": {}}, flags)["matches"]
    return {
        "find_result": {
            "matched_cells": [one["address"] for one in found],
            "matched_formula_cells": [],
            "rows_count": len(found),
        }
    }


def auth_status(state: dict[str, Any], flags: dict[str, str]) -> dict[str, Any]:
    return {"identities": {"user": state["account"]} if state.get("account") else {}}


COMMANDS = {
    "drive +search": search,
    "drive +inspect": inspect,
    "drive metas batch_query": metas,
    "drive permission.members auth": permission,
    "drive files list": files,
    "drive +preview": preview,
    "drive +move": move,
    "drive +create-folder": create_folder,
    "drive +delete": delete,
    "drive +task_result": task_result,
    "wiki +space-list": space_list,
    "wiki spaces get": space_get,
    "wiki +node-get": node_get,
    "wiki +node-list": node_list,
    "wiki +move": wiki_move,
    "wiki +move-to-drive": move_to_drive,
    "wiki +node-create": node_create,
    "wiki +node-delete": node_delete,
    "docs +fetch": fetch,
    "sheets +cells-get": cells_get,
    "sheets +cells-search": cells_search,
    "sheets +read": read,
    "sheets +find": find,
    "auth status": auth_status,
}


# --- the host's own evidence, in the form that the guide describes ---


def evidence(tool: str) -> int:
    """Answer what the state knows of places and rights; the arguments come as JSON on standard input."""
    asked = json.load(sys.stdin)
    state = _state_or_nothing()
    items = state["items"]
    item = items.get(asked.get("token", ""))
    answer: dict[str, Any]
    if tool == "location":
        if asked.get("token") == "":
            answer = {"parent_kind": "unknown", "path": "/"}
        elif item is None or item.get("node"):
            answer = {"parent_kind": "unknown"}
        else:
            names = [items[one]["name"] for one in reversed(_above(state, asked["token"])) if one]
            answer = {
                "parent_kind": "drive_folder" if item["parent"] else "drive_root",
                "parent_token": item["parent"],
                "path": "/" + "/".join([*names, item["name"]]),
            }
    elif tool == "move_rights":
        own = item is not None and item["owner"] == state["account"]["openId"] and not item.get("locked")
        parent = item is not None and not items.get(item["parent"], {}).get("locked")
        answer = {"source": "confirmed" if own else "unknown", "source_parent": "confirmed" if parent else "denied"}
    else:
        answer = {"write": "denied" if item is not None and item.get("locked") else "confirmed"}
    print(json.dumps(answer))
    return 0


def stop(status: int) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    if Path(sys.argv[0]).name == "lark-evidence":
        stop(evidence(sys.argv[1]))
    stop(main(sys.argv[1:]))
