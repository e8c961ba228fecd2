"""Many tokens verified by one process. The C program verifies them with the same calls of libcrypto, and parses nothing."""
import os
import shutil

from place import Home, run

BYTES = 800
ALGORITHMS = ["RS256", "ES256", "EdDSA"]


def measure(place, report):
    counts = place.counts
    tokens = place.work / "tokens"
    tokens.mkdir()
    for algorithm in ALGORITHMS:
        run([place.tools / "bulk_tokens", "make", algorithm, counts.tokens, BYTES, tokens])
    report.section(f"{counts.tokens:,} tokens of {BYTES} bytes verified, whole process ({counts.batches} times)")
    one, all_processors = Home(place, "one-processor"), place.signed_in()
    if shutil.which("taskset"):
        # The daemon inherits where it may run from the command that starts it.
        run(["taskset", "-c", "0", place.agent, "daemon", "start"], env=one.environment)
        _measure(place, report, tokens, "one", "on one processor", one, ["/usr/bin/taskset", "-c", "0"])
        one.stop_daemon()
    else:
        for algorithm in ALGORITHMS:
            report.absent(f"verify.one.{algorithm}", f"speed, {algorithm}, on one processor", "not installed: taskset")
    _measure(place, report, tokens, "all", f"on {os.cpu_count()} processors, C on one", all_processors, [])


def _measure(place, report, tokens, name, where, home, prefix):
    for algorithm in ALGORITHMS:
        results = place.processes({
            "floor": [*prefix, place.tools / "bulk_tokens", "check", algorithm, tokens],
            "agent": [*prefix, place.agent, "verify", tokens / f"{algorithm}.tokens", "--jwks", tokens / f"{algorithm}.jwks"],
        }, 1, env=home.environment)
        results["floor"]["label"], results["agent"]["label"] = "C program with libcrypto", "agent verify"
        # The speed, so the ratio of times is the other way round.
        values = [floor / ours for floor, ours in zip(results["floor"]["batches_us"], results["agent"]["batches_us"])]
        parts = [dict(label=result["label"], value=result["median_us"], unit="us") for result in (results["agent"], results["floor"])]
        report.figure(f"verify.{name}.{algorithm}", f"speed, {algorithm}, {where}", values, "times", parts=parts,
                      higher_is_better=True)
