"""Profiles that stand on others (`extends`): what one comes to, together with all that it takes over.

For one tool the entry of its own name comes before that of its document (`drive.*`), wherever either stands; of two
with the same key, what a profile says itself comes before what it takes over. Between two profiles that it takes over
nothing decides, no order and no nearness: it says itself which one answers (`as_in`), or that is a finding.

What widens what may be done (`unattended_confirm`, `confirm_through`) is never taken over: the profile that is used
says it, or nobody does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from interpreter.diagnostics import Diagnostic, Related, Words, did_you_mean, finding, in_order
from interpreter.documents.causes import without_consequences
from interpreter.documents.loading import Loaded, Loader, folder_of, name_below
from interpreter.documents.reading import Disk, Reader
from interpreter.model import Adapted, AsIn, Declared, Profile
from interpreter.source import Span
from rules.records import NamedTuple, record, replace

#: So many profiles stand on one another at most, the one that is used among them.
MOST_LEVELS = 8


@record
class Part:
    """One of the documents that a profile consists of, and what it comes to with those that it extends itself.

    Shapes: `profile` is None where the document is none; `is_whole` says that nothing is missing, so that a setting
    that is not there is really nowhere.
    """

    loaded: Loaded
    profile: Profile | None
    is_whole: bool

    @property
    def own(self) -> Profile:
        """What the document says itself; only where it is a profile."""
        assert isinstance(self.loaded.document, Profile)
        return self.loaded.document


@record
class WholeProfile:
    """A profile with all that it takes over.

    Shapes: `parts` are its documents, its own first; `diagnostics` what was found in reading and joining them.
    """

    profile: Profile | None
    parts: tuple[Part, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def texts(self) -> Mapping[str, str]:
        """The texts of its documents by the names of the files, its own first."""
        sources = [part.loaded.source for part in self.parts]
        return {PurePath(source.name).stem: source.text for source in sources if source is not None}


def load_profile(path: str | PurePath, reader: Reader | None = None) -> tuple[Profile | None, list[Diagnostic]]:
    """Return a profile with all that it takes over, None where the file is none."""
    path = PurePath(path)
    loader = Loader(folder_of(path, "profile"), reader or Disk())
    whole = whole_profile(loader, loader.load(name_below(path, loader.folder), "profile"))
    return whole.profile, in_order(without_consequences(whole.diagnostics))


def whole_profile(loader: Loader, main: Loaded) -> WholeProfile:
    """Return a profile together with those that it extends, and what was found in reading them.

    Errors: those of reading documents; name/unknown-document, name/document-twice, tool/profile-on-itself,
    tool/profiles-too-deep, tool/answered-twice, tool/setting-twice, tool/setting-declared-otherwise,
    tool/as-in-nowhere, tool/more-exact-below.
    """
    joining = _Joining(loader)
    part = joining.part(main, ())
    return WholeProfile(part.profile, tuple(joining.parts.values()), tuple(joining.found))


def adapted_for(profile: Profile, tool: str) -> Adapted | None:
    """Return how a tool is answered: by its own entry, else by that of its document (`drive.*`)."""
    return _answer_of({one.tool: one for one in profile.tools}, tool)


def _answer_of(tools: Mapping[str, Adapted], tool: str) -> Adapted | None:
    return tools.get(tool) or tools.get(_pattern_of(tool))


def _pattern_of(tool: str) -> str:
    return f"{tool.partition('.')[0]}.*"


class _Base(NamedTuple):
    """A profile that another one extends. Shapes: `span` is where its name stands there."""

    name: str
    span: Span
    profile: Profile
    is_whole: bool
    tools: Mapping[str, Adapted]


class _Joining:
    """Joins a profile with what it extends, each document once."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader
        self.parts: dict[str, Part] = {}
        self.found: list[Diagnostic] = []

    def part(self, loaded: Loaded, road: tuple[Loaded, ...]) -> Part:
        """Return what a document comes to. Shapes: `road` are those that led to it, the profile that is used first."""
        known = self.parts.get(loaded.name)
        if known is not None:
            return known
        self.found += self._loader.all_diagnostics(loaded.name)
        own = loaded.document
        if not isinstance(own, Profile):
            self.parts[loaded.name] = Part(loaded, None, is_whole=False)
            return self.parts[loaded.name]
        # It has its place before those below it, and is filled in behind them.
        self.parts[loaded.name] = Part(loaded, own, is_whole=False)
        bases = list(self._bases(loaded, own, (*road, loaded)))
        is_whole = loaded.is_whole and len(bases) == len(own.extends) and all(base.is_whole for base in bases)
        self.parts[loaded.name] = Part(loaded, self._joined(loaded, own, bases), is_whole)
        return self.parts[loaded.name]

    def _bases(self, loaded: Loaded, own: Profile, road: tuple[Loaded, ...]) -> Iterator[_Base]:
        seen: set[str] = set()
        for name, span in own.extends:
            if name in seen:
                self.found.append(finding("name/document-twice", span, name=name))
                continue
            seen.add(name)
            place = PurePath(loaded.name).with_name(f"{name}.yaml").as_posix()
            if place in [one.name for one in road]:
                self.found.append(_on_itself(road, place))
                continue
            if len(road) == MOST_LEVELS:
                self.found.append(_too_deep(road))
                continue
            base = self._loader.load(place, "profile")
            if base.source is None:
                self.found.append(self._loader.missing("profile", name, span, place))
                continue
            part = self.part(base, road)
            if part.profile is not None:
                tools = {one.tool: one for one in part.profile.tools}
                yield _Base(name, span, part.profile, part.is_whole, tools)

    def _joined(self, loaded: Loaded, own: Profile, bases: Sequence[_Base]) -> Profile:
        if not own.extends:
            return own
        tools = {one.tool: one for one in own.tools}
        tools.update(self._as_in(own, bases))
        said = {*tools, *(one.tool for one in own.as_in)}
        checks = {one.span: one for base in bases for one in base.profile.checks}
        return replace(
            own,
            tools=(*tools.values(), *self._taken_over(loaded, own, bases, said)),
            settings=(*own.settings, *self._settings(own, bases)),
            checks=(*checks.values(), *own.checks),
        )

    def _as_in(self, own: Profile, bases: Sequence[_Base]) -> Iterator[tuple[str, Adapted]]:
        """Yield the entries that are those of a named profile."""
        by_name = {base.name: base for base in bases}
        unread = {name for name, _ in own.extends} - by_name.keys()
        for one in own.as_in:
            base = by_name.get(one.profile)
            entry = _answer_of(base.tools, one.tool) if base is not None else None
            if entry is not None:
                yield one.tool, replace(entry, tool=one.tool)
            elif one.profile not in unread and (base is None or base.is_whole):
                self.found.append(_nowhere(one, base, list(by_name)))

    def _taken_over(self, loaded: Loaded, own: Profile, bases: Sequence[_Base], said: set[str]) -> Iterator[Adapted]:
        """Yield the entries of other profiles under keys of which this one says nothing."""
        below: dict[str, list[Adapted]] = {}
        for tool in dict.fromkeys(tool for base in bases for tool in base.tools if tool not in said):
            pattern = _pattern_of(tool)
            several = {
                entry.span: (base, entry)
                for base in bases
                if (entry := base.tools.get(tool) or (base.tools.get(pattern) if pattern not in said else None))
            }
            (_, entry), *others = several.values()
            if others:
                self.found.append(self._answered_twice(tool, [*several.values()]))
            if pattern in said:
                below.setdefault(pattern, []).append(entry)
            yield replace(entry, tool=tool)
        for one in own.tools:
            if one.tool in below:
                key = loaded.places.key(loaded.places.value(own.span, "tools"), one.tool)
                self.found.append(self._more_exact(one.tool, key, below[one.tool]))

    def _settings(self, own: Profile, bases: Sequence[_Base]) -> Iterator[Declared]:
        """Yield the settings of other profiles that this one does not declare itself."""
        declared = {one.name: one for one in own.settings}
        taken: dict[str, tuple[_Base, Declared]] = {}
        for base in bases:
            for one in base.profile.settings:
                mine = declared.get(one.name)
                if mine is not None and _shape_of(mine) != _shape_of(one):
                    related = [Related(one.name_span, Words("这里声明的", "declared here"))]
                    code = "tool/setting-declared-otherwise"
                    self.found.append(finding(code, mine.name_span, related=related, name=one.name, profile=base.name))
                before = taken.setdefault(one.name, (base, one))
                if mine is None and before[1].name_span != one.name_span:
                    self.found.append(_setting_twice(before, (base, one)))
        return (one for name, (_, one) in taken.items() if name not in declared)

    def _answered_twice(self, tool: str, answers: Sequence[tuple[_Base, Adapted]]) -> Diagnostic:
        (first, _), (second, _), *_ = answers
        related = [
            Related(self._key_of(entry), Words(f"{base.name} 的回答", f"the answer of {base.name}"))
            for base, entry in answers
        ]
        return finding(
            "tool/answered-twice", second.span, related=related, tool=tool, first=first.name, second=second.name
        )

    def _more_exact(self, pattern: str, key: Span, entries: Sequence[Adapted]) -> Diagnostic:
        related = [Related(self._key_of(one), Words("更具体的一项", "the more exact entry")) for one in entries]
        tools = ", ".join(one.tool for one in entries)
        return finding("tool/more-exact-below", key, related=related, pattern=pattern, tools=tools)

    def _key_of(self, entry: Adapted) -> Span:
        """Return where the key of an entry stands, in whichever document that is."""
        for part in self.parts.values():
            document = part.loaded.document
            if part.loaded.source is entry.span.source and isinstance(document, Profile):
                return part.loaded.places.key(part.loaded.places.value(document.span, "tools"), entry.tool)
        return entry.span


