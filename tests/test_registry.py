"""How rules are found: built-in ones and those of packs, and by which words they are called."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from feedlint import registry
from feedlint.rule import HEADINGS, Rule, RuleError

RULE = '''
from feedlint.api import Bad, Good, Rule

class Endless(Rule):
    """A loop without end.

    {headings}
    """
    code, name, since = "{code}", "{name}", "0.1"
    sees, needs, worth = object, ("while",), "2x in our own runs"
    bad = [Bad("while True: pass  #! {code}")]
    good = [Good("while x: pass", "it may end")]

    def judge(self, fact, settings):
        yield self.finding(fact, "it never ends")
'''
HEADED = "\n\n    ".join(f"## {heading}\n    Text." for heading in HEADINGS)


def rule_file(code: str, name: str) -> str:
    return RULE.format(code=code, name=name, headings=HEADED)


Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install a pack of rules: its files, and the module that its entry point names."""

    def put(files: dict[str, str], module: str) -> None:
        metadata = {
            f"{module}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n",
            f"{module}-1.0.dist-info/entry_points.txt": f"[feedlint.rules]\n{module} = {module}\n",
        }
        for path, text in {**files, **metadata}.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text, encoding="utf-8")

    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    registry.all_rules.cache_clear()
    yield put
    registry.all_rules.cache_clear()
    for name in set(sys.modules) - before:
        if name.startswith("pack"):
            del sys.modules[name]


def codes(rules: tuple[Rule, ...]) -> list[str]:
    return [rule.code for rule in rules]


def test_the_built_in_rules_are_sorted_by_code_and_each_stands_in_a_file_of_its_code() -> None:
    rules = registry.all_rules()
    assert codes(rules) == sorted(codes(rules))
    assert all(type(rule).__module__.startswith(f"feedlint.rules.{rule.code.lower()}") for rule in rules)


def test_the_rules_of_a_pack_are_those_in_its_modules_named_after_codes(install: Install) -> None:
    files = {
        "pack_a/__init__.py": "",
        "pack_a/acme101_endless.py": rule_file("ACME101", "endless-loop"),
        "pack_a/acme102.py": rule_file("ACME102", "other-loop"),
        "pack_a/helpers.py": "raise RuntimeError('not to be imported')",
    }
    install(files, "pack_a")
    assert codes(registry.all_rules())[:2] == ["ACME101", "ACME102"]


def test_a_pack_can_be_a_single_module(install: Install) -> None:
    install({"pack_b.py": rule_file("ACME103", "endless-loop")}, "pack_b")
    assert "ACME103" in codes(registry.all_rules())


def test_a_rule_that_another_file_imports_is_counted_once(install: Install) -> None:
    second = rule_file("ACME102", "other-loop").replace(
        "\nclass Endless", "\nfrom .acme101 import Endless\nclass Other"
    )
    files = {
        "pack_c/__init__.py": "",
        "pack_c/acme101.py": rule_file("ACME101", "endless-loop"),
        "pack_c/acme102.py": second,
    }
    install(files, "pack_c")
    assert codes(registry.all_rules())[:2] == ["ACME101", "ACME102"]


@pytest.mark.parametrize(("code", "name"), [("ACME101", "other-loop"), ("ACME102", "endless-loop")])
def test_a_code_or_name_used_twice_is_an_error_that_names_both_files(install: Install, code: str, name: str) -> None:
    files = {"pack_d/__init__.py": "", "pack_d/acme101.py": rule_file("ACME101", "endless-loop")}
    install({**files, "pack_d/acme102.py": rule_file(code, name)}, "pack_d")
    with pytest.raises(
        RuleError, match=r"acme102\.py: rule Endless: .* is already taken by .*acme101\.py: rule Endless"
    ):
        registry.all_rules()


def test_a_pack_may_not_use_the_codes_of_feedlint(install: Install) -> None:
    install({"pack_e.py": rule_file("FDL999", "endless-loop")}, "pack_e")
    with pytest.raises(RuleError, match=r"pack_e\.py: rule Endless: codes that begin with FDL belong to feedlint"):
        registry.all_rules()


def test_a_pack_that_cannot_be_imported_is_an_error_that_names_it(install: Install) -> None:
    install({"pack_f.py": "import nothing_of_this_name"}, "pack_f")
    with pytest.raises(RuleError, match="pack_f cannot be imported: ModuleNotFoundError"):
        registry.all_rules()


def test_an_invalid_rule_of_a_pack_is_an_error(install: Install) -> None:
    install({"pack_g.py": rule_file("ACME101", "endless-loop").replace('("while",)', "()")}, "pack_g")
    with pytest.raises(RuleError, match=r"pack_g\.py: rule Endless: `needs` names no word"):
        registry.all_rules()


@pytest.fixture
def three_rules(install: Install) -> None:
    numbers = (("ACME101", "endless-loop"), ("ACME102", "other-loop"), ("ACME201", "third-loop"))
    install({"pack_h/__init__.py": "", **{f"pack_h/{c.lower()}.py": rule_file(c, n) for c, n in numbers}}, "pack_h")


@pytest.mark.usefixtures("three_rules")
@pytest.mark.parametrize(
    ("selector", "meant"),
    [
        ("ACME101", ["ACME101"]),
        ("acme101", ["ACME101"]),
        ("other-loop", ["ACME102"]),
        (" Other-Loop ", ["ACME102"]),
        ("ACME1", ["ACME101", "ACME102"]),
        ("ACME", ["ACME101", "ACME102", "ACME201"]),
    ],
)
def test_rules_are_called_by_code_name_and_group(selector: str, meant: list[str]) -> None:
    assert codes(registry.resolve(selector)) == meant


@pytest.mark.usefixtures("three_rules")
def test_all_means_every_rule() -> None:
    assert registry.resolve("ALL") == registry.all_rules()


@pytest.mark.usefixtures("three_rules")
@pytest.mark.parametrize(("selector", "suggested"), [("endles-loop", "endless-loop"), ("ACME20l", "ACME201")])
def test_an_unknown_word_is_refused_with_the_nearest_one(selector: str, suggested: str) -> None:
    with pytest.raises(registry.UnknownRule, match=f"no rule is called '{selector}'; did you mean '{suggested}'"):
        registry.resolve(selector)


@pytest.mark.usefixtures("three_rules")
@pytest.mark.parametrize("selector", ["", "A", "1", "101", "ACME1010", "zzzzzz"])
def test_a_word_that_is_like_no_rule_is_refused(selector: str) -> None:
    with pytest.raises(registry.UnknownRule, match="no rule is called"):
        registry.resolve(selector)


@pytest.mark.usefixtures("three_rules")
def test_a_group_is_not_one_rule() -> None:
    assert registry.find_rule("third-loop").code == "ACME201"
    with pytest.raises(registry.UnknownRule, match="'ACME2' is a group"):
        registry.find_rule("ACME2")


def test_looking_at_the_registry_loads_no_rule_and_loading_them_no_libcst() -> None:
    program = (
        "from feedlint import registry; assert not [m for m in sys.modules if m.startswith('feedlint.rules')];"
        "registry.all_rules(); assert not {'libcst', 'importlib.metadata', 'click'} & sys.modules.keys()"
    )
    folder = str(Path(registry.__file__).parents[1])
    program = f"import sys; sys.path.insert(0, {folder!r}); {program}"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
