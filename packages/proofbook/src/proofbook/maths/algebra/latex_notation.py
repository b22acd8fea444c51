"""Notations of several tokens: sums, derivatives, cases and conditions.

Each function is given the reader of latex.py at the place where its notation begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from proofbook.maths.algebra.latex_tokens import IF, OTHERWISE, RELATIONS, TEXT, Tree, Unreadable

if TYPE_CHECKING:
    from proofbook.maths.algebra.latex import Reader


def read_cases(reader: Reader) -> Tree:
    """Values and their conditions; latex_tokens.py says what ends them."""
    reader.advance("(")
    values, conditions = [], []
    while not values or reader.next == "@":
        if values and reader.advance() and reader.next == ")":
            break
        values.append(reader.read_sum())
        while reader.next in (",", ";"):
            reader.advance()
        conditions.append(read_condition(reader))
        while reader.next in (",", "."):
            reader.advance()
    reader.advance(")")
    return ("cases", tuple(values), tuple(conditions))


def read_condition(reader: Reader) -> Tree:
    if reader.next in TEXT:
        reader.advance()
        word = reader.read_word()
        if word in OTHERWISE:
            return ("and", ())
        if word not in IF:
            raise Unreadable(word)
    sides, relations = [reader.read_sum()], []
    while reader.next in RELATIONS:
        relation = RELATIONS[reader.advance()]
        sides.append(reader.read_sum())
        relations.append((relation, *sides[-2:]))
    if not relations:
        raise Unreadable("no condition")
    return relations[0] if len(relations) == 1 else ("and", tuple(relations))


def read_summation(reader: Reader) -> Tree:
    limits: tuple[str, float, float] | None = None
    reader.advance("_")
    if reader.next == "{":
        reader.advance()
        index = reader.advance()
        while reader.next == ",":
            reader.advance()
            index += reader.advance()
        if reader.next == "=":
            reader.advance()
            first = float(reader.advance()) if (reader.next or "").isdigit() else None
            reader.advance("}")
            reader.advance("^")
            last = reader.read_argument()
            if first is None or not isinstance(last, float):
                raise Unreadable("a sum to somewhere")
            limits = ("range", first, last)
        else:
            reader.advance("}")
    else:
        index = reader.advance()
    if not index.isalpha():
        raise Unreadable("a sum over something")
    return ("sum", index, limits, reader.read_product())


def read_fraction(reader: Reader) -> Tree:
    start = reader.at
    if reader.next == "{":
        reader.advance()
        straight = reader.next == "d"
        if reader.next in (r"\partial", "d"):
            reader.advance()
            order = read_order(reader)
            body = None if reader.next == "}" else reader.read_sum()
            reader.advance("}")
            reader.advance("{")
            if reader.next == ("d" if straight else r"\partial"):
                symbol = read_derivative_symbol(reader, order)
                reader.advance("}")
                return ("d", reader.read_product() if body is None else body, symbol, order)
        reader.at = start
    return ("/", reader.read_argument(), reader.read_argument())


def read_flat_derivative(reader: Reader) -> Tree:
    body = reader.read_power()
    reader.advance("/")
    return ("d", body, read_derivative_symbol(reader, 1), 1)


def read_order(reader: Reader) -> int:
    if reader.next != "^":
        return 1
    reader.advance()
    order = reader.read_argument()
    if order not in (1.0, 2.0, 3.0):
        raise Unreadable("a derivative of no order")
    return int(order)


def read_derivative_symbol(reader: Reader, order: int) -> Tree:
    reader.advance()
    symbol = reader.read_atom()
    if not isinstance(symbol, tuple) or symbol[0] != "symbol":
        raise Unreadable("a derivative by no symbol")
    if order != read_order(reader):
        raise Unreadable("two orders")
    return symbol
