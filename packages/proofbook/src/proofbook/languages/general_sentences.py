"""Which sentences say something in general, and which say that they speak of an example.

Told by words, in English and Chinese; in another language no sentence is taken for general.
"""

from __future__ import annotations

import re

CODE = "\ufffc"
"""A code span whose name is one of the library that the book is about."""
OTHER = "\ufffd"
"""Any other code span, or a formula."""

_GENERAL = {
    "en": re.compile(
        r"\b(?:always|never|only|each|every|every(?:thing|one|where)|must"
        r"|no(?! longer\b| more\b|[,.:])|none|nothing|nobody|nowhere|all|any|anything|cannot|can't"
        r"|what(?:so)?ever|when(?:so)?ever|wherever|regardless)\b"
        # What a function does, said of the function: "`detach()` shares the storage".
        rf"|(?:^|[,;:]\s(?:and |but |so |while )?)(?:[Tt]he |[Aa]n? |[Ss]o |[Bb]ut )?{CODE}\s"
        r"(?:also |still |then )?(?:\w+(?<!s)s|does|has|doesn't|isn't|won't|needs|can|may)\b"
        # What holds of any of a kind: "A hook that returns nothing leaves the gradient alone."
        r"|^(?:And |But |So )?(?:an?|A|An) [a-z-]+(?: [\w-]+){0,6}? (?!(?:this|its|thus|as)\b)"
        r"(?:\w{2,}(?<!s)s|has|can|may|doesn't|isn't|won't|need)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"都|(?<!不)只(?![要是好剩])|从不|从来不|必须|必然|一定(?!程度)|总是|总会|总要|每|任何|所有|一切"
        r"|永远|绝不|绝对|凡是|无论|不论|不管|什么也|谁也|一律|全部|不可能"
        rf"|(?:^|[，；：])\s*(?:而|但|所以|反过来)?\s*{CODE}\s?(?!里|之后|之前|的时候|时|那)[\u4e00-\u9fff]"
    ),
}
"""Quantifiers; what a library's function does; what any of a kind does."""

_SHOWN = (
    r"(?:example|script|run|case|figure|output|snippet|page|lesson|code|plot|table|lab|book"
    r"|notebook|edition|site)s?"
)
_EXAMPLE = {
    "en": re.compile(
        rf"\bhere\b|\b(?:this|our|that|these|both|two|three) (?:\w+ )?{_SHOWN}\b"
        rf"|\bthe (?:\w+ )?{_SHOWN} (?:above|below|here)\b|\bin the {_SHOWN}\b"
        r"|\b(?:as|shown|printed) (?:above|below)\b"
        r"|\b(?:step|line|row|column|panel|layer|box)s? \d"
        r"|\b(?:the|all|both|its|these) (?:first|second|third|fourth|last|other|next|two|three|four"
        r"|five|left|right|upper|lower) (?:\w+ )?(?:lines?|rows?|columns?|curves?|panels?"
        r"|scripts?|runs?|networks?|numbers?|values?|results?|prints?|parts?|versions?)\b"
        r"|\b(?:is|are|gives?|gets?|equals?) [-−]?\d"
        # A story of what happened in the run; "that was changed" tells a kind, not a story.
        r"|(?<!that )(?<!which )(?<!who )(?<!it )\b(?:was|were|did|didn't|had|went|came|became"
        r"|gave|printed|stood)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"这里|(?:这个|本|这段|此|上面的|下面的)(?:例子?|脚本|代码|实验|书|页|课|次运行)|例子里|例中"
        r"|在这[段份个]|这段|上面[的这那]|下面[的这那]|图[里中]|这张图|输出里|这一步|这一[行列组]"
        r"|第 ?\d+ ?[格步行列层组次段个]|(?:第[一二三四五六七八九十]|[前后两三四五])[行列格组段]"
        r"|(?:是|为|得到|等于|变成) ?[-−]?\d|表[里中]|书里|本书|这本书|这一页|本页"
    ),
}
"""Words of the example that a page shows."""

_SAYS_NOTHING = re.compile(
    r"[?？]\W*\Z|^(?:see|for more|more (?:on|about)|look|compare|try|count)\b"
    r"|^(?:更多|见|看|试|数一数)",
    re.IGNORECASE,
)
"""A question, and what asks the reader to look."""

_ELSEWHERE = {
    "en": re.compile(
        r"\bas \S*(?:the|this|that|our|another|an earlier|a later)? ?(?:\w+ )?(?:page|lesson"
        r"|chapter|section|part|case)s?\b[^.]{0,80}\b(?:says?|said|shows?|showed|explains?|explained|tells?"
        r"|put|puts|derives?|proves?|found|finds?)\b"
        r"|\b(?:see|cf\.|read|compare) (?:also )?(?:the |this |that |our )?(?:\w+ )?"
        r"(?:page|lesson|chapter|section|part|documentation|docs|paper|figure|table|case)s?\b"
        r"|\b(?:the|another|a later|an earlier) (?:page|lesson|chapter|section|part) (?:on|about)\b"
        r"[^.]{0,60}\b(?:says?|shows?|explains?|tells?|covers?|goes|has)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"(?<![看听遇不少常罕碰])见(?=\s*(?:[「《“\[第]|上|下|前|后|本|那|这|官方|文档|论文|附|表|图))"
        r"|(?:参见|详见|另见|可见于|参考|参看)"
        r"|(?:页|节|篇|课|章|」|》)(?:里|中|上)?(?:已经|也|都)?(?:讲过|说过|讲了|讲的|证明过|算过|试过)"
    ),
}
"""A sentence that says where something else is said: it is tried there."""

_IDIOM = {
    "en": re.compile(
        r"\b(?:first of all|after all|above all|all in all|(?:not )?at all|all along|all right"
        r"|in any case|at any rate|if any|every now and then|once and for all|as always"
        r"|(?:not|isn't|aren't|doesn't|don't|won't|needn't|didn't) (?:always|all|every\w*|only"
        r"|necessarily)"
        r"|(?:you|we|I) only (?:need|want|have|care|look|see|read)s?(?: to)?"
        r"|need only|only (?:need|have) to|all (?:you|we) (?:need|want|have)(?: to)?"
        r"|only (?:just|recently|yesterday|today)|the only (?:thing|one))\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"不一定|[不未]必|不都|不总是?|不只|不全部|只需要?|只用|只想|只看|无论如何|不管怎[样么]|总之"
        r"|一切顺利|所有权|每天|每周|每年|都可以|都行|不是(?:所有|每|任何|一切)"
    ),
}
"""Words that only look like quantifiers, and quantifiers that are denied."""


def is_general(words: str, language: str) -> bool:
    """Whether a sentence says something in general; a question or a pointer says nothing.

    `words`: the sentence without what it quotes, with `CODE` and `OTHER` where it had code.
    """
    if (said := _GENERAL.get(language)) is None:
        return False
    if _SAYS_NOTHING.search(words) or _ELSEWHERE[language].search(words):
        return False
    return bool(said.search(_IDIOM[language].sub(" ", words)))


def speaks_of_example(words: str, language: str) -> bool:
    """Whether words of a sentence say that it speaks of the example that is shown."""
    said = _EXAMPLE.get(language)
    return bool(said and said.search(words))
