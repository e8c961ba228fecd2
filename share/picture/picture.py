"""Pictures of what stands on a terminal, by the real programs: a home of their own, an issuer, and a drawing of the cells as text."""
import html
import json
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "..", "Tests", "Terminal"))
import terminal  # noqa: E402

COLUMNS = 80
CELL, LINE, MARGIN, SIZE = 8.43, 20, 20, 14
STYLE = """\
  text { font: %dpx ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #d8dee9 }
  .bold { font-weight: bold; fill: #ffffff }
  .red { font-weight: bold; fill: #e06c75 }
  .ended { fill: #e06c75 }
  .good { fill: #98c379 }
  .notable { fill: #e5c07b }
  .typed { fill: #a3be8c }""" % SIZE
CLASSES = {
    terminal.BOLD: "bold", terminal.BOLD_RED: "red", terminal.RED: "ended", terminal.GREEN: "good",
    terminal.YELLOW: "notable"}


class Home:
    """A home that is gone afterwards. Its path is the same each time, since the programs may print it."""

    PATH = "/tmp/home"

    def __init__(self, binaries):
        self.agent = os.path.join(binaries, "agent")
        self.environment = {
            "PATH": binaries + ":/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "xterm-256color", "HOME": self.PATH,
            "XDG_RUNTIME_DIR": self.PATH + "/run"}

    def __enter__(self):
        os.mkdir(self.PATH, 0o700)
        os.mkdir(self.environment["XDG_RUNTIME_DIR"], 0o700)
        return self

    def __exit__(self, *_):
        try:
            self.run("daemon", "stop")
        finally:
            shutil.rmtree(self.PATH)

    def run(self, *words):
        result = subprocess.run([self.agent, *words], env=self.environment, capture_output=True, text=True)
        if result.returncode:
            sys.exit("agent %s: %s" % (" ".join(words), result.stderr))

    def program(self, *words):
        return terminal.Program([self.agent, *words], COLUMNS, environment=self.environment)


class Issuer:
    """The development issuer. Its port is given, so that a picture changes little from one time to the next."""

    def __init__(self, binaries, port, *options):
        self.words = [os.path.join(binaries, "devissuer"), "--port", str(port), *options]

    def __enter__(self):
        self.process = subprocess.Popen(self.words, stdout=subprocess.PIPE)
        try:
            self.url = json.loads(self.process.stdout.readline())["issuer"]
        except ValueError:
            sys.exit("devissuer does not start: %s" % " ".join(self.words))
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def span(x, y, style, text):
    attribute = ' class="%s"' % style if style else ""
    # Each run has its length, so that columns hold whatever font there is.
    return '  <text x="%.1f" y="%d" textLength="%.1f"%s>%s</text>' % (
        MARGIN + x * CELL, y, len(text) * CELL, attribute, html.escape(text))


def runs(row):
    """The texts of a row with where they begin and in which style. More than one space ends a text, since viewers draw only one."""
    start = 0
    while start < len(row):
        end = start
        while end < len(row) and row[end][1] == row[start][1]:
            end += 1
        text = "".join(character for character, _ in row[start:end])
        for piece in re.finditer(r"\S+(?: \S+)*", text):
            yield start + piece.start(), row[start][1], piece.group()
        start = end


def draw(name, title, typed, rows):
    """Writes the file NAME beside this one: the lines that were typed, and the rows of cells below them."""
    while rows and not any(True for _ in runs(rows[-1])):
        rows = rows[:-1]
    width, height = 2 * MARGIN + COLUMNS * CELL, 2 * MARGIN + LINE * (len(typed) + len(rows))
    drawing = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" role="img">' % (width, height),
        "  <title>%s</title>" % html.escape(title),
        "  <style>\n" + STYLE + "\n  </style>",
        '  <rect width="100%" height="100%" rx="8" fill="#2e3440"/>',
    ]
    y = MARGIN + SIZE
    for line in typed:
        drawing.append(span(len(line) - len(line.lstrip()), y, "typed", line.strip()))
        y += LINE
    for row in rows:
        drawing += [span(x, y, CLASSES.get(style), text) for x, style, text in runs(row)]
        y += LINE
    with open(os.path.join(here, name), "w", encoding="utf-8") as file:
        file.write("\n".join(drawing + ["</svg>", ""]))


def binaries(description):
    """The directory of the programs, which is the one argument of each script here."""
    if len(sys.argv) != 2:
        sys.exit(description.splitlines()[0])
    return os.path.abspath(sys.argv[1])