def _shape_of(declared: Declared) -> tuple[object, ...]:
    return declared.schema, declared.key, declared.private, declared.sensitive


def _on_itself(road: tuple[Loaded, ...], place: str) -> Diagnostic:
    """Return the finding of a circle, the same one whichever of its profiles was looked at first."""
    names = [one.name for one in road]
    circle = road[names.index(place) :]
    first = min(range(len(circle)), key=lambda number: circle[number].name)
    circle = (*circle[first:], *circle[:first])
    stems = [PurePath(one.name).stem for one in circle]
    following = stems[1] if len(stems) > 1 else stems[0]
    return finding("tool/profile-on-itself", _named(circle[0], following), road=" → ".join([*stems, stems[0]]))


def _too_deep(road: tuple[Loaded, ...]) -> Diagnostic:
    stems = [PurePath(one.name).stem for one in road]
    return finding("tool/profiles-too-deep", _named(road[0], stems[1]), at_most=MOST_LEVELS, road=" → ".join(stems))


def _named(loaded: Loaded, name: str) -> Span | None:
    """Return where a profile names one that it extends."""
    document = loaded.document
    return (
        next((span for each, span in document.extends if each == name), None) if isinstance(document, Profile) else None
    )


def _nowhere(one: AsIn, base: _Base | None, names: Sequence[str]) -> Diagnostic:
    """Return the finding of `as_in` with a profile that is not extended, or does not answer that tool."""
    if base is None:
        hint = did_you_mean(one.profile, names)
    else:
        document = one.tool.partition(".")[0]
        near = [tool for tool in base.tools if tool.partition(".")[0] == document]
        hint = did_you_mean(one.tool, near or list(base.tools))
    return finding("tool/as-in-nowhere", one.span, hint=hint, profile=one.profile, tool=one.tool)


def _setting_twice(first: tuple[_Base, Declared], second: tuple[_Base, Declared]) -> Diagnostic:
    related = [
        Related(one.name_span, Words(f"{base.name} 的声明", f"the declaration of {base.name}"))
        for base, one in (first, second)
    ]
    (before, _), (base, declared) = first, second
    return finding(
        "tool/setting-twice", base.span, related=related, name=declared.name, first=before.name, second=base.name
    )
