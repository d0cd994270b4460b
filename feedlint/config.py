"""What the user asked for: `[tool.feedlint]` and the command line -> frozen settings. Data only; nothing is executed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from fnmatch import fnmatchcase
from typing import Any

from .findings import Severity
from .records import record

CONFIGURATION_FILES = (".feedlint.toml", "feedlint.toml", "pyproject.toml")
"""Where settings may stand, the strongest name first. A pyproject.toml counts only with a table `[tool.feedlint]`."""

DEVICES = ("cuda", "cpu", "mps", "xpu", "hpu", "npu", "mlu", "xla")
START_METHODS = ("fork", "spawn", "forkserver")


class ConfigError(Exception):
    """The settings cannot be used. `messages` are for the user: each names the place, what is wrong and what is known."""

    def __init__(self, messages: Sequence[str]) -> None:
        super().__init__("\n".join(messages))
        self.messages = tuple(messages)


@record(frozen=True, slots=True)
class Facts:
    """What the user states about the program because no analysis can know it. None and () mean: nothing stated."""

    device: str | None = None
    torch: str | None = None
    start_method: str | None = None
    wrappers: tuple[str, ...] = ()
    source_roots: tuple[str, ...] = ()
    """Absolute folders."""
    datasets_free_of_randomness: tuple[str, ...] = ()


@record(frozen=True, slots=True)
class Settings:
    """How to judge. Names of rules are codes, names, groups (a code's beginning, such as FDL1) or ALL."""

    select: tuple[str, ...] | None = None
    """None: the stable rules."""
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Pairs of a glob (relative to `root`, or a file's name) and names of rules."""
    exclude: tuple[str, ...] | None = None
    """None: the default excludes of `feedlint.discovery`."""
    extend_exclude: tuple[str, ...] = ()
    accept: tuple[str, ...] = ()
    """Risks that an applied fix may carry."""
    workers: int = 4
    """Worker processes to write into a loader that has none."""
    batch_size_minimum: int = 8
    """Samples; smaller batches are reported."""
    preview: bool = False
    min_severity: Severity | None = None
    """Lowest severity that is shown. None: warning in text for people, everything in formats for programs."""
    fail_on: Severity = Severity.WARNING
    """Lowest severity that makes the exit status 1."""
    trust_observed: bool = False
    """Whether what a run has observed counts as proven."""
    facts: Facts = field(default_factory=Facts)
    rules: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Options of single rules by code, as they were given. Not to be changed."""
    root: str = ""
    """Absolute folder to which globs are relative."""
    file: str | None = None
    """The file that the settings come from."""

    def option(self, code: str, name: str, default: Any) -> Any:
        """The value of a rule's option, `default` where the user gave none."""
        return self.rules.get(code, {}).get(name, default)


@record(frozen=True, slots=True)
class Vocabulary:
    """The names that settings may use: rules (code -> name), their options with defaults by code, and risks."""

    rules: Mapping[str, str]
    options: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    risks: tuple[str, ...] = ()


@record(frozen=True, slots=True)
class Overrides:
    """What the command line says about settings. None and () mean: not given."""

    file: str | None = None
    isolated: bool = False
    inline: tuple[str, ...] = ()
    """`KEY=VALUE` in TOML, as in `--config workers=8`."""
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    accept: tuple[str, ...] = ()
    preview: bool | None = None
    min_severity: Severity | None = None
    fail_on: Severity | None = None


NO_OVERRIDES = Overrides()


@record(frozen=True, slots=True)
class Key:
    """A key of the configuration: what it takes, what it means, and how its value is read."""

    name: str
    expected: str
    meaning: str
    read: Callable[[object], object]

    @property
    def field(self) -> str:
        return self.name.replace("-", "_")


class _Unexpected(Exception):
    """The value is not what the key expects."""


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _Unexpected
    return tuple(value)


def rule_selector(text: str) -> str:
    """A code, name, group or ALL in the spelling that the rules have: small and capital letters mean the same."""
    text = text.strip()
    return text.lower() if "-" in text else text.upper()


def _rule_names(value: object) -> tuple[str, ...]:
    return tuple(rule_selector(name) for name in _strings(value))


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise _Unexpected
    return value


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _Unexpected
    return value


def _one_of(known: Sequence[str]) -> Callable[[object], str]:
    def read(value: object) -> str:
        if value not in known:
            raise _Unexpected
        return str(value)

    return read


def _severity(value: object) -> Severity:
    return Severity[_one_of(SEVERITIES)(value).upper()]


def _version(value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"\d+(\.\d+)*([.+a-z-].*)?", value):
        raise _Unexpected
    return value


def _rules_by_glob(value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise _Unexpected
    return tuple((pattern, _rule_names(names)) for pattern, names in value.items())


SEVERITIES = tuple(str(severity) for severity in Severity)
_RULE_LIST = 'a list of rules such as ["FDL1", "loader-no-workers", "ALL"]'
_GLOBS = 'a list of globs such as ["legacy", "scripts/*_old.py"]'

KEYS: tuple[Key, ...] = (
    Key("select", _RULE_LIST, "the rules to judge by, instead of the stable ones", _rule_names),
    Key("ignore", _RULE_LIST, "rules to leave out", _rule_names),
    Key("extend-select", _RULE_LIST, "rules to add to the selected ones", _rule_names),
    Key(
        "per-file-ignores",
        'a table such as { "tests/*" = ["FDL3"] }',
        "rules to leave out in files that match a glob",
        _rules_by_glob,
    ),
    Key("exclude", _GLOBS, "files and folders to skip, instead of the default ones", _strings),
    Key("extend-exclude", _GLOBS, "files and folders to skip beside the default ones", _strings),
    Key("accept", 'a list of risks such as ["shuffle-order"]', "risks that an applied fix may carry", _strings),
    Key("workers", "a whole number from 1", "worker processes to write into a loader that has none", _count),
    Key("batch-size-minimum", "a whole number from 1", "the batch size below which a loader is reported", _count),
    Key("preview", "true or false", "whether preview rules are on", _flag),
    Key("min-severity", f"one of {', '.join(SEVERITIES)}", "the lowest severity to show", _severity),
    Key("fail-on", f"one of {', '.join(SEVERITIES)}", "the lowest severity that makes the exit status 1", _severity),
    Key("trust-observed", "true or false", "whether what a run has observed counts as proven", _flag),
)

FACT_KEYS: tuple[Key, ...] = (
    Key("device", f"one of {', '.join(DEVICES)}", "the device that the program trains on", _one_of(DEVICES)),
    Key("torch", 'a version such as "2.4"', "the version of torch that the program runs with", _version),
    Key(
        "start-method",
        f"one of {', '.join(START_METHODS)}",
        "how the program starts loader workers",
        _one_of(START_METHODS),
    ),
    Key("wrappers", 'a list of names such as ["mylib.make_loader"]', "callables that return a DataLoader", _strings),
    Key("source-roots", 'a list of folders such as ["src"]', "folders that imports are resolved from", _strings),
    Key(
        "datasets-free-of-randomness",
        'a list of names such as ["mylib.Frames"]',
        "dataset classes that draw no random numbers",
        _strings,
    ),
)

_TABLES = {
    "facts": "a table of what you know about the program, such as device",
    "rules": "a table of rules with a table of options each",
}


def load_settings(
    folder: str, overrides: Overrides = NO_OVERRIDES, vocabulary: Callable[[], Vocabulary] | None = None
) -> Settings:
    """The settings for the files of a project whose root is `folder`.

    `vocabulary` is asked only if some rule, option or risk is named, because it takes time to load the rules; without
    it such names are not checked. Raises ConfigError.
    """
    folder = os.path.abspath(folder)
    checks = _Checks(vocabulary)
    values: dict[str, object] = {"root": folder}
    facts: dict[str, object] = {}
    path = None
    if overrides.file is not None:
        path = os.path.abspath(overrides.file)
        table = _table_of(path, must_exist=True) or {}
        values["root"] = os.getcwd()
        checks.read(table, path, os.path.dirname(path), values, facts)
    elif not overrides.isolated:
        path, table = find_configuration(folder)
        if path is not None:
            values["root"] = os.path.dirname(path)
            checks.read(table, path, os.path.dirname(path), values, facts)
    for text in overrides.inline:
        checks.read(_inline_table(text), "--config", folder, values, facts)
    for option, names in (
        ("--select", overrides.select or ()),
        ("--ignore", overrides.ignore),
        ("--extend-select", overrides.extend_select),
    ):
        checks.rule_names(names, option)
    checks.risk_names(overrides.accept, "--accept")
    if checks.problems:
        raise ConfigError(checks.problems)
    # The keys were checked one by one.
    settings = Settings(**values, file=path, facts=Facts(**facts), rules=checks.options)  # type: ignore[arg-type]
    return _overridden(settings, overrides)


def find_configuration(folder: str) -> tuple[str | None, Mapping[str, object]]:
    """The nearest file upwards from `folder` that holds settings, and its table; (None, {}) where there is none."""
    while True:
        for name in CONFIGURATION_FILES:
            path = os.path.join(folder, name)
            table = _table_of(path, must_exist=False)
            if table is not None:
                return path, table
        parent = os.path.dirname(folder)
        if parent == folder:
            return None, {}
        folder = parent


def is_selected(code: str, name: str, status: str, settings: Settings) -> bool:
    """Whether a rule is on. `status` is "stable" or "preview".

    The most specific of the names that fit decides, and among equals `ignore`. A preview rule is on only where it is
    named by code or name, under ALL, or with `preview`.
    """
    if settings.select is None:
        wanted = 0 if status == "stable" or settings.preview else -1
    else:
        wanted = max((_fit(chosen, code, name, status, settings) for chosen in settings.select), default=-1)
    added = max((_fit(chosen, code, name, status, settings) for chosen in settings.extend_select), default=-1)
    unwanted = max((_specificity(chosen, code, name) for chosen in settings.ignore), default=-1)
    return max(wanted, added) > unwanted


def is_ignored_in(path: str, code: str, name: str, settings: Settings) -> bool:
    """Whether `per-file-ignores` takes a rule out of a file (absolute path)."""
    return any(
        matches_glob(path, pattern, settings.root) and any(_specificity(chosen, code, name) >= 0 for chosen in names)
        for pattern, names in settings.per_file_ignores
    )


def matches_glob(path: str, pattern: str, root: str) -> bool:
    """Whether an absolute path fits a glob: by its name, relative to `root`, or whole. `*` also stands for slashes."""
    if pattern.startswith("!"):
        return not matches_glob(path, pattern[1:], root)
    pattern = pattern.removeprefix("./").rstrip("/")
    path = path.replace(os.sep, "/")
    relative = path.removeprefix(root.replace(os.sep, "/").rstrip("/") + "/")
    return any(
        fnmatchcase(candidate, pattern) for candidate in (relative, path, path.rsplit("/", 1)[-1])
    ) or relative.startswith(pattern + "/")


def names_rule(chosen: str, code: str, name: str) -> bool:
    """Whether a code, name, group or ALL stands for a rule."""
    return _specificity(chosen, code, name) >= 0


def nearest(word: str, known: Sequence[str]) -> str:
    """` - did you mean ...?` for a misspelt word, else an empty string."""
    import difflib

    lowered = {candidate.lower(): candidate for candidate in known}
    found = difflib.get_close_matches(word.lower(), lowered, n=1, cutoff=0.6)
    return f" - did you mean {lowered[found[0]]!r}?" if found else ""


def _specificity(chosen: str, code: str, name: str) -> int:
    """How closely a name fits a rule; -1 where it does not."""
    if chosen == "ALL":
        return 1
    if chosen in (code, name):
        return 100
    return len(chosen) if len(chosen) > 1 and code.startswith(chosen) else -1


def _fit(chosen: str, code: str, name: str, status: str, settings: Settings) -> int:
    specificity = _specificity(chosen, code, name)
    by_group = chosen not in ("ALL", code, name)
    return -1 if by_group and status != "stable" and not settings.preview else specificity


def _overridden(settings: Settings, given: Overrides) -> Settings:
    added, left_out = _rule_names(list(given.extend_select)), _rule_names(list(given.ignore))
    if given.select is not None:
        # A selection on the command line starts afresh.
        selected = _rule_names(list(given.select))
        settings = replace(settings, select=selected, extend_select=added, ignore=left_out)
    else:
        ignore = (*(name for name in settings.ignore if name not in added), *left_out)
        settings = replace(settings, ignore=ignore, extend_select=(*settings.extend_select, *added))
    return replace(
        settings,
        accept=(*settings.accept, *given.accept),
        preview=settings.preview if given.preview is None else given.preview,
        min_severity=settings.min_severity if given.min_severity is None else given.min_severity,
        fail_on=settings.fail_on if given.fail_on is None else given.fail_on,
    )


def _table_of(path: str, must_exist: bool) -> Mapping[str, object] | None:
    """feedlint's table in a TOML file, None where there is none."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError) as error:
        if must_exist or isinstance(error, PermissionError):
            raise ConfigError([f"{shown(path)}: cannot be read: {error.strerror}"]) from None
        return None
    in_pyproject = os.path.basename(path) == "pyproject.toml"
    if in_pyproject and not must_exist and b"feedlint" not in data:
        # Most of them; parsing costs more than looking.
        return None
    value: object = _parsed(data, shown(path))
    if not in_pyproject:
        # A file of its own may be written like either.
        if isinstance(value, dict) and isinstance(value.get("tool"), dict) and "feedlint" in value["tool"]:
            value = value["tool"]["feedlint"]
    else:
        for key in ("tool", "feedlint"):
            value = value.get(key) if isinstance(value, dict) else None
        if value is None and must_exist:
            raise ConfigError([f"{shown(path)}: it has no table [tool.feedlint]"])
    if value is not None and not isinstance(value, dict):
        raise ConfigError([f"{shown(path)}: [tool.feedlint] must be a table"])
    return value


def _parsed(data: bytes, place: str) -> dict[str, Any]:
    import sys

    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]
    try:
        table: dict[str, Any] = tomllib.loads(data.decode("utf-8"))
        return table
    except UnicodeDecodeError as error:
        raise ConfigError([f"{place}: it is not UTF-8 (byte {error.start})"]) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError([f"{place}: it is no TOML: {error}"]) from None
    except RecursionError:
        raise ConfigError([f"{place}: it is nested too deeply"]) from None


def _inline_table(text: str) -> Mapping[str, object]:
    try:
        return _parsed(text.encode("utf-8", "surrogateescape"), "--config")
    except ConfigError as error:
        key, _, value = text.partition("=")
        # A shell takes quotes away, so `facts.device=cuda` is what arrives.
        if re.fullmatch(r"[\w.-]+", key.strip()) and re.fullmatch(r"[\w.+-]+", value.strip()):
            return _parsed(f'{key} = "{value.strip()}"'.encode(), "--config")
        raise ConfigError(
            [f"--config {text}: it is neither a file nor KEY=VALUE in TOML, such as workers=8 ({error})"]
        ) from None


class _Checks:
    """Reads tables into values and collects every problem on the way, so that the user sees all at once."""

    def __init__(self, vocabulary: Callable[[], Vocabulary] | None) -> None:
        self.problems: list[str] = []
        self.options: dict[str, dict[str, object]] = {}
        self._vocabulary = vocabulary
        self._known: Vocabulary | None = None

    def read(
        self,
        table: Mapping[str, object],
        path: str,
        folder: str,
        values: dict[str, object],
        facts: dict[str, object],
    ) -> None:
        """Read a table that stands in the file `path` (or "--config") into the two dictionaries."""
        place = shown(path)
        table = dict(table)
        rules, stated = table.pop("rules", {}), table.pop("facts", {})
        self._keys(table, KEYS, place, "", values, extra=tuple(_TABLES))
        for key in ("select", "ignore", "extend-select"):
            if isinstance(table.get(key), list):
                self.rule_names(_text_items(table[key]), f"{place}: {key}")
        by_glob = table.get("per-file-ignores")
        if isinstance(by_glob, dict):
            for pattern, names in by_glob.items():
                self.rule_names(_text_items(names), f'{place}: per-file-ignores."{pattern}"')
        self.risk_names(_text_items(table.get("accept")), f"{place}: accept")
        if not isinstance(stated, dict):
            self.problems.append(f"{place}: facts: expected {_TABLES['facts']}")
        else:
            self._keys(stated, FACT_KEYS, place, "facts.", facts)
            roots = facts.get("source_roots")
            if "source-roots" in stated and isinstance(roots, tuple):
                facts["source_roots"] = tuple(os.path.normpath(os.path.join(folder, root)) for root in roots)
        if not isinstance(rules, dict):
            self.problems.append(f"{place}: rules: expected {_TABLES['rules']}")
        else:
            for name, options in rules.items():
                self._rule_options(name, options, place)

    def _keys(
        self,
        table: Mapping[str, object],
        keys: Sequence[Key],
        place: str,
        prefix: str,
        values: dict[str, object],
        extra: tuple[str, ...] = (),
    ) -> None:
        known = {key.name: key for key in keys}
        for name, value in table.items():
            key = known.get(name)
            if key is None:
                hint = nearest(name, (*known, *extra)) or f" - known are {', '.join((*known, *extra))}"
                self.problems.append(f"{place}: unknown key {prefix + name!r}{hint}")
                continue
            try:
                values[key.field] = key.read(value)
            except _Unexpected:
                hint = (
                    nearest(value, key.expected.removeprefix("one of ").split(", ")) if isinstance(value, str) else ""
                )
                self.problems.append(f"{place}: {prefix}{name}: expected {key.expected}, got {_toml(value)}{hint}")

    def rule_names(self, names: Sequence[str], place: str) -> None:
        for name in names:
            known = self._words()
            if known is None:
                return
            if not any(names_rule(rule_selector(name), code, rule) for code, rule in known.rules.items()):
                hint = nearest(name, (*known.rules, *known.rules.values(), "ALL"))
                self.problems.append(f"{place}: unknown rule {name!r}{hint}")

    def risk_names(self, names: Sequence[str], place: str) -> None:
        for name in names:
            known = self._words()
            if known is not None and name not in known.risks:
                hint = nearest(name, known.risks) or f" - known are {', '.join(known.risks)}"
                self.problems.append(f"{place}: unknown risk {name!r}{hint}")

    def _rule_options(self, name: str, options: object, place: str) -> None:
        if not isinstance(options, dict):
            self.problems.append(f"{place}: rules.{name}: expected a table of options, got {_toml(options)}")
            return
        known = self._words()
        if known is None:
            self.options.setdefault(name, {}).update(options)
            return
        code = next((code for code, rule in known.rules.items() if rule_selector(name) in (code, rule)), None)
        if code is None:
            hint = nearest(name, (*known.rules, *known.rules.values()))
            self.problems.append(f"{place}: rules: unknown rule {name!r}{hint}")
            return
        defaults = known.options.get(code, {})
        for option, value in options.items():
            where = f"{place}: rules.{name}"
            if option not in defaults:
                listed = f" - known are {', '.join(defaults)}" if defaults else " - this rule has no options"
                self.problems.append(f"{where}: unknown option {option!r}{nearest(option, tuple(defaults)) or listed}")
            elif not _is_like(value, defaults[option]):
                self.problems.append(
                    f"{where}.{option}: expected a value like {_toml(defaults[option])}, got {_toml(value)}"
                )
            else:
                self.options.setdefault(code, {})[option] = tuple(value) if isinstance(value, list) else value

    def _words(self) -> Vocabulary | None:
        if self._known is None and self._vocabulary is not None:
            self._known = self._vocabulary()
        return self._known


def _text_items(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _is_like(value: object, default: object) -> bool:
    """Whether an option's value has the type of its default. Lists are compared by their items."""
    if isinstance(default, (list, tuple)):
        return isinstance(value, list) and all(_is_like(item, default[0]) for item in value if default)
    if isinstance(default, bool) or isinstance(value, bool):
        return isinstance(value, bool) and isinstance(default, bool)
    if isinstance(default, float):
        return isinstance(value, (int, float))
    return default is None or isinstance(value, type(default))


def _toml(value: object) -> str:
    """A value as TOML would spell it, for messages."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    if isinstance(value, dict):
        return "a table"
    return f'"{value}"' if isinstance(value, str) else str(value)


def shown(path: str) -> str:
    """A path as people read it best: relative to the current folder where it lies below."""
    if not os.path.isabs(path):
        return path
    folder = os.getcwd().rstrip(os.sep) + os.sep
    return path.removeprefix(folder)
