"""What many accounts cost those who use one of them."""
import json

from commands import cold_start
from place import Home, middle, run, token_request

# How many accounts there are, of which one is used.
STEPS = [1, 100, 300, 900]


def measure(place, report):
    """Two daemons take turns, the other with one account, so that the machine has one speed for both."""
    counts, issuer = place.counts, place.issuer
    alone, crowd = Home(place, "alone"), Home(place, "crowd")
    for home in (alone, crowd):
        home.sign_in("bench", issuer)
    forced, points, added = token_request("bench", force_refresh=True), [], []
    for step in STEPS:
        sign_ins = crowd.add_guests(issuer, [f"guest{number}" for number in range(len(added) + 1, step)])
        added += sign_ins
        commands = place.processes({
            "crowd": [*crowd.settings(), place.agent, "token", "bench"], "alone": [*alone.settings(), place.agent, "token", "bench"],
        }, max(1, counts.rounds // 5))
        refreshes = {home: [] for home in (alone, crowd)}
        for _ in range(counts.batches):
            for home, times in refreshes.items():
                times.append(place.load(home.socket, 1, counts.refreshes, "open", forced)["median_us"])
        memory = crowd.private_dirty_kib()
        cold = [cold_start(place, crowd) for _ in range(counts.cold_starts)]
        points.append({"accounts": step, "refresh_us": middle(refreshes[crowd]), "token_us": commands["crowd"]["median_us"],
                       "cold_start_us": middle(cold), "private_dirty_kib": memory})
        if sign_ins:
            points[-1]["sign_in_us"] = middle(sign_ins[-50:])
    report.section(f"A daemon with {STEPS[-1]} accounts")
    commands["crowd"]["label"], commands["alone"]["label"] = f"with {STEPS[-1]} accounts", "with one"
    report.ratio("accounts.refresh", "a forced refresh", dict(label=f"with {STEPS[-1]} accounts", batches_us=refreshes[crowd]),
                 dict(label="with one", batches_us=refreshes[alone]))
    report.ratio("accounts.token", "agent token", commands["crowd"], commands["alone"])
    report.figure("accounts.cold", "nothing running to the first token", cold, "us")
    report.figure("accounts.sign_in", "a sign-in without a person, of the last 50", [middle(sign_ins[-50:])], "us")
    others = place.processes({"list": [place.agent, "list", "--json"], "status": [place.agent, "status", "bench", "--json"]},
                             max(1, counts.rounds // 10), env=crowd.environment)
    report.figure("accounts.list", "agent list --json", others["list"]["batches_us"], "us")
    report.figure("accounts.status", "agent status NAME --json", others["status"]["batches_us"], "us")
    report.figure("accounts.memory", "private dirty memory of the daemon", [points[-1]["private_dirty_kib"]], "KiB",
                  parts=[dict(label="with one account", value=points[0]["private_dirty_kib"], unit="KiB")])
    report.curve("accounts", points)
    crowd.stop_daemon()
    alone.stop_daemon()
