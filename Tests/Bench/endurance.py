"""What the daemon needs while it does nothing, and what it keeps after much work."""
import json
import struct
import subprocess
import time

from place import TESTS, Failed, Home, Issuer, run, token_request, waits


def measure_memory(place, report):
    """The floor is taken while no daemon runs: pages that two processes share are nobody's own."""
    floor = json.loads(run([place.tools / "idle_libraries"]))["private_dirty_kib"]
    home, counts = Home(place, "memory"), place.counts
    home.sign_in("bench", place.issuer)
    first = home.private_dirty_kib()
    report.section("Private dirty memory of the daemon")
    report.figure("memory", "after one sign-in", [first / floor], "times", parts=[
        dict(label="agentd", value=first, unit="KiB"),
        dict(label="a C program that initialised libcurl and libcrypto", value=floor, unit="KiB")])
    token, forced = token_request("bench"), token_request("bench", force_refresh=True)
    # The daemon keeps its last 500 events, of which a refresh is at least one.
    for name, label, warm_up, calls, request in (("tokens", "cached tokens", 1000, counts.many_calls, token),
                                                 ("refreshes", "refreshes", 500, counts.many_refreshes, forced)):
        place.load(home.socket, 1, warm_up, "open", request)
        before = home.private_dirty_kib()
        place.load(home.socket, 1, calls, "open", request)
        after = home.private_dirty_kib()
        report.figure(f"memory.{name}", f"growth over {calls:,} {label}", [after - before], "KiB",
                      parts=[dict(label=f"after the first {warm_up}", value=before, unit="KiB"), dict(label="after all", value=after, unit="KiB")])
    home.stop_daemon()


def measure_idle(place, report):
    """After a wait in which what followed the last call ends: threads, and what is done once in the first minute."""
    home, counts = Home(place, "idle"), place.counts
    seconds = counts.idle_seconds
    home.sign_in("bench", place.issuer)
    home.agent("token", "bench")
    process = home.daemon()["pid"]
    time.sleep(counts.settling_seconds)
    before = waits(process)
    time.sleep(seconds)
    after = waits(process)
    # A thread that ended was woken for that.
    count = sum(number - before.get(thread, 0) for thread, number in after.items()) + len(before.keys() - after.keys())
    report.section(f"An idle daemon, for {seconds} s")
    report.figure("idle", "wake-ups of all its threads", [count * 60 / seconds], "a minute")
    home.stop_daemon()


def measure_check(place, report):
    """All tests, which take minutes: only in a long run, and as the last."""
    report.section("make check")
    if not place.counts.is_long:
        report.absent("check", "all of it", "measured with LONG=1 only")
        return
    start = time.monotonic()
    with open(place.work / "check.log", "wb") as log:
        result = subprocess.run(["make", "check"], cwd=TESTS.parent, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    minutes = (time.monotonic() - start) / 60
    if result.returncode:
        raise Failed("make check fails: " + (place.work / "check.log").read_text(errors="replace")[-400:])
    report.figure("check", "all of it, with what it has to build", [minutes], "min")


STEP_MINUTES = 5
DAY_MINUTES = 24 * 60
ACCOUNTS = 10


class SetClock:
    """A daemon and an issuer whose clocks can be set: a library stands between them and the kernel's."""

    def __init__(self, place):
        library, self.offsets = place.work / "offsets.so", place.work / "offsets"
        run(["cc", "-shared", "-fPIC", "-O1", "-o", library, TESTS / "Tools/Clock/offsets.c"])
        self.offsets.write_bytes(bytes(16))
        self.home, self.issuer = Home(place, "day"), Issuer(place, "day-issuer")
        environment = self.home.environment | {"LD_PRELOAD": str(library), "CLOCK_OFFSETS": str(self.offsets)}
        self.process = place.start("day", [place.work / "installed/libexec/agentd", "--foreground"], env=environment)
        place.await_socket(self.home.socket)

    def set(self, seconds):
        """Written in place, since the daemon sees the file as memory."""
        self.issuer.control(clock_offset=seconds)
        with open(self.offsets, "r+b", buffering=0) as file:
            file.write(struct.pack("qq", seconds, seconds))


def measure_day(place, report):
    """A day in minutes: ten accounts are used at every step, renewed as their tokens end, and one signs out and in again each hour."""
    clock = SetClock(place)
    home = clock.home
    accounts = [f"account{number}" for number in range(ACCOUNTS)]
    for account in accounts:
        home.sign_in(account, clock.issuer)
    refreshed, memory = clock.issuer.refreshes(), {}
    for minute in range(STEP_MINUTES, DAY_MINUTES + 1, STEP_MINUTES):
        clock.set(minute * 60)
        for account in accounts:
            home.agent("token", account)
        home.agent("status", "--json")
        home.agent("env", accounts[0])
        home.agent("request", "--account", accounts[1], clock.issuer.url + "/userinfo")
        if minute % 60 == 0:
            home.agent("logout", accounts[2])
            home.sign_in(accounts[2], clock.issuer)
            memory[minute // 60] = home.private_dirty_kib()
    refreshed = clock.issuer.refreshes() - refreshed
    home.agent("daemon", "stop")
    clock.process.wait(20)
    report.section(f"A day of simulated use: {ACCOUNTS} accounts, a call each every {STEP_MINUTES} min")
    report.figure("day.memory", "growth of private dirty memory from the second hour to the last", [memory[24] - memory[2]], "KiB",
                  parts=[dict(label=f"after {hour} h", value=memory[hour], unit="KiB") for hour in (1, 2, 12, 24)])
    report.figure("day.refreshes", "refreshes of an account, with tokens of an hour", [refreshed / ACCOUNTS], "a day")
