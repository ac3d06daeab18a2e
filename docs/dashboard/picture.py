"""Draws the text of a terminal, with the escape sequences of its colours, as a PNG."""

import re

from PIL import Image, ImageDraw, ImageFont

FONTS = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono{}.ttf"
FONT_SIZE, CELL_WIDTH, CELL_HEIGHT, EDGE = 15, 9, 18, 9
# The colours of a common dark terminal.
NORMAL = ["#20242c", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#abb2bf"]
BRIGHT = ["#5c6370", "#ff7b86", "#b5e890", "#ffd68a", "#7cc4ff", "#de8ff5", "#6fd3df", "#ffffff"]
FOREGROUND, BACKGROUND = "#d7dae0", "#15181e"
LOWER_BLOCKS = "▁▂▃▄▅▆▇█"
# What is left empty of a partly filled block from the left.
LEFT_BLOCKS = "▏▎▍▌▋▊▉"


def draw(text, width, height, path):
    size = (width * CELL_WIDTH + 2 * EDGE, height * CELL_HEIGHT + 2 * EDGE)
    image = Image.new("RGB", size, BACKGROUND)
    pen = ImageDraw.Draw(image)
    fonts = {bold: ImageFont.truetype(FONTS.format("-Bold" if bold else ""), FONT_SIZE) for bold in (False, True)}
    # A style lasts until the next one, across lines.
    style = {"fg": None, "bold": False, "dim": False, "reverse": False}
    for row, line in enumerate(text.split("\n")[:height]):
        for column, letter in cells(line, style):
            cell(pen, fonts, column, row, letter, style)
    image.quantize(colors=256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(path, optimize=True)


def cells(line, style):
    """Columns and letters of a line; `style` is that of the letter."""
    column = 0
    for part in re.split(r"(\x1b\[[0-9;]*m|\x0e|\x0f)", line):
        if part.startswith("\x1b["):
            apply(style, [int(code or 0) for code in part[2:-1].split(";")])
            continue
        for letter in part:
            yield column, letter
            column += 1


def apply(style, codes):
    codes = iter(codes)
    for code in codes:
        if code == 0:
            style.update(fg=None, bold=False, dim=False, reverse=False)
        elif code in (1, 2, 7):
            style[{1: "bold", 2: "dim", 7: "reverse"}[code]] = True
        elif code == 22:
            style.update(bold=False, dim=False)
        elif code == 27:
            style["reverse"] = False
        elif 30 <= code <= 37:
            style["fg"] = NORMAL[code - 30]
        elif 90 <= code <= 97:
            style["fg"] = BRIGHT[code - 90]
        elif code == 39:
            style["fg"] = None
        elif code == 38 and next(codes, None) == 5:
            number = next(codes, 0)
            style["fg"] = (NORMAL + BRIGHT)[number] if number < 16 else FOREGROUND


def mixed(colour, share):
    """The colour over the background."""
    parts = zip(bytes.fromhex(colour[1:]), bytes.fromhex(BACKGROUND[1:]))
    return tuple(round(over * share + under * (1 - share)) for over, under in parts)


def cell(pen, fonts, column, row, letter, style):
    left, top = EDGE + column * CELL_WIDTH, EDGE + row * CELL_HEIGHT
    right, bottom = left + CELL_WIDTH - 1, top + CELL_HEIGHT - 1
    colour = style["fg"] or FOREGROUND
    if style["dim"]:
        colour = "#%02x%02x%02x" % mixed(colour, 0.55)
    if style["reverse"]:
        pen.rectangle((left, top, right, bottom), fill=colour)
        colour = BACKGROUND
    # Blocks are drawn and not set, so that they touch each other as on a terminal.
    if letter in LOWER_BLOCKS:
        filled = round(CELL_HEIGHT * (LOWER_BLOCKS.index(letter) + 1) / 8)
        pen.rectangle((left, bottom + 1 - filled, right, bottom), fill=colour)
    elif letter in LEFT_BLOCKS:
        filled = round(CELL_WIDTH * (LEFT_BLOCKS.index(letter) + 1) / 8)
        pen.rectangle((left, top, left + filled - 1, bottom), fill=colour)
    elif letter == "░":
        pen.rectangle((left, top, right, bottom), fill=mixed(colour, 0.25))
    elif letter in "─│╭╮╰╯":
        border(pen, letter, left, top, colour)
    elif letter.strip():
        pen.text((left, top + CELL_HEIGHT - 5), letter, font=fonts[style["bold"]], fill=colour, anchor="ls")


def border(pen, letter, left, top, colour):
    right, bottom = left + CELL_WIDTH - 1, top + CELL_HEIGHT - 1
    x, y, round_by = left + CELL_WIDTH // 2, top + CELL_HEIGHT // 2, 4
    if letter == "─":
        pen.line((left, y, right, y), fill=colour)
    elif letter == "│":
        pen.line((x, top, x, bottom), fill=colour)
    else:
        to_right, to_below = letter in "╭╰", letter in "╭╮"
        pen.line((x + round_by if to_right else left, y, right if to_right else x - round_by, y), fill=colour)
        pen.line((x, y + round_by if to_below else top, x, bottom if to_below else y - round_by), fill=colour)
        box_left, box_top = (x if to_right else x - 2 * round_by), (y if to_below else y - 2 * round_by)
        start = {"╭": 180, "╮": 270, "╯": 0, "╰": 90}[letter]
        pen.arc((box_left, box_top, box_left + 2 * round_by, box_top + 2 * round_by), start, start + 90, fill=colour)
