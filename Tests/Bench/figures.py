"""What was measured, how it stands to its goal and to the last report, and the text that says so."""
import json
import math

import goals
from place import middle

# What differs by less than this part is called the same: two runs of one program differ so, with the pages and the places in
# the caches that a process happens to get.
LEAST_CHANGE = 0.03


class Report:
    """The figures of one run. A figure has the values of several batches: the middle one is the figure, the lowest and the
    highest say how far it is to be trusted."""

    def __init__(self, machine):
        self.content = {"version": 1, "machine": machine, "figures": [], "curves": {}}
        self.title = None

    def section(self, title):
        self.title = title

    def figure(self, name, label, values, unit, parts=(), higher_is_better=False, note=None):
        """Values are those of the batches. Parts are what the figure was made of: {"label", "value", "unit"} and counters. Its goal
        stands under its name in goals.py."""
        ordered = sorted(values)
        figure = {"name": name, "section": self.title, "label": label, "value": _rounded(middle(values)),
                  "low": _rounded(ordered[0]), "high": _rounded(ordered[-1]), "unit": unit}
        for key, table in (("at_most", goals.AT_MOST), ("at_least", goals.AT_LEAST)):
            if name in table:
                figure[key] = table[name]
        if higher_is_better:
            figure["higher_is_better"] = True
        if note:
            figure["note"] = note
        figure["parts"] = [{key: _rounded(value) if isinstance(value, float) else value for key, value in part.items()
                            if value is not None} for part in parts]
        self.content["figures"].append(figure)

    def ratio(self, name, label, ours, floor, note=None, more=()):
        """How many times the floor. `ours` and `floor` are parts with their batches: {"label", "batches_us", …}."""
        values = [mine / other for mine, other in zip(ours["batches_us"], floor["batches_us"])]
        self.figure(name, label, values, "times", [part(ours), part(floor), *more], note=note)

    def absent(self, name, label, why):
        self.content["figures"].append({"name": name, "section": self.title, "label": label, "absent": why})

    def without_figure(self):
        """The goals that no figure of this run has, by name."""
        return sorted({*goals.AT_MOST, *goals.AT_LEAST, *goals.WHY} - names_of(self.content).keys())

    def curve(self, name, points):
        self.content["curves"][name] = points


def part(measured):
    """A part of a figure from what a measuring program printed."""
    return {"label": measured["label"], "value": middle(measured["batches_us"]), "unit": "us",
            "page_faults": measured.get("page_faults"), "instructions": measured.get("instructions"),
            "system_calls": measured.get("system_calls")}


def _rounded(value):
    """Four digits: the fifth is never the same twice."""
    if not isinstance(value, float) or value == 0:
        return value
    return round(value, 3 - math.floor(math.log10(abs(value))))


# MARK: words

def amount(value, unit):
    """A value with its unit, as people write it."""
    if unit == "us":
        if value >= 1e6:
            return f"{value / 1e6:.2f} s"
        if value >= 1e4:
            return f"{value / 1000:.0f} ms"
        return f"{value / 1000:.2f} ms" if value >= 100 else f"{value:.3g} µs"
    if unit == "KiB":
        return f"{value / 1024:.1f} MiB" if value >= 1024 else f"{value:.0f} KiB"
    if unit == "times":
        return f"{value:.2f} ×"
    if unit == "instructions":
        return f"{value / 1e6:.2f} M instructions"
    text = f"{value:,.0f}" if abs(value) >= 100 or float(value).is_integer() else f"{value:.2g}"
    return text + ("" if unit.startswith("/") else " ") + unit


def goal(figure):
    if "at_most" in figure:
        return f"≤ {amount(figure['at_most'], figure['unit'])}"
    return f"≥ {amount(figure['at_least'], figure['unit'])}" if "at_least" in figure else ""


