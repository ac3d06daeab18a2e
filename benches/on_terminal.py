"""Runs a command on a pseudo terminal of 120 by 40, reads what it draws, and ends with its exit code:

    python3 on_terminal.py COMMAND [WORD ...]
"""

import fcntl
import os
import pty
import struct
import sys
import termios

ROWS, COLUMNS = 40, 120


def main() -> int:
    child, terminal = pty.fork()
    if child == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execvp(sys.argv[1], sys.argv[1:])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    # Reading fails when the command has ended and closed its terminal.
    last = b""
    try:
        while piece := os.read(terminal, 65536):
            last = (last + piece)[-4096:]
    except OSError:
        pass
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code != 0:
        sys.stderr.buffer.write(last)
    return code


if __name__ == "__main__":
    sys.exit(main())
