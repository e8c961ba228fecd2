"""Calls at the socket: how many a second, how long the slowest take, and what a server that hangs does to them."""
import json
import resource
import select
import socket
import subprocess
import time

from place import Absent, Failed, SilentServer, middle, process_counts, run, token_request

CALLERS = [1, 2, 4, 8, 16, 32, 64, 128]


def measure(place, report):
    """A connection for each call, as processes have them."""
    home, counts = place.signed_in(), place.counts
    servers = {"agentd": (home.socket, token_request("bench")), "C server": (place.floor_socket, token_request("bench"))}
    absent = None
    try:
        servers["oidc-agent"] = (place.peer.socket, place.peer.request)
    except Absent as reason:
        absent = str(reason)
    rates = {(name, callers): [] for name in servers for callers in CALLERS}
    for _ in range(counts.batches):
        for callers in CALLERS:
            for name, (path, request) in servers.items():
                rates[name, callers].append(place.load(path, callers, counts.calls, "each", request)["per_second"])
    report.section(f"Cached tokens a second, a connection for each ({counts.batches} times {counts.calls})")
    for callers in CALLERS:
        speeds = [ours / floor for ours, floor in zip(rates["agentd", callers], rates["C server", callers])]
        parts = [dict(label=name, value=middle(rates[name, callers]), unit="/s") for name in servers]
        report.figure(f"calls.{callers}", f"speed, {callers} caller{'s' * (callers > 1)}", speeds, "times", parts, higher_is_better=True)
    if absent:
        report.absent("calls.peer", "oidc-agent", absent)
    report.curve("callers", [dict(callers=callers, **{name: round(middle(rates[name, callers])) for name in servers}) for callers in CALLERS])


def measure_round_trip(place, report):
    """Where the kernel puts the two ends of a connection makes much of the time, so there are many connections."""
    home, request = place.signed_in(), token_request("bench")
    ours, floor = [], []
    for _ in range(4 * place.counts.batches):
        floor.append(place.load(place.floor_socket, 1, 1000, "open", request)["median_us"])
        ours.append(place.load(home.socket, 1, 1000, "open", request)["median_us"])
    report.section(f"A cached token over an open connection ({len(ours)} times 1000)")
    report.ratio("round_trip", "a round trip", dict(label="agentd", batches_us=ours), dict(label="C server", batches_us=floor))


def measure_slowest(place, report):
    """What the slowest of a thousand calls take while other accounts refresh."""
    home, counts = place.signed_in(), place.counts
    others = [f"busy{number}" for number in range(4)]
    for account in others:
        home.sign_in(account, place.issuer)
    force = [token_request(account, force_refresh=True) for account in others]
    request, busy, quiet, floor, meanwhile = token_request("bench"), [], [], [], []
    for _ in range(counts.batches):
        quiet.append(place.load(home.socket, 8, counts.slow_calls, "each", request)["p999_us"])
        floor.append(place.load(place.floor_socket, 8, counts.slow_calls, "each", request)["p999_us"])
        before = place.issuer.refreshes()
        refreshing = subprocess.Popen([str(word) for word in [place.tools / "load", home.socket, len(force), 10_000_000, "open", *force]],
                                      stdout=subprocess.DEVNULL)
        try:
            while place.issuer.refreshes() == before:
                if refreshing.poll() is not None:
                    raise Failed("the other accounts do not refresh")
                time.sleep(0.005)
            before = place.issuer.refreshes()
            busy.append(place.load(home.socket, 8, counts.slow_calls, "each", request)["p999_us"])
            meanwhile.append(place.issuer.refreshes() - before)
        finally:
            place.end(refreshing)
    report.section(f"The slowest of a thousand calls, 8 callers ({counts.batches} times {counts.slow_calls})")
    report.ratio("slowest", "p99.9 while 4 other accounts refresh", dict(label="agentd", batches_us=busy),
                 dict(label="C server", batches_us=floor), note=f"{middle(meanwhile):.0f} refreshes meanwhile",
                 more=[dict(label="while none does", value=middle(quiet), unit="us")])


HANGING = 1000


def _descriptors():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 16384), hard))


class HangingCalls:
    """Calls that are under way until they are closed."""

    def __init__(self, path, count, request):
        self.calls = []
        for _ in range(count):
            call = socket.socket(socket.AF_UNIX)
            call.connect(str(path))
            call.sendall(request.encode() + b"\n")
            self.calls.append(call)

    def answered(self):
        """How many have an answer already, which can only be that they were refused."""
        poller = select.poll()
        for call in self.calls:
            poller.register(call, select.POLLIN)
        return len(poller.poll(0))

    def close(self):
        for call in self.calls:
            call.close()


