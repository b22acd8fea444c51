"""The settings of a book are read from mkdocs.yml without MkDocs; each has a default."""

from __future__ import annotations

from pathlib import Path

import pytest
from proofbook.model.config import BookConfig, Language, in_language, read_config
from proofbook.model.problem import Unproved


def config(root: Path, text: str) -> BookConfig:
    (root / "mkdocs.yml").write_text(text, "utf-8")
    return read_config(root)


def test_a_book_without_settings_has_the_defaults(tmp_path):
    assert read_config(tmp_path) == BookConfig()
    assert config(tmp_path, "plugins: [search, proofbook]") == BookConfig()
    assert config(tmp_path, "plugins:\n  proofbook:\n") == BookConfig()
    assert BookConfig().codes == ("zh", "en")


@pytest.mark.parametrize(
    "plugins", ["  - search\n  - proofbook:\n      ", "  search:\n  proofbook:\n      "]
)
def test_the_options_are_those_of_the_plugin(tmp_path, plugins):
    read = config(tmp_path, f"plugins:\n{plugins}languages: [en]\n      file_name: waves\n")
    assert read.languages == (Language("en", "English"),)
    assert read.file_name == "waves"


def test_the_first_language_is_the_edition_at_the_address_of_the_book(tmp_path):
    text = "plugins: {proofbook: {languages: {en: {subtitle: Of waves}, fr: Français, nl: }}}"
    read = config(tmp_path, text)
    assert read.default == Language("en", "English", subtitle="Of waves")
    assert [(one.code, one.name) for one in read.languages[1:]] == [
        ("fr", "Français"),
        ("nl", "nl"),
    ]
    assert [read.prefix(code) for code in read.codes] == ["", "fr/", "nl/"]
    assert read.language("fr").name == "Français"


def test_tags_of_mkdocs_do_no_harm(tmp_path, monkeypatch):
    monkeypatch.setenv("WHERE", "https://example.org/")
    text = """\
site_url: !ENV [WHERE, "http://127.0.0.1:8000/"]
repo_url: !ENV [NO_SUCH_VARIABLE, ""]
markdown_extensions:
  pymdownx.emoji: { emoji_index: !!python/name:material.extensions.emoji.twemoji }
  other: !relative $docs_dir
plugins: { proofbook: { glossary: docs/words.toml } }
"""
    read = config(tmp_path, text)
    assert read.site_url == "https://example.org/"
    assert read.glossary == "docs/words.toml"


def test_settings_are_inherited(tmp_path):
    (tmp_path / "base.yml").write_text(
        "site_name: Base\nplugins: {proofbook: {languages: [en], file_name: waves}}", "utf-8"
    )
    read = config(tmp_path, "INHERIT: base.yml\nplugins: {proofbook: {file_name: rays}}")
    assert (read.codes, read.file_name) == (("en",), "rays")


@pytest.mark.parametrize(
    ("option", "what"),
    [
        ("langauges: [en]", "proofbook has no such option"),
        ("languages: en", "the option has a value of another kind"),
        ("languages: []", "the book has no language"),
        ("languages: {no: Norsk}", "this is not the code of a language"),
        ("languages: [1]", "this is not the code of a language"),
        ("languages: {en: 3}", "the language en is described otherwise"),
        ("languages: {en: {moto: Run}}", "the language en is described otherwise"),
        ("inventories: [{file: a.inv}]", "this is not an inventory"),
        ("glossary: words.toml", "the file is none of the book"),
    ],
)
def test_a_wrong_option_is_named_with_its_line(tmp_path, option, what):
    with pytest.raises(Unproved) as caught:
        config(tmp_path, f"plugins:\n  proofbook:\n    {option}\n")
    [problem] = caught.value.problems
    assert (problem.file, problem.what) == ("mkdocs.yml", what)
    assert problem.line == 3


def test_a_broken_file_is_named_with_its_line(tmp_path):
    with pytest.raises(Unproved) as caught:
        config(tmp_path, "site_name: A\nnav: [a, b\nplugins: []\n")
    [problem] = caught.value.problems
    assert (problem.file, problem.line) == ("mkdocs.yml", 3)


def test_words_without_a_translation_are_in_english():
    words = {"zh": "目录", "en": "Contents"}
    assert [in_language(words, code) for code in ("zh", "en", "fr")] == [
        "目录",
        "Contents",
        "Contents",
    ]