def missed_by(figure):
    """How far a figure is from its goal; 0 where it was met or there is none."""
    if "at_most" in figure:
        return max(0, figure["value"] - figure["at_most"])
    return max(0, figure["at_least"] - figure["value"]) if "at_least" in figure else 0


def verdict(figure):
    if not goal(figure):
        return ""
    missed = missed_by(figure)
    return f"goal {goal(figure)}" + (f", missed by {amount(missed, figure['unit'])}" if missed else "")


def why(figure):
    """Why a goal is missed, where that is known."""
    return goals.WHY.get(figure["name"]) if missed_by(figure) else None


def change(figure, before):
    """How a figure stands to the same one of an earlier report: better or worse only if no value of the one is among those of the
    other."""
    if before is None or "absent" in before or before["unit"] != figure["unit"]:
        return "new"
    was = f"was {amount(before['value'], before['unit'])}"
    difference = figure["value"] - before["value"]
    is_apart = figure["low"] > before["high"] or figure["high"] < before["low"]
    if not is_apart or abs(difference) < LEAST_CHANGE * abs(before["value"]):
        return f"same, {was}"
    return ("better" if (difference > 0) == figure.get("higher_is_better", False) else "worse") + f", {was}"


def bare_text(part):
    return f"{part['label']} {amount(part['value'], part['unit'])}"


def part_text(part):
    """A part with what was counted beside its time."""
    counters = []
    if "page_faults" in part:
        counters.append(f"{part['page_faults']:.0f} page faults")
    if "instructions" in part:
        counters.append(amount(part["instructions"], "instructions"))
    if "system_calls" in part:
        counters.append(f"{part['system_calls']:.0f} system calls")
    return bare_text(part) + (f" ({', '.join(counters)})" if counters else "")


def names_of(report):
    return {figure["name"]: figure for figure in report["figures"]}


def summary(report):
    measured = [figure for figure in report["figures"] if "absent" not in figure]
    with_goal = [figure for figure in measured if goal(figure)]
    missed = sum(missed_by(figure) > 0 for figure in with_goal)
    return (f"{len(measured)} figures, {len(report['figures']) - len(measured)} absent; "
            f"{len(with_goal) - missed} goals met, {missed} missed")


def text(report, before=None):
    """The report for people: for each figure the value first, then its goal, then what became of it since the last report."""
    machine, earlier = report["machine"], names_of(before) if before else {}
    lines = [f"agent {machine['version']} ({machine['commit']}) on {machine['system']}, {machine['processor']}, "
             f"{machine['processors']} CPUs; load {machine['load_before']} before, {machine['load_after']} after; "
             f"{machine['minutes']} min"]
    if before:
        lines.append(f"compared with agent {before['machine']['version']} ({before['machine']['commit']}), measured {before['machine']['day']}")
        if before["machine"]["processor"] != machine["processor"]:
            lines.append("that was another machine: only ratios and counts can be compared")
    lines += [f"page faults: the kernel's count; instructions outside the kernel: {machine['instructions_by'] or 'absent'}",
              "× is the middle of the batches' ratios; better and worse: no batch of the one run is among those of the other"]
    title, said = None, set()
    for figure in report["figures"]:
        if figure["section"] != title:
            title, said = figure["section"], set()
            lines += ["", title]
        if "absent" in figure:
            lines.append(f"  {'absent':>12}  {figure['label']}: {figure['absent']}")
            continue
        words = [figure["label"], verdict(figure)] + ([change(figure, earlier.get(figure["name"]))] if before else [])
        lines.append(f"  {amount(figure['value'], figure['unit']):>12}  " + "; ".join(word for word in words if word))
        # What several figures stand beside is said with the first.
        pieces = [piece for piece in [*map(part_text, figure["parts"]), figure.get("note")] if piece and piece not in said]
        reason = why(figure) if why(figure) not in said else None
        said.update(pieces, [reason])
        lines += [" " * 16 + line for line in ("; ".join(pieces), reason) if line]
    return "\n".join(lines + ["", summary(report), ""])


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)
