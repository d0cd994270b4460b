"""Which files are judged, with git and without."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from feedlint.discovery import Missing, files_beside, find_files, project_root


def write(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


def found(folder: Path, *paths: str, exclude: Sequence[str] | None = None, force_exclude: bool = False) -> list[str]:
    named = [str(folder / path) for path in paths] or [str(folder)]
    result = find_files(named, exclude=exclude, root=str(folder), force_exclude=force_exclude)
    return [os.path.relpath(path, folder) for path in result.files]


@pytest.fixture(params=["git", "plain"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "git":
        git(tmp_path, "init", "-q")
    return tmp_path


def test_python_files_and_notebooks_are_found_and_no_others(folder: Path) -> None:
    write(folder, "a.py", "b.ipynb", "c.pyi", "d.txt", "e", "s/f.py", "g.PY")
    assert found(folder) == ["a.py", "b.ipynb", "s/f.py"]


def test_the_order_is_that_of_the_parts_of_the_paths(folder: Path) -> None:
    write(folder, "b.py", "a/z.py", "a-b/c.py", "a.py", "ü.py")
    assert found(folder) == ["a/z.py", "a-b/c.py", "a.py", "b.py", "ü.py"]


def test_gitignore_is_honoured_nested_and_negated(folder: Path) -> None:
    write(folder, "a.py", "out/b.py", "s/c.py", "s/keep.py", "s/t/d.py")
    (folder / ".gitignore").write_text("out/\nd.py\n")
    (folder / "s/.gitignore").write_text("*.py\n!keep.py\n")
    assert found(folder) == ["a.py", "s/keep.py"]


def test_a_broken_line_in_gitignore_is_passed_over(folder: Path) -> None:
    write(folder, "a.py", "b.py")
    (folder / ".gitignore").write_text("!\nb.py\n")
    assert found(folder) == ["a.py"]


@pytest.mark.parametrize("name", [".venv", "venv", "node_modules", "build", "dist", "site-packages", "__pycache__"])
def test_folders_of_others_are_left_out(folder: Path, name: str) -> None:
    write(folder, "a.py", f"{name}/b.py", f"s/{name}/t/c.py")
    assert found(folder) == ["a.py"]


def test_a_folder_that_the_user_names_is_searched_whatever_its_name(folder: Path) -> None:
    write(folder, "build/a.py", "build/build/b.py")
    assert found(folder, "build") == ["build/a.py"]


def test_an_ignored_folder_that_the_user_names_is_searched(folder: Path) -> None:
    write(folder, "out/a.py")
    (folder / ".gitignore").write_text("out/\n")
    assert found(folder, "out") == ["out/a.py"]


def test_a_file_that_the_user_names_is_taken_whatever_its_name(folder: Path) -> None:
    write(folder, "script", "build/a.py", "ignored.py")
    (folder / ".gitignore").write_text("ignored.py\n")
    assert found(folder, "script", "build/a.py", "ignored.py") == ["build/a.py", "ignored.py", "script"]


def test_force_exclude_leaves_out_named_files_too(folder: Path) -> None:
    write(folder, "script", "build/a.py", "venv/b.py")
    assert found(folder, "script", "build/a.py", "venv", force_exclude=True) == ["script"]


def test_force_exclude_leaves_out_named_files_that_git_ignores(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, "a.py", "ignored.py", "tracked.py")
    (tmp_path / ".gitignore").write_text("ignored.py\ntracked.py\n")
    git(tmp_path, "add", "-f", "tracked.py")
    assert found(tmp_path, "a.py", "ignored.py", "tracked.py", force_exclude=True) == ["a.py", "tracked.py"]


def test_a_folder_above_the_project_excludes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "build" / "project"
    write(folder, "a.py")
    assert found(folder) == ["a.py"]
    assert found(folder, "a.py", force_exclude=True) == ["a.py"]


@pytest.mark.parametrize(("pattern", "left"), [("s", "a.py"), ("s/*_old.py", "a.py s/c.py"), ("?.py", "s/b_old.py")])
def test_excludes_are_names_or_globs(folder: Path, pattern: str, left: str) -> None:
    write(folder, "a.py", "s/b_old.py", "s/c.py")
    assert " ".join(found(folder, exclude=[pattern])) == left


def test_a_path_that_does_not_exist_is_told_as_it_was_named(folder: Path) -> None:
    write(folder, "a.py")
    result = find_files([str(folder / "absent"), str(folder / "a.py")])
    assert result.missing == (Missing(str(folder / "absent")),)
    assert result.files == (str(folder / "a.py"),)


def test_no_path_finds_no_file() -> None:
    assert find_files([]).files == ()


def test_an_empty_name_is_no_path() -> None:
    assert find_files([""]).missing == (Missing(""),)


def test_links_to_folders_are_not_followed_and_loops_end(folder: Path) -> None:
    write(folder, "s/a.py")
    (folder / "s/loop").symlink_to(folder, target_is_directory=True)
    (folder / "t").symlink_to(folder / "s", target_is_directory=True)
    (folder / "x.py").symlink_to(folder / "s", target_is_directory=True)
    (folder / "self.py").symlink_to("self.py")
    assert found(folder) == ["s/a.py"]


def test_a_file_counts_once_under_the_name_that_the_user_gave(folder: Path) -> None:
    write(folder, "s/a.py")
    (folder / "link.py").symlink_to(folder / "s/a.py")
    assert found(folder, "link.py", "s", ".") == ["link.py"]


def test_a_file_reached_through_two_folders_counts_once(folder: Path) -> None:
    write(folder, "s/a.py")
    (folder / "t").symlink_to(folder / "s", target_is_directory=True)
    assert found(folder, "s", "t") == ["s/a.py"]


def test_links_to_nothing_and_pipes_are_not_found_in_folders(folder: Path) -> None:
    write(folder, "a.py")
    (folder / "broken.py").symlink_to(folder / "absent.py")
    os.mkfifo(folder / "pipe.py")
    assert found(folder) == ["a.py"]


def test_only_the_files_that_the_user_named_are_named(folder: Path) -> None:
    write(folder, "a.py", "s/b.py")
    result = find_files([str(folder / "a.py"), str(folder / "s")])
    assert result.named == {str(folder / "a.py")}


def test_new_and_tracked_files_are_found_and_deleted_ones_are_not(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, "tracked.py", "deleted.py")
    git(tmp_path, "add", ".")
    (tmp_path / "deleted.py").unlink()
    write(tmp_path, "new.py")
    assert found(tmp_path) == ["new.py", "tracked.py"]


def test_only_files_below_the_named_folder_are_found(folder: Path) -> None:
    write(folder, "a.py", "s/b.py", "st/c.py")
    assert found(folder, "s") == ["s/b.py"]


def test_repositories_within_a_folder_or_repository_are_searched(folder: Path) -> None:
    write(folder, "a.py", "inner/b.py", "inner/out.py", "inner/deep/inmost/c.py")
    git(folder / "inner", "init", "-q")
    (folder / "inner/.gitignore").write_text("out.py\n")
    git(folder / "inner/deep/inmost", "init", "-q")
    assert found(folder) == ["a.py", "inner/b.py", "inner/deep/inmost/c.py"]


def test_a_submodule_is_searched(tmp_path: Path) -> None:
    library, project = tmp_path / "library", tmp_path / "project"
    for repository in (library, project):
        write(repository, "a.py")
        git(repository, "init", "-q")
        git(repository, "add", ".")
        git(repository, "commit", "-qm", "a")
    git(project, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "third")
    assert found(project) == ["a.py", "third/a.py"]


def test_what_a_hook_sets_for_another_repository_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, "a.py")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "absent"))
    monkeypatch.setenv("GIT_WORK_TREE", "/")
    assert found(tmp_path) == ["a.py"]


def test_a_repository_cannot_have_a_program_of_its_choice_run(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, "a.py")
    git(tmp_path, "config", "core.fsmonitor", f"touch {tmp_path}/started; false")
    found(tmp_path)
    assert not (tmp_path / "started").exists()


def test_without_git_the_walk_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, "a.py", "ignored.py", ".git/hooks/b.py")
    (tmp_path / ".gitignore").write_text("ignored.py\n")
    monkeypatch.setenv("PATH", "")
    assert found(tmp_path) == ["a.py"]


def test_a_name_that_is_no_utf_8_is_found(folder: Path) -> None:
    name = os.fsdecode(b"caf\xe9.py")
    try:
        (folder / name).touch()
    except OSError:
        pytest.skip("the file system takes UTF-8 only")
    assert found(folder) == [name]


@pytest.mark.parametrize("marker", ["pyproject.toml", "setup.py", "setup.cfg", ".git", "feedlint.toml"])
def test_the_root_is_the_nearest_folder_with_a_marker(tmp_path: Path, marker: str) -> None:
    write(tmp_path, "outer/setup.py", f"outer/project/{marker}", "outer/project/package/train.py")
    root = project_root(str(tmp_path / "outer/project/package/train.py"))
    assert root == str(tmp_path / "outer/project")


def test_without_a_marker_the_root_is_the_folder_of_the_file(tmp_path: Path) -> None:
    write(tmp_path, "package/train.py")
    assert project_root(str(tmp_path / "package/train.py")) == str(tmp_path / "package")


def test_without_a_marker_a_folder_that_the_user_named_is_the_root(tmp_path: Path) -> None:
    write(tmp_path, "package/train.py")
    path = str(tmp_path / "package/train.py")
    assert project_root(path, [str(tmp_path)]) == str(tmp_path)
    assert project_root(path, [str(tmp_path / "pack")]) == str(tmp_path / "package")


def test_of_an_unmarked_folder_only_what_lies_near_belongs_to_a_script(tmp_path: Path) -> None:
    near = ["train.py", "data/loader.py", "data/text/words.py"]
    far = ["music/notes.txt", "music/old/song.py", ".hidden/x.py", "data/text/more/deep/deeper.py"]
    write(tmp_path, *near, *far)
    assert sorted(os.path.relpath(path, tmp_path) for path in files_beside(str(tmp_path))) == sorted(near)
