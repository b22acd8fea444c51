"""The report: what stands first, how wide it is, what it says in both languages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from gradtrace.doctor import KINDS, Finding, Place, Run, diagnose, report, report_json
from gradtrace.doctor.report import page_address, width, wrapped
from gradtrace.words import LANGUAGES
from health_recording import record_health


@pytest.fixture(scope="module")
def sick():
    trace = record_health(Path(__file__).with_name("sick.py"))
    run = Run(trace)
    return run, diagnose(run)


def test_the_gravest_comes_first(sick):
    assert [(finding.level, finding.kind) for finding in sick[1]] == [
        ("error", "backward-twice"),
        ("warning", "never-cleared"),
        ("warning", "target-broadcast"),
        ("note", "frozen"),
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_fits_a_terminal_and_names_lines_and_pages(sick, language):
    text = report(*sick, language, "sick.py", "https://book.example/")
    lines = text.split("\n")
    assert (
        lines[0]
        == {
            "en": "sick.py: 1 error, 2 warnings, 1 note (5 backward passes, 4 steps)",
            "zh": "sick.py：1 个错误，2 个警告，1 条提示（5 次反向传播，优化器更新 4 步）",
        }[language]
    )
    assert max(width(line) for line in lines) <= 80
    assert "None" not in text and "{" not in text
    assert {"en": "line 14 ", "zh": "第 14 行"}[language] in text
    prefix = {"en": "/en/", "zh": "/"}[language]
    assert f"https://book.example{prefix}accumulate/second-time/#mend" in text
    third = {"en": "1 of 4 parameters are frozen, 3 of the other 3 got a gradient"}
    assert third.get(language, "4 个参数里冻结了 1 个，其余 3 个中有 3 个得到了梯度") in text


def test_numbers_in_it_are_the_recorded_ones(sick):
    run, findings = sick
    found = json.loads(report_json(run, findings, "en", "sick.py"))
    assert found["counts"] == {"error": 1, "warning": 2, "note": 1}
    assert (found["passes"], found["steps"], found["held"], found["moved"]) == (5, 4, 3, 3)
    first = found["findings"][0]
    assert [first[key] for key in ("kind", "level", "file", "line", "page")] == [
        *("backward-twice", "error", "sick.py", 14, "accumulate/second-time#mend")
    ]
    rows = [row for e in run.trace.events if e["k"] == "step" for row in e["params"]]
    moved = sorted(row["moved"] for row in rows if row["t"] == rows[0]["t"])
    assert found["layers"][0]["update"] == pytest.approx((moved[1] + moved[2]) / 2)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_without_its_facts_is_omitted(sick, language):
    """What else a kind says with the facts of its check: see the tests of findings."""
    for name, kind in KINDS.items():
        bare = report(sick[0], [Finding(name, Place(3, "model.py"))], language)
        assert {"en": "line 3 of model.py", "zh": "model.py 第 3 行"}[language] in bare
        assert "{" not in bare
        text = " ".join([*kind["found"][language], kind.get("fix", {}).get(language, "")])
        assert text.count("`") % 2 == 0, name


@pytest.mark.parametrize("columns", [14, 20, 21, 22, 39])
def test_chinese_is_broken_between_characters_but_not_at_every_sign(columns):
    text = "梯度在 `backward()` 之后才是导数（不是 `nan`），之前是 None。"
    lines = wrapped(text, columns)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert max(map(width, lines)) <= columns + 4
    assert not any(line[0] in "，。）" or line[-1] == "（" for line in lines)


def test_addresses_are_those_of_the_site():
    book = "https://book.example/"
    assert (
        page_address("nan-and-inf/where#why", "en", book)
        == "https://book.example/en/nan-and-inf/where/#why"
    )
    assert (
        page_address("nan-and-inf/where", "zh", book) == "https://book.example/nan-and-inf/where/"
    )
    assert page_address("updates/index", "zh", book) == "https://book.example/updates/"
    assert page_address("nan-and-inf/where#why", "en", "") == "nan-and-inf/where#why"