def measure_hanging(place, report):
    """What another account feels of a thousand calls that wait for a server which never answers."""
    _descriptors()
    home, counts = place.signed_in(), place.counts
    silent = SilentServer()
    try:
        home.sign_in("stuck", place.issuer)
        home.agent("account", "set", "stuck", "--host", silent.url, "--quiet")
        cached, force = token_request("bench"), token_request("bench", force_refresh=True)
        call = json.dumps({"v": 1, "request": "resource", "account": "stuck", "url": silent.url + "/", "inline": True, "timeout": 120})
        results = {}
        for state in ("free", "stuck", "free again"):
            hanging = HangingCalls(home.socket, HANGING, call) if state == "stuck" else None
            tokens, refreshes, lost = [], [], 0
            for _ in range(counts.batches):
                result = place.load(home.socket, 1, 500, "each", cached, may_refuse=True)
                lost += result["refused"]
                tokens.append(result["median_us"])
                result = place.load(home.socket, 1, counts.refreshes, "each", force, may_refuse=True)
                lost += result["refused"]
                refreshes.append(result["median_us"])
            results[state] = tokens, refreshes, lost, hanging and HANGING - hanging.answered()
            if hanging:
                hanging.close()
    finally:
        silent.close()
    report.section(f"Another account while {HANGING} calls hang at a server that never answers")
    hung = results["stuck"][3]
    note = f"{hung} calls hung, {HANGING - hung} were refused at once"
    for index, name, label in ((0, "hanging.token", "a cached token"), (1, "hanging.refresh", "a forced refresh")):
        # The quiet before and after, so that a drift of the machine is no difference.
        quiet = [(before + after) / 2 for before, after in zip(results["free"][index], results["free again"][index])]
        report.ratio(name, label, dict(label="while calls hang", batches_us=results["stuck"][index]),
                     dict(label="while none does", batches_us=quiet), note=note)
    report.figure("hanging.refused", "calls of the other account", [results["stuck"][2]], "refused")


FLOOD, FLOOD_SECONDS = 64, 3


class Flood:
    """Connections that come, ask for what is refused, and go, as fast as they are answered, until it is closed."""

    def __init__(self, place, path):
        self.place = place
        request = json.dumps({"v": 1, "request": "resource", "url": "https://not-lent.example/", "inline": True})
        words = [place.tools / "load", path, FLOOD, 10_000_000, "each", request]
        self.process = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.5)

    def close(self):
        if self.process.poll() is not None:
            raise Failed("the flood has ended")
        self.place.end(self.process)


def measure_flood(place, report):
    """What a flood of connections at a lease costs the daemon and its callers, beside the same flood at a C server."""
    home, counts = place.signed_in(), place.counts
    home.agent("account", "set", "bench", "--host", "https://lent.example", "--quiet")
    words = [place.agent, "serve", "bench", "--json"]
    serving = place.start("serve", words, home.environment)
    path = place.ready(serving, "serve")["socket"]
    daemon, request = home.daemon()["pid"], token_request("bench")
    lease, floor = [], []
    for _ in range(counts.batches):
        for times, far in ((floor, place.floor_socket), (lease, path)):
            flood = Flood(place, far)
            times.append(place.load(home.socket, 1, counts.slow_calls // 10, "each", request)["p99_us"])
            flood.close()
    before, flood = process_counts(daemon), Flood(place, path)
    start, used = time.monotonic(), process_counts(daemon)["milliseconds"]
    most = dict(before)
    while (passed := time.monotonic() - start) < FLOOD_SECONDS:
        now = process_counts(daemon)
        most = {name: max(most[name], now[name]) for name in most}
        time.sleep(0.05)
    used = (process_counts(daemon)["milliseconds"] - used) / passed
    flood.close()
    place.end(serving)
    report.section(f"A flood of {FLOOD} connections at a lease, which end when they are refused")
    report.ratio("flood.token", "p99 of a cached token", dict(label="while a lease is flooded", batches_us=lease),
                 dict(label="while a C server is", batches_us=floor))
    # Those of the lease's connections, which are there from the first request on.
    report.figure("flood.descriptors", "descriptors of agentd, more than before", [most["descriptors"] - before["descriptors"]], "descriptors")
    report.figure("flood.threads", "threads of agentd, more than before", [most["threads"] - before["threads"]], "threads")
    report.figure("flood.processor", "processor time of agentd, a second", [used * 1000], "us")
