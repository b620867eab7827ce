"""What a thing in the folder is called on the drive, by its extension; and its address."""

from __future__ import annotations

from interpreter.adapters.folders.paths import Entry, is_text

FOLDER, DOCUMENT, SHEET, SLIDES, FILE, SHORTCUT, UNSUPPORTED = (
    "folder",
    "docx",
    "sheet",
    "slides",
    "file",
    "shortcut",
    "unsupported",
)

BY_EXTENSION = {
    "md": DOCUMENT,
    "markdown": DOCUMENT,
    "txt": DOCUMENT,
    "text": DOCUMENT,
    "html": DOCUMENT,
    "htm": DOCUMENT,
    "csv": SHEET,
    "tsv": SHEET,
    "docx": DOCUMENT,
    "docm": DOCUMENT,
    "xlsx": SHEET,
    "xlsm": SHEET,
    "pptx": SLIDES,
    "pptm": SLIDES,
    "pdf": FILE,
    "link": SHORTCUT,
}
#: How a token begins, so that a person can tell kinds apart; nothing reads it back.
PREFIXES = {
    FOLDER: "fld",
    DOCUMENT: "dox",
    SHEET: "sht",
    SLIDES: "sld",
    FILE: "box",
    SHORTCUT: "lnk",
    UNSUPPORTED: "uns",
}
_ADDRESS = {FOLDER: "drive/folder", DOCUMENT: "docx", SHEET: "sheets", SLIDES: "slides"}
ADDRESS = "drive://local/"


def extension(name: str) -> str:
    return name.rpartition(".")[2].lower() if "." in name[1:] else ""


def kind_of(entry: Entry) -> str:
    """Return the kind; links are shortcuts, and what has no plain name or no content is unsupported."""
    if not is_text(entry.name):
        return UNSUPPORTED
    if entry.is_folder:
        return FOLDER
    if entry.is_link:
        return SHORTCUT
    if not entry.is_file:
        return UNSUPPORTED
    return BY_EXTENSION.get(extension(entry.name), FILE)


def plain_title(name: str) -> str:
    """Return the part of a name that is searched: without an extension that only says the kind."""
    return name.rpartition(".")[0] if extension(name) in BY_EXTENSION else name


def address(kind: str, token: str) -> str:
    return f"{ADDRESS}{_ADDRESS.get(kind, 'file')}/{token}"
