"""A program under a pseudo-terminal, and a model of what a person sees there.

The model knows what agent writes, and refuses everything else: carriage return, line feed, text that wraps at the last
column as on an xterm (only when one more character comes), ESC [ J, ESC [ K, the styles 0 and 1, and white on black.
"""
import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

ESCAPE = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])")
# Shells say so that they can tell what is pasted from what is typed; agent ssh sets the terminal's state back.
PASTE = re.compile("\x1b\\[(?:\\?2004[hl]|!p)")
BOLD, BOLD_RED, WHITE_ON_BLACK = "1", "1;31", "97;40"
RED, GREEN, YELLOW = "31", "32", "33"


class Screen:
    """Rows of cells; a cell is a character and its style. No row is ever lost at the top."""

    def __init__(self, columns, reflows=True):
        self.columns = columns
        # Some terminals break lines anew when their width changes, others cut them.
        self.reflows = reflows
        self.rows = [[]]
        # Whether a row goes on in the next one.
        self.wraps = [False]
        self.row = self.column = 0
        self.style = ""
        self.pending = ""

    def write(self, text):
        text = self.pending + text
        self.pending = ""
        index = 0
        while index < len(text):
            character = text[index]
            if character == "\x1b":
                match = ESCAPE.match(text, index)
                if not match and PASTE.match(text, index):
                    index = PASTE.match(text, index).end()
                    continue
                if not match:
                    if len(text) - index > 16:
                        raise ValueError("an unknown escape sequence: %r" % text[index:index + 16])
                    self.pending = text[index:]
                    return
                self.escape(match.group(1), match.group(2))
                index = match.end()
                continue
            index += 1
            if character == "\r":
                self.column = 0
            elif character == "\n":
                self.down()
            elif character < " " or character == "\x7f":
                raise ValueError("a control character: %r" % character)
            else:
                self.put(character)

    def escape(self, parameters, final):
        if final == "m" and parameters in ("", "0", BOLD, BOLD_RED, WHITE_ON_BLACK, RED, GREEN, YELLOW):
            self.style = "" if parameters == "0" else parameters
        elif final == "K" and parameters in ("", "0"):
            self.clear_row(self.row, self.column)
        elif final == "J" and parameters in ("", "0"):
            self.clear_row(self.row, self.column)
            for row in range(self.row + 1, len(self.rows)):
                self.clear_row(row, 0)
        else:
            raise ValueError("an unknown escape sequence: ESC [ %s %s" % (parameters, final))

    def clear_row(self, row, column):
        del self.rows[row][column:]
        self.wraps[row] = False

    def put(self, character):
        if self.column == self.columns:
            self.wraps[self.row] = True
            self.column = 0
            self.down()
        cells = self.rows[self.row]
        cells.extend([(" ", "")] * (self.column + 1 - len(cells)))
        cells[self.column] = (character, self.style)
        self.column += 1

    def down(self):
        self.row += 1
        if self.row == len(self.rows):
            self.rows.append([])
            self.wraps.append(False)

    def resize(self, columns):
        if not self.reflows:
            self.columns = columns
            self.rows = [row[:columns] for row in self.rows]
            self.column = min(self.column, columns)
            return
        lines, line = [], []
        place = (0, 0)
        for index, row in enumerate(self.rows):
            if index == self.row:
                place = (len(lines), len(line) + self.column)
            line = line + row
            if not self.wraps[index]:
                lines.append(line)
                line = []
        if line:
            lines.append(line)
        self.columns = columns
        self.rows, self.wraps = [], []
        for index, line in enumerate(lines):
            if index == place[0]:
                self.row = len(self.rows) + min(place[1] // columns, max(0, (len(line) - 1) // columns))
                self.column = place[1] % columns
            pieces = [line[start:start + columns] for start in range(0, len(line), columns)] or [[]]
            self.rows += pieces
            self.wraps += [True] * (len(pieces) - 1) + [False]

    def text_rows(self):
        """What stands in each row of the screen; the empty ones at the end are left out."""
        rows = ["".join(character for character, _ in row).rstrip() for row in self.rows]
        while rows and not rows[-1]:
            rows.pop()
        return rows

    def lines(self):
        """What is selected as one line: rows that the terminal broke are joined again."""
        lines, line = [], ""
        for row, wraps in zip(self.rows, self.wraps):
            line += "".join(character for character, _ in row)
            if not wraps:
                lines.append(line.rstrip())
                line = ""
        lines.append(line.rstrip())
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def bold_text(self):
        return "".join(character for row in self.rows for character, style in row if style == BOLD)

    def photograph(self, path, is_light):
        """Writes what a camera sees as a picture (PGM), on a terminal that is light or dark. Half blocks are exact, and any
        other character is a spot."""
        picture = bytearray()
        for row in self.rows:
            cells = row + [(" ", "")] * (self.columns - len(row))
            for line in range(CELL_HEIGHT):
                for character, style in cells:
                    paper, ink = (0, 255) if style == WHITE_ON_BLACK or not is_light else (255, 0)
                    picture += bytes(ink if shows else paper for shows in dots(character, line))
        with open(path, "wb") as file:
            file.write(b"P5 %d %d 255\n" % (self.columns * CELL_WIDTH, len(self.rows) * CELL_HEIGHT) + picture)


# In dots, of which a terminal has about so many.
CELL_WIDTH, CELL_HEIGHT = 8, 16


def dots(character, line):
    """Whether each dot of one line of a cell is drawn."""
    is_upper = line < CELL_HEIGHT // 2
    if character in BLOCKS:
        return [BLOCKS[character][0 if is_upper else 1]] * CELL_WIDTH
    return [4 <= line < 12 and 2 <= dot < 6 for dot in range(CELL_WIDTH)]


# Whether the upper and the lower half are drawn.
BLOCKS = {" ": (False, False), "\u2580": (True, False), "\u2584": (False, True), "\u2588": (True, True)}


class Program:
    """A program with a pseudo-terminal of its own for all three standard streams."""

    def __init__(self, arguments, columns, rows=24, environment=None, reflows=True):
        self.screen = Screen(columns, reflows)
        self.raw = ""
        self.rows = rows
        self.status = None
        # Whether the terminal shows what is typed.
        self.echoes = True
        self.decoder = codecs.getincrementaldecoder("utf-8")("strict")
        ready, go = os.pipe()
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            os.close(go)
            os.read(ready, 1)
            try:
                os.execve(arguments[0], arguments, environment if environment is not None else os.environ)
            finally:
                os._exit(127)
        os.close(ready)
        # The program starts only when the terminal has its width.
        self.set_size(columns)
        os.write(go, b"x")
        os.close(go)

    def set_size(self, columns):
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", self.rows, columns, 0, 0))

    def resize(self, columns):
        # One write of the program may come in several pieces, and an old line may be gone before the new one is there.
        while select.select([self.descriptor], [], [], 0.05)[0] and self.read(0):
            pass
        self.screen.resize(columns)
        self.set_size(columns)

    def type(self, text):
        data = text.encode()
        while data:
            data = data[os.write(self.descriptor, data):]

    def signal(self, number):
        os.kill(self.process, number)

    def read(self, seconds):
        """Reads once; false when the program has closed the terminal."""
        if not select.select([self.descriptor], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.descriptor, 65536)
        except OSError:
            data = b""
        text = self.decoder.decode(data, not data)
        # The terminal itself shows what is typed: ^C in place of the control character.
        self.raw += text
        self.screen.write(text)
        return bool(data)

    def wait_until(self, condition, seconds=1800):
        """Reads until the condition holds; false when the program has ended or the time has passed."""
        deadline = time.monotonic() + seconds
        while not condition(self):
            if time.monotonic() > deadline or not self.read(0.05):
                return condition(self)
            self.look_at_echo()
        return True

    def shows(self, text):
        return any(text in line for line in self.screen.lines())

    def wait(self, seconds=1800):
        """Reads to the end and returns the exit status, 128 and the number for a signal."""
        deadline = time.monotonic() + seconds
        while self.read(0.05):
            if time.monotonic() > deadline:
                self.end()
                raise TimeoutError("the program does not end; its screen: %r" % self.screen.text_rows())
        return self.reap()

    def look_at_echo(self):
        if self.status is None:
            self.echoes = bool(termios.tcgetattr(self.descriptor)[3] & termios.ECHO)

    def reap(self):
        if self.status is None:
            status = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
            self.look_at_echo()
            self.status = status if status >= 0 else 128 - status
            os.close(self.descriptor)
        return self.status

    def end(self):
        if self.status is None:
            os.kill(self.process, signal.SIGKILL)
            self.reap()
