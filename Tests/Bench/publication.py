"""What is written from a report: the tables of share/doc/figures.md, and the plots beside it."""
import pathlib
import re
import sys

import figures
import plots

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEPT = ROOT / "share/doc/figures.json"
# The figures of the summary, in its words.
CHOSEN = [
    ("command.token", "a cached `agent token`, whole process"), ("command.exec", "`agent exec -- /bin/true`"),
    ("calls.8", "cached tokens a second, 8 callers"), ("refresh", "a refresh with rotation"),
    ("sharing.open", "50 callers on an expired token"), ("request.get", "`agent request`, over TLS"),
    ("cold", "nothing running to the first token"), ("accounts.cold", "the same with 900 accounts"),
    ("memory", "the daemon's own memory"), ("idle", "an idle daemon's wake-ups"),
]


def machine_of(report):
    machine = report["machine"]
    return (f"{machine['processor']}, {machine['processors']} CPUs, {machine['system'].partition(',')[0]}, load {machine['load_before']} before, "
            f"{machine['day']}, agent {machine['version']} ({machine['commit'][:9]})")


def table(rows, head):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows]) + "\n"


def summary_block(report):
    """A row for each chosen figure: what `agent` needs, what it was measured beside, and the ratio."""
    known, rows = figures.names_of(report), []
    for name, words in CHOSEN:
        figure = known.get(name)
        if figure is None or "absent" in figure:
            continue
        parts, value = figure["parts"], figures.amount(figure["value"], figure["unit"])
        if figure["unit"] == "times":
            rows.append([words, figures.amount(parts[0]["value"], parts[0]["unit"]), figures.bare_text(parts[1]), value])
        else:
            rows.append([words, value, "; ".join(map(figures.bare_text, parts)), ""])
    return f"{machine_of(report)}; medians.\n\n" + table(rows, ["Work", "`agent`", "Beside", "Ratio"])


def page_block(report):
    """Every figure with a goal, those of one thing in one row, then why goals are missed."""
    text, section, reasons, lines = f"{machine_of(report)}. {figures.summary(report)}.\n\n", None, {}, []
    for figure in report["figures"]:
        if "absent" in figure or not figures.goal(figure):
            continue
        value, wanted = figures.amount(figure["value"], figure["unit"]), figures.goal(figure)
        if figures.missed_by(figure):
            value = f"**{value}**"
            reasons.setdefault(figures.why(figure), []).append(figure["label"])
        if (figure["section"], figure["label"]) == section:
            lines[-1][1] += f", {value}"
            lines[-1][2] += f", {wanted}"
            continue
        head = "" if section and figure["section"] == section[0] else f"{figure['section']}: "
        section = figure["section"], figure["label"]
        beside = "; ".join(map(figures.bare_text, figure["parts"][1:2]))
        lines.append([head + figure["label"], value, wanted, beside])
    text += table(lines, ["Work", "Figure", "Goal", "Beside"])
    known = [f"- {', '.join(dict.fromkeys(labels))}: {reason}.\n" for reason, labels in reasons.items() if reason]
    return text + ("\nMissed goals, in bold above:\n\n" + "".join(known) if known else "")


def written(report):
    """Path to text, for everything that is written from the report."""
    result = {ROOT / "share/doc" / f"figures-{name}": drawing for name, drawing in plots.drawings(report).items()}
    page = ROOT / "share/doc/figures.md"
    text = page.read_text(encoding="utf-8")
    for name, block in (("summary", summary_block), ("figures", page_block)):
        place = re.compile(rf"(<!-- {name}: make figures -->\n).*?(<!-- end -->)", re.DOTALL)
        text, count = place.subn(lambda found: found[1] + block(report) + found[2], text)
        if count != 1:
            sys.exit(f"publish: {page.relative_to(ROOT)} must have one block {name}, not {count}")
    return result | {page: text}
