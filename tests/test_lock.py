"""The lock of the environment: every package that requirements.txt brings, at the version that is
installed where the tests run. Other packages that a reader has installed are not looked at."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]

WANTED = (ROOT / "requirements.txt").read_text("utf-8")
LOCK = (ROOT / "packages/constraints.txt").read_text("utf-8")
PINNED = r"[a-z0-9][a-z0-9-]*==[0-9][\w.]*( ; .+)?"  # ... and, of some, the systems that need it
OURS = re.findall(r"(?m)^-e packages/(\S+)", WANTED)
MEND = "pip install -r requirements.txt; after a change there: python packages/lock.py"


def requirements(text: str) -> list[Requirement]:
    """What the lines of a requirements file ask for, without its options and comments."""
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in text.splitlines())
    return [Requirement(line) for line in lines if line and not line.startswith("-")]


def applies(requirement: Requirement, system: dict[str, str], extras: frozenset[str]) -> bool:
    """Whether it is asked for on that system, of a package that is wanted with these extras."""
    marker = requirement.marker
    return not marker or any(marker.evaluate({**system, "extra": extra}) for extra in extras | {""})


def brought(system: dict[str, str]) -> set[str]:
    """Every distribution that requirements.txt brings on that system, however indirectly, as far as
    those that are installed here tell. Without names for a system: on this one."""
    waiting = [Requirement(name) for name in OURS] + requirements(WANTED)
    seen = set()
    while waiting:
        one = waiting.pop()
        name, extras = canonicalize_name(one.name), frozenset(one.extras)
        if (name, extras) not in seen:
            seen.add((name, extras))
            needed = (Requirement(line) for line in installed(name)[1])
            waiting += [need for need in needed if applies(need, system, extras)]
    return {name for name, _ in seen} - set(OURS)


def installed(name: str) -> tuple[str, list[str]]:
    """The version of a distribution, and what it asks for; neither if it is not installed."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return "", []
    return found.version, found.requires or []


def locked(system: dict[str, str]) -> dict[str, Requirement]:
    """The lines of the lock that hold on that system."""
    lines = [one for one in requirements(LOCK) if applies(one, system, frozenset())]
    found = {one.name: one for one in lines}
    assert len(found) == len(lines), "two versions of one package for one system"
    return found


def test_every_package_that_is_brought_is_locked_at_the_version_that_is_installed():
    pins, found = locked({}), brought({})
    assert len(found) > 100
    wrong = [
        f"{name} {installed(name)[0] or 'not'} installed; locked: {pins.get(name, 'not')}"
        for name in sorted(found)
        if not (name in pins and pins[name].specifier.contains(installed(name)[0]))
    ]
    assert not wrong, "\n".join([*wrong, f"  mend: {MEND}"])


def test_the_lock_has_what_requirements_txt_asks_for_in_the_same_version():
    asked = {canonicalize_name(one.name): str(one.specifier) for one in requirements(WANTED)}
    everywhere = {one.name: str(one.specifier) for one in requirements(LOCK) if not one.marker}
    assert "\n-c packages/constraints.txt\n" in WANTED
    wrong = {name: pin for name, pin in asked.items() if everywhere.get(name) != pin}
    assert not wrong, f"not so in packages/constraints.txt: {wrong}; mend: python packages/lock.py"


def test_each_line_pins_one_version_of_one_package_and_names_no_place_to_get_it_from():
    lines = [line for line in LOCK.splitlines() if not line.startswith("#")]
    assert [line for line in lines if not re.fullmatch(PINNED, line)] == []
    assert "://" not in LOCK and "/" not in LOCK.replace("python packages/lock.py", "")


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
@pytest.mark.parametrize(
    ("platform", "system", "machine"),
    [
        ("linux", "Linux", "x86_64"),
        ("linux", "Linux", "aarch64"),
        ("darwin", "Darwin", "arm64"),
        ("win32", "Windows", "AMD64"),
    ],
)
def test_it_holds_for_every_system_and_python(platform, system, machine, python):
    there = {
        **{"sys_platform": platform, "platform_system": system, "platform_machine": machine},
        **{"os_name": "nt" if system == "Windows" else "posix"},
        **{"python_version": python, "python_full_version": f"{python}.0"},
    }
    missing = brought(there) - set(locked(there))
    assert not missing, f"no line for {sorted(missing)}; mend: python packages/lock.py"
