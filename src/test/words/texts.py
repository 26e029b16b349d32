"""The texts of Markdown and Java files in pieces: a paragraph, a heading, a list entry, a cell, a comment, a message."""

import re

FENCED = re.compile(r"(?ms)^ *```.*?^ *```$|<!--.*?-->|<pre>.*?</pre>")
UNREAD = re.compile(r"https?://\S+|</?\w[^>]*>|^\[[^\]]*\]: .*$|(?<=\])\([^)]*\)|(?<=\])\[[^\]]*\]", re.MULTILINE)
TOKEN = re.compile(
    r'"""(?s:.*?)"""'
    r'|"(?P<string>(?:\\.|[^"\\\n])*)"'
    r"|'(?:\\.|[^'\\])+'"
    r"|/\*(?P<block>(?s:.*?))\*/"
    r"|//(?P<line>[^\n]*)"
)
TAG = re.compile(r"\{@\w+\s+([^}]*)\}")
PARAMETER = re.compile(r"@(?:param|throws)\s+\S+")


def pieces(file, text):
    """Of a file, lists of (line, text); what is between backticks is an x between backticks."""
    if file.endswith(".java"):
        text = markdown(text, file.startswith("src/main/"))
    text = FENCED.sub(lambda block: "\n" * block[0].count("\n"), text)
    text = re.sub(r"`[^`]+`", lambda code: "`x`" + "\n" * code[0].count("\n"), text)
    piece = []
    for number, line in enumerate(UNREAD.sub("", text).split("\n"), 1):
        line = line.strip()
        if not line or re.match(r"[-*#|]|\d+\.", line):
            yield piece
            piece = []
        cells = line.strip("|").split(" | ") if line.startswith("|") else [line]
        for cell in cells[:-1]:
            yield [(number, cell)]
        piece.append((number, cells[-1]))
        if re.match(r"[#|]", line):
            yield piece
            piece = []
    yield piece


def markdown(source, with_strings):
    """The comments of Java, and the strings that people read, on the lines that they have."""
    lines = [""] * (source.count("\n") + 2)
    for token in TOKEN.finditer(source):
        number = source.count("\n", 0, token.start())
        begin = source.rfind("\n", 0, token.start()) + 1
        is_alone = not source[begin : token.start()].strip()
        if token["block"] is not None:
            for i, text in enumerate(comment(token["block"].removeprefix("*")).split("\n")):
                lines[number + i] += text
        elif token["line"] is not None:
            lines[number] += ("" if is_alone else "- ") + token["line"].strip()
        elif with_strings and token["string"] is not None and token["string"].count(" ") > 1:
            string = re.sub(r"\\.|%[-\d.]*[a-z]", " ", token["string"])
            lines[number] += ("" if lines[number] else "- ") + string + " | "
    return "\n".join(lines)


def comment(text):
    """A comment without its stars; what a tag begins is a list entry."""
    lines = [re.sub(r"^\s*\*? ?", "", line).strip() for line in text.split("\n")]
    text = TAG.sub(lambda tag: "`x`" + "\n" * tag[1].count("\n"), "\n".join(lines))
    text = PARAMETER.sub("- `x`", text)
    return re.sub(r"(?m)^@\w+", "-", text.replace("<p>", ""))
