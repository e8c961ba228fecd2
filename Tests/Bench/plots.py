"""The plots of a report as SVG: lines over a scale, each named at its end, with colours that stand out on white and on black."""
import html
import math

WIDTH, HEIGHT = 760, 380
LEFT, RIGHT, TOP, BOTTOM = 74, 150, 56, 54
COLOURS = [("#0b62c4", "#6cb0ff"), ("#b3420a", "#ff9a5c"), ("#4c7a12", "#a5d65a")]
MARKS = ["circle", "square", "triangle"]


def drawings(report):
    """File name to SVG, for each curve that was measured."""
    result, curves, machine = {}, report["curves"], report["machine"]
    place = f"{machine['processor']}, {machine['processors']} CPUs"
    if "callers" in curves:
        names = [name for name in curves["callers"][0] if name != "callers"]
        lines = [(name, [(point["callers"], point[name] / 1000) for point in curves["callers"]]) for name in names]
        result["callers.svg"] = _document([_panel(
            "Cached tokens a second, a connection for each", place, "callers at a time", "thousand tokens a second", lines, is_log=True)])
    if "accounts" in curves:
        points = curves["accounts"]
        line = lambda name, key, unit: (name, [(point["accounts"], point[key] / unit) for point in points])
        result["accounts.svg"] = _document([
            _panel("Time against accounts in one vault", place, "accounts", "milliseconds",
                   [line("nothing running to a token", "cold_start_us", 1000), line("forced refresh", "refresh_us", 1000),
                    line("cached agent token", "token_us", 1000)]),
            _panel("Memory against accounts in one vault", place, "accounts", "MiB of private dirty memory",
                   [line("agentd", "private_dirty_kib", 1024)])])
    return result


def _style():
    classes = [("", 0)] + [("@media (prefers-color-scheme: dark) {", 1)]
    lines = ['text { font: 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif }', ".title { font-weight: bold; font-size: 15px }",
             ".line { fill: none; stroke-width: 2.2 }", ".grid { stroke-width: 1 }", ".name { font-weight: bold }"]
    for opening, which in classes:
        paper, ink, grid = (("#ffffff", "#1f2328", "#d4d9df"), ("#0d1117", "#e6edf3", "#363d47"))[which]
        rules = [f".paper {{ fill: {paper} }}", f"text {{ fill: {ink} }}", f".grid {{ stroke: {grid} }}", f".axis {{ stroke: {ink} }}"]
        for number, pair in enumerate(COLOURS):
            rules += [f".c{number} {{ stroke: {pair[which]} }}", f".f{number} {{ fill: {pair[which]} }}"]
        lines += [opening] * bool(opening) + rules + ["}"] * bool(opening)
    return "\n".join("    " + line for line in lines)


def _document(panels):
    height = HEIGHT * len(panels)
    body = "\n".join(f'  <g transform="translate(0 {HEIGHT * number})">\n{panel}\n  </g>' for number, panel in enumerate(panels))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">\n'
            f'  <style>\n{_style()}\n  </style>\n  <rect class="paper" width="100%" height="100%" rx="6"/>\n{body}\n</svg>\n')


def _ticks(most):
    """Round numbers from 0 to the first at or above the most, some five of them."""
    step = 10 ** math.floor(math.log10(most / 4))
    step *= next(factor for factor in (1, 2, 2.5, 5, 10) if step * factor * 5 >= most)
    return [step * number for number in range(math.ceil(most / step - 1e-9) + 1)]


def _text(x, y, text, anchor="middle", style="", rotate=""):
    attributes = f' class="{style}"' if style else ""
    return f'    <text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{attributes}{rotate}>{html.escape(text)}</text>'


def _mark(shape, x, y, number):
    if shape == "circle":
        return f'    <circle class="f{number}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
    if shape == "square":
        return f'    <rect class="f{number}" x="{x - 3.6:.1f}" y="{y - 3.6:.1f}" width="7.2" height="7.2"/>'
    return f'    <path class="f{number}" d="M{x:.1f} {y - 5:.1f}l4.8 8.6h-9.6z"/>'


def _panel(title, place, across, up, lines, is_log=False):
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    xs = sorted({x for _, points in lines for x, _ in points})
    ticks = _ticks(max(y for _, points in lines for _, y in points))
    scale = math.log2 if is_log else float
    span = scale(xs[-1]) - scale(xs[0]) or 1
    place_x = lambda x: LEFT + 14 + (right - LEFT - 28) * (scale(x) - scale(xs[0])) / span
    place_y = lambda y: bottom - (bottom - TOP) * y / ticks[-1]
    drawn = [_text(LEFT, 24, title, "start", "title"), _text(LEFT, 42, place, "start")]
    for tick in ticks:
        drawn.append(f'    <path class="grid" d="M{LEFT} {place_y(tick):.1f}H{right}"/>')
        drawn.append(_text(LEFT - 8, place_y(tick) + 4.5, f"{tick:g}", "end"))
    for x in xs:
        drawn.append(f'    <path class="axis" d="M{place_x(x):.1f} {bottom}v5"/>')
        drawn.append(_text(place_x(x), bottom + 20, f"{x:,}"))
    drawn.append(f'    <path class="axis" d="M{LEFT} {bottom}H{right}"/>')
    drawn.append(_text((LEFT + right) / 2, HEIGHT - 12, across))
    middle = (TOP + bottom) / 2
    drawn.append(_text(22, middle, up, rotate=f' transform="rotate(-90 22 {middle:.1f})"'))
    for number, (name, points) in enumerate(lines):
        path = "L".join(f"{place_x(x):.1f} {place_y(y):.1f}" for x, y in points)
        drawn.append(f'    <path class="line c{number}" d="M{path}"/>')
        drawn += [_mark(MARKS[number], place_x(x), place_y(y), number) for x, y in points]
    for y, number in _apart([(place_y(points[-1][1]), number) for number, (_, points) in enumerate(lines)], bottom):
        for index, words in enumerate(_broken(lines[number][0])):
            drawn.append(_text(right + 6, y + 4.5 + 15 * index, words, "start", f"name f{number}"))
    return "\n".join(drawn)


def _broken(name):
    """At most two lines, so that a name fits beside its line."""
    if len(name) <= 16:
        return [name]
    middle = min((abs(index - len(name) / 2), index) for index, character in enumerate(name) if character == " ")[1]
    return [name[:middle], name[middle + 1:]]


def _apart(names, bottom):
    """Where names stand: at the ends of their lines, but not one over another, nor below the axis."""
    placed = []
    for y, number in sorted(names):
        placed.append((max(y, placed[-1][0] + 32 if placed else y), number))
    excess = max(0, placed[-1][0] - (bottom - 10))
    return [(y - excess, number) for y, number in placed]
