"""Planted bugs, for `run` and `run-catalogue`: reads their lists, and runs commands that may hang."""
import os
import pathlib
import re
import signal
import subprocess
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRATCH = ROOT / ".build-mutations"


class Bug:
    """A planted bug: its title, its fields (such as the file), and the lines before and after."""

    def __init__(self, block):
        self.title, *lines = block.rstrip("\n").split("\n")
        self.fields, old, new = {}, [], []
        for line in lines:
            field = re.match(r"(\w+): (.*)", line)
            if line[:1] in ("-", "+"):
                (old if line[0] == "-" else new).append(line[1:])
            elif field and not old and not new:
                self.fields[field[1]] = field[2]
        self.file = self.fields["file"]
        self.old, self.new = "\n".join(old), "\n".join(new)

    def fits(self, text):
        """Whether the lines before stand in a file's text, exactly once."""
        return bool(self.old) and text.count(self.old) == 1


def read(path, kind=Bug):
    """The bugs of a list: blocks of `## what it breaks`, fields, and the lines before (-) and after (+)."""
    return [kind(block) for block in re.split(r"^## ", path.read_text(), flags=re.MULTILINE)[1:]]


def run(command, folder, seconds, is_sign=lambda line: None):
    """Runs a command; a sign in a line of its output, or the end of the time, kills it with everything that it started.

    Returns its status, its output and the sign: None and "a hang" as status and sign if time was up.
    """
    # What a crashing program was writing may end in the middle of a character.
    process = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True, encoding="utf-8", errors="replace", env={**os.environ, "SWIFT_BACKTRACE": "enable=no"},
    )
    is_late = threading.Event()

    def end():
        is_late.set()
        kill(process)

    timer = threading.Timer(seconds, end)
    timer.start()
    output, sign = [], None
    for line in process.stdout:
        output.append(line)
        sign = is_sign(line)
        if sign:
            kill(process)
            break
    status = process.wait()
    timer.cancel()
    if is_late.is_set() and not sign:
        status, sign = None, "a hang"
    return status, "".join(output), sign


def kill(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
