"""Records: small classes whose body names their fields, never changed once made.

    @record
    class Range:
        low: int
        high: int | None = None

    class Place(NamedTuple):
        line: int
        column: int = 1

Records are what `@dataclass(frozen=True, slots=True)` makes. That costs 0.8 ms for each class, and `import dataclasses`
10 ms more; a command that starts, looks and ends would spend most of its time on it. Here a class costs some 0.05 ms,
and its `__init__` is compiled when the first record is made. So is the `__new__` of a named tuple, a class of which
costs 0.01 ms; with `typing` it is 0.2 ms, for that compiles every annotation.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar, dataclass_transform, overload

T = TypeVar("T")
_NOT_GIVEN: Final[Any] = type("NotGiven", (), {"__repr__": lambda self: "…", "__slots__": ()})()


# --- named tuples -----------------------------------------------------------------------------------------------------

_Place: Final[Any] = type(vars(namedtuple("_One", "field"))["field"])
"""What reads a field by its place, as the named tuples of the standard library do."""


class _Tuple(tuple[Any, ...]):
    """What all named tuples can do beside what a tuple can."""

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]] = ()
    _field_defaults: ClassVar[dict[str, Any]] = {}

    def __new__(cls, *values: Any, **named: Any) -> Any:
        """Make the first one of a class; from then on the class has a `__new__` of its own."""
        made: Any = next(one for one in cls.__mro__ if "_fields" in vars(one))
        made.__new__ = staticmethod(_compiled_new(made))
        return made.__new__(cls, *values, **named)

    @classmethod
    def _make(cls, values: Iterable[Any]) -> Any:
        made = tuple.__new__(cls, values)
        if len(made) != len(cls._fields):
            raise TypeError(f"expected {len(cls._fields)} values, got {len(made)}")
        return made

    def _replace(self, /, **changes: Any) -> Any:
        made = self._make(map(changes.pop, self._fields, self))
        if changes:
            raise ValueError(f"no such fields: {', '.join(changes)}")
        return made

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        return f"{type(self).__name__}({shown})"

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)


def _compiled_new(made: type[_Tuple]) -> Callable[..., Any]:
    taken = "".join(f"{one}, " for one in made._fields)
    new: Any = eval(f"lambda _cls, {taken}: _make(_cls, ({taken}))", {"_make": tuple.__new__})
    new.__defaults__ = tuple(made._field_defaults.values())
    new.__qualname__ = f"{made.__qualname__}.__new__"
    return new  # type: ignore[no-any-return]


class _TupleMaker(type):
    """Makes plain classes: asking whether something is one of them is as quick as for any other."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> Any:
        fields = tuple(body.get("__annotations__", ()))
        body.pop("__orig_bases__")
        body["_field_defaults"] = {one: body[one] for one in fields if one in body}
        body.update((one, _Place(place, "")) for place, one in enumerate(fields))
        return type(name, (_Tuple,), {**body, "__slots__": (), "_fields": fields, "__match_args__": fields})


class _NamedTuple:
    """Stands in the place of a base class, and gives way to the one that named tuples really have."""

    _meant = type.__new__(_TupleMaker, "NamedTuple", (), {})

    def __mro_entries__(self, bases: object) -> tuple[type, ...]:
        return (self._meant,)


if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    NamedTuple = _NamedTuple()


# --- records ----------------------------------------------------------------------------------------------------------


class _Field(NamedTuple):
    name: str
    default: Any
    factory: Callable[[], Any] | None
    compare: bool
    shown: bool
    kw_only: bool


class _Written(NamedTuple):
    """What stands behind the equals sign of a field."""

    default: Any
    factory: Callable[[], Any] | None
    compare: bool
    shown: bool


def field(
    *,
    default: Any = _NOT_GIVEN,
    default_factory: Callable[[], Any] | None = None,
    compare: bool = True,
    repr: bool = True,
) -> Any:
    """Say more of a field than its default; the words are those of `dataclasses.field`."""
    return _Written(default, default_factory, compare, repr)


@overload
def record(cls: type[T], /) -> type[T]: ...


@overload
def record(*, frozen: bool = True, kw_only: bool = False, eq: bool = True) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: Any = None, /, *, frozen: bool = True, kw_only: bool = False, eq: bool = True) -> Any:
    """Make a class a record: its annotated names are its fields, in order, those of its bases first."""
    if cls is None:
        return lambda decorated: _made(decorated, frozen, kw_only, eq)
    return _made(cls, frozen, kw_only, eq)


