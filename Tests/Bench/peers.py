"""oidc-agent, doing the same work at the same server. Calls per second beside it are with those of the socket."""
import json
import time

from place import Absent, run

CALLERS = 50


def measure(place, report):
    counts = place.counts
    report.section("oidc-agent beside it, at Glewlwyd over TLS, whole processes")
    try:
        home, peer = place.at_glewlwyd(), place.peer
    except Absent as absent:
        report.absent("peer", "all of it", str(absent))
        return
    ours = [place.agent, "token", "glewlwyd"]
    theirs = [peer.token, peer.ACCOUNT]
    results = place.processes({"agent": ours, "peer": theirs}, counts.rounds, env=peer.environment)
    results["agent"]["label"], results["peer"]["label"] = "agent token", f"oidc-token {peer.version}"
    report.ratio("peer.token", "a cached token", results["agent"], results["peer"])
    results = place.processes({"agent": [*ours, "--force-refresh"], "peer": [theirs[0], "-f", *theirs[1:]]},
                              max(1, counts.rounds // 25), env=peer.environment)
    results["agent"]["label"], results["peer"]["label"] = "agent token --force-refresh", "oidc-token -f"
    report.ratio("peer.refresh", "a forced refresh with rotation", results["agent"], results["peer"])
    # The server's tokens live for an hour: after eight seconds they are not good for this long any more, while a new one is, for as
    # long as the callers of one turn need on a busy machine.
    validity, mine, other = 3592, [], []
    for _ in range(min(3, counts.batches)):
        time.sleep(9)
        for times, words in ((mine, [*ours, "--min-valid", f"{validity}s"]), (other, [theirs[0], "-t", validity, *theirs[1:]])):
            times.append(json.loads(run([place.tools / "together", CALLERS, *words], env=peer.environment))["us"])
    report.ratio("peer.sharing", f"{CALLERS} processes whose token is too old", dict(label="agent token", batches_us=mine),
                 dict(label="oidc-token", batches_us=other))
