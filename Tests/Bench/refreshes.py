"""What a refresh costs, alone and shared, and a request to a resource."""
import json
import pathlib
import sys
import time

from place import Absent, Failed, first_refresh_token, middle, page_faults, run, token_request

CALLERS = 50
MANY = 500
# A token server that is not on this machine.
FAR_MS = 50


def measure(place, report):
    home, counts = place.signed_in(), place.counts
    report.section(f"A forced refresh with rotation ({counts.batches} times {counts.refreshes})")
    ours, server = _alone(place, "bench", place.issuer)
    write = [json.loads(run([place.tools / "durable_write", home.environment["XDG_STATE_HOME"], 101]))["median_us"]
             for _ in range(counts.batches)]
    least = [one + other for one, other in zip(server["batches_us"], write)]
    process, forced = home.daemon()["pid"], token_request("bench", force_refresh=True)
    work = lambda: place.load(home.socket, 1, counts.refreshes, "open", forced)
    before = page_faults(process)
    work()
    ours["page_faults"] = (page_faults(process) - before) / counts.refreshes
    try:
        calls = [place.system_calls(process, work) / counts.refreshes for _ in range(counts.batches)]
    except Absent as absent:
        calls = None
        report.absent("refresh.system_calls", "system calls of the daemon for a refresh", str(absent))
    report.ratio("refresh", "server on this machine, plain HTTP", ours, dict(label="the server and a durable write", batches_us=least), more=[
        dict(label="the server alone", value=middle(server["batches_us"]), unit="us"),
        dict(label="a durable write", value=middle(write), unit="us")])
    if calls is not None:
        report.figure("refresh.system_calls", "system calls of the daemon for a refresh", calls, "calls")
    try:
        place.at_glewlwyd()
    except Absent as absent:
        report.absent("refresh.tls", "Glewlwyd over TLS", str(absent))
        return
    ours, server = _alone(place, "glewlwyd", place.glewlwyd, place.glewlwyd.approve)
    report.ratio("refresh.tls", "Glewlwyd over TLS", ours, server)


def _alone(place, account, issuer, approve=None):
    """The daemon and the server alone take turns, so that a busy moment of the machine meets both."""
    forced, ours, floor = token_request(account, force_refresh=True), [], []
    for _ in range(place.counts.batches):
        ours.append(place.load(place.home.socket, 1, place.counts.refreshes, "open", forced)["median_us"])
        endpoint, token = first_refresh_token(issuer, issuer.client_id, approve)
        words = [place.tools / "refresh_loop", endpoint, issuer.client_id, place.counts.refreshes]
        floor.append(json.loads(run(words + ([issuer.authority] if issuer.authority else []), input=token + "\n"))["median_us"])
    return dict(label="agentd", batches_us=ours), dict(label="the server alone", batches_us=floor)


# MARK: many callers, one refresh

def measure_sharing(place, report):
    home, counts, issuer = place.signed_in(), place.counts, place.issuer
    token, forced = token_request("bench"), token_request("bench", force_refresh=True)

    def callers(count, request):
        result = json.loads(run([place.tools / "callers", home.socket, count, request]))
        if result["tokens"] != 1 or result["refused"]:
            raise Failed(f"{count} callers got {result['tokens']} different tokens, {result['refused']} none")
        return result["us"]

    def together(count, *words):
        return json.loads(run([place.tools / "together", count, *words], env=home.environment))["us"]

    def sharing(work, lifetime):
        time.sleep(lifetime + 0.05)
        before = issuer.refreshes()
        took = work()
        if issuer.refreshes() - before != 1:
            raise Failed(f"callers on an expired token caused {issuer.refreshes() - before} refreshes")
        return took

    def against(name, label, count, shared, single):
        # As long as all callers need on a busy machine, since a new token that ends among them is renewed rightly.
        ours, floor, lifetime = [], [], 1 if count < MANY else 4
        issuer.control(access_token_lifetime=lifetime)
        for _ in range(counts.batches):
            floor.append(single())
            ours.append(sharing(shared, lifetime))
        report.ratio(name, label, dict(label=f"all {count}", batches_us=ours), dict(label="one refresh", batches_us=floor))

    report.section(f"Callers on an expired token, one refresh ({counts.batches} times)")
    by_process = [place.agent, "token", "bench"]
    try:
        against("sharing.open", f"{CALLERS} open connections", CALLERS, lambda: callers(CALLERS, token), lambda: callers(1, forced))
        single = lambda: together(1, *by_process, "--force-refresh")
        for count in (CALLERS, MANY):
            against(f"sharing.processes.{count}", f"{count} processes", count, lambda: together(count, *by_process), single)
        issuer.control(delay_token_ms=FAR_MS)
        against("sharing.far", f"{CALLERS} processes, server {FAR_MS} ms away", CALLERS, lambda: together(CALLERS, *by_process), single)
    finally:
        issuer.control(delay_token_ms=0, access_token_lifetime=3600)
    for count in (CALLERS, MANY):
        times = [together(count, place.tools / "echo_client", place.floor_socket, token) for _ in range(counts.batches)]
        report.figure(f"sharing.floor.{count}", f"for comparison: {count} static C clients and C server, no refresh", times, "us")
    home.agent("token", "bench", "--force-refresh")


# MARK: requests to a resource

def measure_requests(place, report):
    """At a resource over TLS that does nothing, with connections that stay open."""
    home, counts, work = place.signed_in(), place.counts, place.work
    run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", work / "resource.key",
         "-out", work / "resource.pem", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"])
    server = place.start("resource", [sys.executable, pathlib.Path(__file__).with_name("resource"), work / "resource.pem", work / "resource.key"])
    url = place.ready(server, "resource")["url"]
    body = work / "body.json"
    body.write_text(json.dumps({"text": "x" * 1000}))
    for account, options in (("plain", []), ("proof", ["--dpop"])):
        home.agent("account", "add", account, "--issuer", place.issuer.url, "--client-id", place.issuer.client_id, "--ca-file",
                   work / "resource.pem", "--host", url, *place.issuer.options, *options)
        home.sign_in(account, place.issuer)
    header = work / "header"
    header.touch(mode=0o600)
    header.write_text("Authorization: Bearer " + home.agent("token", "plain"))
    get = lambda account: [place.agent, "request", "--account", account, url + "/x"]
    post = lambda account: [*get(account), "--data", f"@{body}"]
    results = place.processes({
        "GET": get("plain"), "POST": post("plain"), "GET, DPoP": get("proof"), "POST, DPoP": post("proof"),
        "curl": ["/usr/bin/curl", "--disable", "--silent", "--fail", "--cacert", work / "resource.pem", "-H", f"@{header}", url + "/x"],
    }, max(1, counts.rounds // 5))
    report.section(f"A request to a resource over TLS, whole process ({max(1, counts.rounds // 5) * counts.batches} times)")
    results["curl"]["label"] = "curl with the token, a new connection"
    report.ratio("request.get", "GET", results["GET"], results["curl"])
    report.ratio("request.post", "POST against GET", results["POST"], results["GET"])
    report.ratio("request.dpop.get", "GET with DPoP against without", results["GET, DPoP"], results["GET"])
    report.ratio("request.dpop.post", "POST with DPoP against GET with it", results["POST, DPoP"], results["GET, DPoP"])
