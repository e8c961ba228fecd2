"""Readers of syntaxes whose own programs cannot be had everywhere, each by its published grammar.

A reader returns the variables that are set, and fails on everything that it does not expect: an answer that does more
than set variables is an error here.
"""

import json
import re

NAME = r"[A-Za-z_][A-Za-z0-9_]*"

# PowerShell language specification, 2.3.5.2: any of these begins and ends a verbatim string, and two of them are one.
SINGLE_QUOTES = "'\u2018\u2019\u201a\u201b"
CHARACTER = re.compile(r"\[char\]0x([0-9a-f]{1,4})")


def powershell(text):
    variables = {}
    for line in lines(text):
        removal = re.fullmatch(rf"Remove-Item Env:({NAME}) -ErrorAction Ignore", line)
        if removal:
            variables.pop(removal[1], None)
            continue
        start = re.match(rf"\$env:({NAME}) = ", line)
        assert start, line
        variables[start[1]] = powershell_expression(line[start.end():])
    return variables


def powershell_expression(text):
    value, rest = powershell_string(text)
    while rest:
        assert rest[0] == "+", rest
        rest = rest[1:]
        character = CHARACTER.match(rest)
        if character:
            value += chr(int(character[1], 16))
            rest = rest[character.end():]
        else:
            part, rest = powershell_string(rest)
            value += part
    return value


def powershell_string(text):
    assert text[:1] in tuple(SINGLE_QUOTES), text
    value, place = "", 1
    while place < len(text):
        if text[place] in SINGLE_QUOTES:
            if text[place + 1:place + 2] not in tuple(SINGLE_QUOTES):
                return value, text[place + 1:]
            place += 1
        value += text[place]
        place += 1
    raise AssertionError("a string without an end")


def nu(text):
    """`from json | load-env`: a record, whose values without one are not passed on."""
    return {name: value for name, value in json.loads(text).items() if value is not None}


# systemd.exec(5), EnvironmentFile=: inside double quotes a backslash before one of these is dropped.
ESCAPED = '"\\`$'


def systemd(text):
    variables = {}
    for line in lines(text):
        start = re.match(rf'({NAME})="', line)
        assert start, line
        value, place = "", start.end()
        while line[place] != '"':
            if line[place] == "\\" and line[place + 1] in ESCAPED:
                place += 1
            value += line[place]
            place += 1
        assert place == len(line) - 1, line
        # Other control characters make systemd drop the whole assignment.
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", value), line
        variables[start[1]] = value
    return variables


def github_actions(text):
    """The environment file of GitHub Actions: `NAME<<DELIMITER`, the value, the delimiter alone on a line."""
    variables = {}
    rest = iter(lines(text))
    for line in rest:
        name, separator, delimiter = line.partition("<<")
        assert separator and re.fullmatch(NAME, name) and len(delimiter) >= 32, line
        value = []
        while (part := next(rest)) != delimiter:
            value.append(part)
        variables[name] = "\n".join(value)
    return variables


def lines(text):
    assert text.endswith("\n"), text
    return text[:-1].split("\n")
