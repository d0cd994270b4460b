"""Settings from files and from the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from feedlint.config import (
    KEYS,
    ConfigError,
    Overrides,
    Settings,
    Vocabulary,
    is_ignored_in,
    is_selected,
    load_settings,
)
from feedlint.findings import Severity

WORDS = Vocabulary(
    rules={"FDL101": "loader-no-workers", "FDL102": "loader-not-pinned", "FDL301": "loss-read-every-step"},
    options={"FDL101": {"minimum-rows": 10, "names": ["a"], "share": 0.5, "strict": False}},
    risks=("shuffle-order", "random-stream"),
)


NOTHING = Overrides()


def settings_of(folder: Path, text: str, overrides: Overrides = NOTHING) -> Settings:
    (folder / "feedlint.toml").write_text(text)
    return load_settings(str(folder), overrides, lambda: WORDS)


def messages(call: Callable[[], object]) -> str:
    with pytest.raises(ConfigError) as caught:
        call()
    return "\n".join(caught.value.messages)


def test_every_key_is_read(tmp_path: Path) -> None:
    settings = settings_of(
        tmp_path,
        """
        select = ["ALL"]
        ignore = ["FDL1"]
        extend-select = ["loader-no-workers"]
        exclude = ["a"]
        extend-exclude = ["b"]
        accept = ["shuffle-order"]
        workers = 8
        batch-size-minimum = 16
        preview = true
        min-severity = "info"
        fail-on = "error"
        trust-observed = true
        per-file-ignores = { "tests/*" = ["FDL3"] }
        [facts]
        device = "cuda"
        torch = "2.4"
        start-method = "spawn"
        wrappers = ["lib.make"]
        source-roots = ["src"]
        datasets-free-of-randomness = ["lib.Frames"]
        [rules.loader-no-workers]
        minimum-rows = 3
        """,
    )
    changed = [key.name for key in KEYS if getattr(settings, key.field) == getattr(Settings(), key.field)]
    assert changed == []
    facts = settings.facts
    assert (facts.device, facts.torch, facts.start_method) == ("cuda", "2.4", "spawn")
    assert facts.source_roots == (str(tmp_path / "src"),)
    assert settings.option("FDL101", "minimum-rows", 10) == 3
    assert (settings.root, settings.file) == (str(tmp_path), str(tmp_path / "feedlint.toml"))


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    settings = load_settings(str(tmp_path), Overrides(isolated=True))
    assert (settings.workers, settings.batch_size_minimum, settings.fail_on) == (4, 8, Severity.WARNING)


def test_the_nearest_file_wins_whole(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.feedlint]\nworkers = 8\npreview = true\n")
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (inner.parent / "feedlint.toml").write_text("workers = 2\n")
    settings = load_settings(str(inner))
    assert (settings.workers, settings.preview) == (2, False)


def test_a_pyproject_without_the_table_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "feedlint.toml").write_text("workers = 2\n")
    inner = tmp_path / "package"
    inner.mkdir()
    (inner / "pyproject.toml").write_text('[project]\nname = "feedlint-user"\n')
    assert load_settings(str(inner)).workers == 2


def test_a_pyproject_of_others_may_be_broken(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project\n")
    assert load_settings(str(tmp_path)).workers == 4


@pytest.mark.parametrize("stronger", [".feedlint.toml", "feedlint.toml"])
def test_a_file_of_its_own_wins_over_pyproject_beside_it(tmp_path: Path, stronger: str) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.feedlint]\nworkers = 8\n")
    (tmp_path / stronger).write_text("workers = 2\n")
    assert load_settings(str(tmp_path)).workers == 2


def test_isolated_reads_no_file(tmp_path: Path) -> None:
    assert settings_of(tmp_path, "workers = 8\n", Overrides(isolated=True)).workers == 4


def test_a_named_file_replaces_the_nearest(tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text("workers = 3\n")
    assert settings_of(tmp_path, "workers = 8\n", Overrides(file=str(other))).workers == 3


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("workers=8", "workers", 8),
        ('select = ["FDL1"]', "select", ("FDL1",)),
        ("min-severity=info", "min_severity", Severity.INFO),
        ("preview=true", "preview", True),
    ],
)
def test_a_value_on_the_command_line_wins(tmp_path: Path, text: str, name: str, value: object) -> None:
    settings = settings_of(tmp_path, 'workers = 2\nselect = ["ALL"]\n', Overrides(inline=(text,)))
    assert getattr(settings, name) == value


def test_facts_on_the_command_line_join_those_of_the_file(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, '[facts]\ntorch = "2.4"\n', Overrides(inline=("facts.device=cuda",)))
    assert (settings.facts.torch, settings.facts.device) == ("2.4", "cuda")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("selct = []", "unknown key 'selct' - did you mean 'select'?"),
        ("extend_select = []", "did you mean 'extend-select'?"),
        ("colour = 1", "unknown key 'colour' - known are select, "),
        ("workers = 0", "workers: expected a whole number from 1, got 0"),
        ("workers = true", "workers: expected a whole number from 1, got true"),
        ('workers = "4"', 'got "4"'),
        ('select = "ALL"', "select: expected a list of rules"),
        ("preview = 1", "preview: expected true or false, got 1"),
        ('fail-on = "eror"', "expected one of info, warning, error, got \"eror\" - did you mean 'error'?"),
        (
            'select = ["loader-no-worker"]',
            "select: unknown rule 'loader-no-worker' - did you mean 'loader-no-workers'?",
        ),
        ('ignore = ["FDL9"]', "ignore: unknown rule 'FDL9'"),
        ('per-file-ignores = { "t/*" = ["fdl109"] }', "per-file-ignores.\"t/*\": unknown rule 'fdl109'"),
        ("per-file-ignores = []", "per-file-ignores: expected a table"),
        ('accept = ["shuffle"]', "accept: unknown risk 'shuffle'"),
        ("facts = 1", "facts: expected a table"),
        ('facts.divice = "cuda"', "unknown key 'facts.divice' - did you mean 'device'?"),
        ('facts.device = "gpu"', "facts.device: expected one of cuda, cpu"),
        ('facts.torch = "latest"', 'facts.torch: expected a version such as "2.4"'),
        ('facts.start-method = "form"', "did you mean 'fork'?"),
        ("rules = []", "rules: expected a table"),
        ("rules.loader-no-workers = 1", "rules.loader-no-workers: expected a table of options"),
        ("rules.FDL999.a = 1", "rules: unknown rule 'FDL999'"),
        ("rules.FDL101.minimum-row = 1", "unknown option 'minimum-row' - did you mean 'minimum-rows'?"),
        ("rules.FDL102.a = 1", "this rule has no options"),
        ("rules.FDL101.minimum-rows = true", "expected a value like 10, got true"),
        ("rules.FDL101.names = [1]", 'expected a value like ["a"], got [1]'),
        ("workers = ", "it is no TOML"),
    ],
)
def test_a_problem_names_the_file_the_key_and_what_is_known(tmp_path: Path, text: str, said: str) -> None:
    message = messages(lambda: settings_of(tmp_path, text))
    assert str(tmp_path / "feedlint.toml") in message
    assert said in message


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    assert len(messages(lambda: settings_of(tmp_path, "selct = []\nworkers = 0\n")).splitlines()) == 2


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (Overrides(select=("FDL9",)), "--select: unknown rule 'FDL9'"),
        (Overrides(ignore=("loader-not-pined",)), "--ignore: unknown rule 'loader-not-pined' - did you mean"),
        (Overrides(accept=("shuffle-ordr",)), "--accept: unknown risk 'shuffle-ordr' - did you mean 'shuffle-order'?"),
        (Overrides(inline=("wokers=8",)), "--config: unknown key 'wokers' - did you mean 'workers'?"),
        (Overrides(inline=("absent.toml",)), "--config absent.toml: it is neither a file nor KEY=VALUE"),
        (Overrides(file="absent.toml"), "absent.toml: cannot be read"),
    ],
)
def test_a_problem_on_the_command_line_names_the_option(tmp_path: Path, overrides: Overrides, said: str) -> None:
    assert said in messages(lambda: load_settings(str(tmp_path), overrides, lambda: WORDS))


def test_a_named_pyproject_must_have_the_table(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    overrides = Overrides(file=str(tmp_path / "pyproject.toml"))
    assert "no table [tool.feedlint]" in messages(lambda: load_settings(str(tmp_path), overrides))


def test_a_file_that_is_not_utf_8_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "feedlint.toml").write_bytes(b"workers = 1 # \xff")
    assert "not UTF-8" in messages(lambda: load_settings(str(tmp_path)))


def test_the_rules_are_asked_for_only_if_some_name_needs_them(tmp_path: Path) -> None:
    asked = []

    def vocabulary() -> Vocabulary:
        asked.append(1)
        return WORDS

    (tmp_path / "feedlint.toml").write_text("workers = 2\n[facts]\ndevice = 'cuda'\n")
    load_settings(str(tmp_path), Overrides(), vocabulary)
    assert asked == []


def test_options_of_a_rule_may_stand_under_its_code_or_its_name(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "rules.FDL101.minimum-rows = 3\nrules.loader-no-workers.strict = true\n")
    assert settings.rules == {"FDL101": {"minimum-rows": 3, "strict": True}}


def test_small_and_capital_letters_mean_the_same(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, 'ignore = ["fdl1", "Loader-Not-Pinned", "all"]\n', Overrides(select=("fdl101",)))
    assert settings.select == ("FDL101",)
    assert settings_of(tmp_path, 'ignore = ["fdl1", "Loss-Read-Every-Step"]\n').ignore == (
        "FDL1",
        "loss-read-every-step",
    )


RULES = [
    ("FDL101", "loader-no-workers", "stable"),
    ("FDL102", "loader-not-pinned", "preview"),
    ("FDL301", "loss-read-every-step", "stable"),
]


@pytest.mark.parametrize(
    ("settings", "codes"),
    [
        (Settings(), "101 301"),
        (Settings(preview=True), "101 102 301"),
        (Settings(select=()), ""),
        (Settings(select=("ALL",)), "101 102 301"),
        (Settings(select=("FDL1",)), "101"),
        (Settings(select=("FDL1",), preview=True), "101 102"),
        (Settings(select=("FDL102",)), "102"),
        (Settings(select=("loader-not-pinned",)), "102"),
        (Settings(extend_select=("FDL102",)), "101 102 301"),
        (Settings(ignore=("FDL1",)), "301"),
        (Settings(ignore=("loader-no-workers",)), "301"),
        (Settings(ignore=("ALL",)), ""),
        (Settings(select=("FDL101",), ignore=("FDL1",)), "101"),
        (Settings(select=("FDL1",), ignore=("FDL101",)), ""),
        (Settings(select=("FDL101",), ignore=("FDL101",)), ""),
        (Settings(select=("ALL",), ignore=("FDL1",)), "301"),
        (Settings(ignore=("FDL1",), extend_select=("FDL101",)), "101 301"),
    ],
)
def test_the_most_specific_name_decides_which_rules_are_on(settings: Settings, codes: str) -> None:
    assert " ".join(code[3:] for code, name, status in RULES if is_selected(code, name, status, settings)) == codes


@pytest.mark.parametrize(
    ("overrides", "codes"),
    [
        (Overrides(select=("FDL1",)), "101"),
        (Overrides(ignore=("FDL3",)), ""),
        (Overrides(extend_select=("FDL101",)), "101 301"),
        (Overrides(preview=True), "301"),
    ],
)
def test_the_command_line_goes_over_the_file(tmp_path: Path, overrides: Overrides, codes: str) -> None:
    settings = settings_of(tmp_path, 'ignore = ["FDL1", "FDL101"]\n', overrides)
    assert " ".join(code[3:] for code, name, status in RULES if is_selected(code, name, status, settings)) == codes


@pytest.mark.parametrize(
    ("pattern", "path", "ignored"),
    [
        ("tests/*", "/p/tests/a/b.py", True),
        ("tests", "/p/tests/a.py", True),
        ("./tests/", "/p/tests/a.py", True),
        ("tests/*", "/p/src/tests.py", False),
        ("b.py", "/p/a/b.py", True),
        ("*_test.py", "/p/a/b_test.py", True),
        ("/p/a/*", "/p/a/b.py", True),
        ("!src/*", "/p/a/b.py", True),
        ("!src/*", "/p/src/b.py", False),
    ],
)
def test_per_file_ignores_fit_by_name_and_by_place(pattern: str, path: str, ignored: bool) -> None:
    settings = Settings(per_file_ignores=((pattern, ("FDL1",)),), root="/p")
    assert is_ignored_in(path, "FDL101", "loader-no-workers", settings) is ignored


def test_per_file_ignores_leave_the_other_rules_on() -> None:
    settings = Settings(per_file_ignores=(("a.py", ("FDL3",)),), root="/p")
    assert not is_ignored_in("/p/a.py", "FDL101", "loader-no-workers", settings)