def replace(old: T, **changes: Any) -> T:
    """Return a record with some fields changed."""
    fields: tuple[_Field, ...] = type(old).__record_fields__  # type: ignore[attr-defined]
    return type(old)(**{**{one.name: getattr(old, one.name) for one in fields}, **changes})


def _made(cls: Any, frozen: bool, kw_only: bool, eq: bool) -> Any:
    own = [_field(cls, name, kw_only) for name, kind in cls.__annotations__.items() if "ClassVar" not in str(kind)]
    fields = (*getattr(cls, "__record_fields__", ()), *own)
    # A default may not stay in the class beside the slot of the same name, so the class is made once more.
    left_out = {"__dict__", "__weakref__", *(one.name for one in own)}
    body = {name: value for name, value in cls.__dict__.items() if name not in left_out}
    body["__slots__"] = tuple(one.name for one in own)
    body["__record_fields__"] = fields
    body["__match_args__"] = tuple(one.name for one in fields if not one.kw_only)
    for name, method in _methods(fields, frozen, eq).items():
        body.setdefault(name, method)
    made: Any = type(cls)(cls.__name__, cls.__bases__, body)
    if "__init__" not in cls.__dict__:
        made.__init__ = _first_init(made, fields)
    return made


def _field(cls: type[Any], name: str, kw_only: bool) -> _Field:
    written = cls.__dict__.get(name, _NOT_GIVEN)
    if isinstance(written, _Written):
        return _Field(name, *written, kw_only)
    return _Field(name, written, None, True, True, kw_only)


def _first_init(made: Any, fields: tuple[_Field, ...]) -> Callable[..., None]:
    """Return what stands for `__init__` until the first record of a class is made."""

    def __init__(self: Any, *values: Any, **named: Any) -> None:
        made.__init__ = _compiled_init(made, fields)
        made.__init__(self, *values, **named)

    return __init__


def _compiled_init(made: type[Any], fields: tuple[_Field, ...]) -> Callable[..., None]:
    known: dict[str, Any] = {"not_given": _NOT_GIVEN}
    heads: list[str] = []
    named: list[str] = []
    lines: list[str] = []
    for one in fields:
        # The setter of the slot itself also sets fields of records that refuse to be changed.
        known[f"set_{one.name}"] = getattr(made, one.name).__set__
        value = one.name
        head = one.name
        if one.factory is not None:
            known[f"make_{one.name}"] = one.factory
            head = f"{one.name}=not_given"
            value = f"make_{one.name}() if {one.name} is not_given else {one.name}"
        elif one.default is not _NOT_GIVEN:
            known[f"default_{one.name}"] = one.default
            head = f"{one.name}=default_{one.name}"
        (named if one.kw_only else heads).append(head)
        lines.append(f" set_{one.name}(self, {value})")
    head = ", ".join(["self", *heads, *(["*", *named] if named else [])])
    exec("\n".join([f"def __init__({head}):", *(lines or [" pass"])]), known)
    init: Callable[..., None] = known["__init__"]
    init.__qualname__ = f"{made.__qualname__}.__init__"
    return init


def _methods(fields: tuple[_Field, ...], frozen: bool, eq: bool) -> dict[str, Any]:
    compared = _values(tuple(one.name for one in fields if one.compare))
    everything = _values(tuple(one.name for one in fields))

    def __eq__(self: Any, other: Any) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return compared(self) == compared(other)

    def __hash__(self: Any) -> int:
        return hash(compared(self))

    def __repr__(self: Any) -> str:
        shown = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields if one.shown)
        return f"{type(self).__qualname__}({shown})"

    def __reduce__(self: Any) -> Any:
        return _restored, (type(self), everything(self))

    methods: dict[str, Any] = {"__repr__": __repr__, "__reduce__": __reduce__}
    if eq:
        methods["__eq__"] = __eq__
        methods["__hash__"] = __hash__ if frozen else None
    if frozen:
        methods["__setattr__"] = methods["__delattr__"] = _refuse
    return methods


def _values(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda self: tuple(getattr(self, name) for name in names)


def _restored(cls: Any, values: tuple[Any, ...]) -> Any:
    """Make a record from the values of all its fields, for `pickle` and `copy`."""
    made = cls.__new__(cls)
    for one, value in zip(cls.__record_fields__, values, strict=True):
        getattr(cls, one.name).__set__(made, value)
    return made


def _refuse(self: Any, name: str, *value: Any) -> None:
    raise AttributeError(f"{type(self).__name__} is never changed: {name}")
