"""Where a measurement takes place: a home of its own, the installed programs, the servers, and what reads counters of the kernel."""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent
# The least that each one does is said at its top, with the libraries that it takes.
TOOLS = {"bench": [], "load": ["-pthread"], "callers": [], "together": [], "durable_write": [], "token_server": [],
         "echo_client": ["-static"], "refresh_loop": ["-lcurl"], "idle_libraries": ["-lcurl", "-lcrypto"],
         "bulk_tokens": ["-lcrypto"]}
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"


class Failed(Exception):
    """Something could not be measured."""


class Absent(Exception):
    """This machine lacks what a measurement takes; the report says so."""


def run(words, **options):
    """What a program prints; one that fails, or takes ten minutes, is an error."""
    words = [str(word) for word in words]
    try:
        result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **{"timeout": 600} | options)
    except subprocess.TimeoutExpired as late:
        raise Failed(f"{' '.join(words[:6])}: not done after {late.timeout} s")
    if result.returncode:
        raise Failed(f"{' '.join(words[:6])}: status {result.returncode}: {result.stderr.strip()[-400:]}")
    return result.stdout


def middle(values):
    """The median; of two in the middle the mean."""
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def token_request(account, **more):
    return json.dumps({"v": 1, "request": "token", "account": account} | more)


class Home:
    """Directories in which the programs keep all of theirs, and the daemon that serves there."""

    def __init__(self, place, name):
        self.place, self.path = place, place.work / name
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith("AGENT_") and not name.lower().endswith("_proxy")}
        self.environment |= {"LC_ALL": "C", "PATH": "/usr/local/bin:/usr/bin:/bin"}
        # As long as /run/user/1000: a client that makes a long path out of it costs more page faults.
        runtime = tempfile.mkdtemp(prefix="r", dir="/tmp")
        self.environment["XDG_RUNTIME_DIR"] = runtime
        place.closers.append(lambda: shutil.rmtree(runtime, ignore_errors=True))
        for variable, part in (("HOME", "home"), ("XDG_CONFIG_HOME", "config"),
                               ("XDG_STATE_HOME", "state"), ("XDG_CACHE_HOME", "cache")):
            (self.path / part).mkdir(mode=0o700, parents=True)
            self.environment[variable] = str(self.path / part)
        self.socket = pathlib.Path(runtime, "agent/agent.sock")
        place.homes.append(self)

    def settings(self):
        """The variables that differ, as a program under `bench` takes them."""
        return [f"{name}={value}" for name, value in self.environment.items() if name == "HOME" or name.startswith("XDG_")]

    def agent(self, *words, timeout=120, **options):
        return run([self.place.agent, *words], env=self.environment, timeout=timeout, stdin=options.pop("stdin", subprocess.DEVNULL),
                   **options)

    def sign_in(self, account, issuer, *options, approve=None):
        """Signs in by device code; `approve` gets the user code."""
        words = [self.place.agent, "login", account, "--issuer", issuer.url, "--client-id", issuer.client_id, "--device", *issuer.options,
                 *options, "--json"]
        with subprocess.Popen([str(word) for word in words], env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as login:
            events = []
            for line in login.stdout:
                events.append(json.loads(line))
                if events[-1].get("event") == "device_code" and approve:
                    approve(events[-1]["user_code"])
            problem = login.stderr.read()
        if not any(event.get("event") == "signed_in" for event in events):
            raise Failed(f"agent login {account}: {problem.strip() or events}")

    def add_guests(self, issuer, names):
        """Accounts of the client itself, which nobody needs to approve. Returns how long each sign-in took, in microseconds."""
        times = []
        for name in names:
            start = time.monotonic()
            self.agent("workload", name, "--issuer", issuer.url, "--client-id", "agent-confidential", "--client-secret-file",
                       issuer.secret_file, *issuer.options, "--quiet")
            times.append((time.monotonic() - start) * 1e6)
        return times

    def daemon(self):
        return json.loads(self.agent("status", "--json"))["daemon"]

    def private_dirty_kib(self):
        return self.daemon()["memory_private_dirty_kib"]

    def stop_daemon(self):
        """Stops the daemon, and waits until it is gone."""
        process = self.daemon()["pid"]
        self.agent("daemon", "stop")
        deadline = time.monotonic() + 20
        while os.path.exists(f"/proc/{process}") and _state(process) not in "ZX":
            if time.monotonic() > deadline:
                raise Failed("the daemon does not end when it is told to")
            time.sleep(0.005)

    def close(self):
        if self.socket.exists():
            subprocess.run([str(self.place.agent), "daemon", "stop"], env=self.environment, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=30)


def _state(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def process_counts(process):
    """Open descriptors, threads, and milliseconds of processor time so far."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    return {"descriptors": len(os.listdir(f"/proc/{process}/fd")), "threads": int(fields[17]),
            "milliseconds": ticks * 1000 / os.sysconf("SC_CLK_TCK")}


def page_faults(process):
    """How many page faults a process had that took no disk."""
    return int(pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[7])


def waits(process):
    """How often each thread of a process has waited, by its number."""
    return {status.parent.name: int(re.search(r"(?m)^voluntary_ctxt_switches:\s*(\d+)", status.read_text())[1])
            for status in pathlib.Path(f"/proc/{process}/task").glob("*/status")}


class Issuer:
    """The development issuer, in a process of its own."""

    def __init__(self, place, name="devissuer", *options, environment=None):
        self.place, self.secret_file = place, place.work / f"{name}.secret"
        self.process = place.start(name, [place.programs / "devissuer", "--approve", "always", "--interval", "1", "--control",
                                          "--client-secret-file", self.secret_file, *options], env=environment)
        ready = place.ready(self.process, name)
        self.url, self.client_id, self.authority = ready["issuer"], ready["client_id"], None
        self.options = ["--allow-http-loopback"]

    def control(self, **form):
        return fetch(f"{self.url}/control", form)

    def refreshes(self):
        return json.loads(run(["curl", "--disable", "--silent", "--fail", "--noproxy", "*", f"{self.url}/control"]))["refreshes"]


def fetch(url, form=None, authority=None, user=None):
    """A request by curl, which reads JSON."""
    words = ["curl", "--disable", "--silent", "--show-error", "--noproxy", "*", "--max-time", "30"]
    words += ["--cacert", authority] if authority else []
    body = None
    if form is not None:
        words += ["--data", "@-"]
        body = urllib.parse.urlencode(form)
    config = f'user = "{user}"\n' if user else None
    if config:
        with tempfile.NamedTemporaryFile("w", prefix="bench-") as file:
            file.write(config)
            file.flush()
            text = run([*words, "--config", file.name, url], input=body)
    else:
        text = run([*words, url], input=body)
    return json.loads(text) if text.startswith("{") else None


def first_refresh_token(issuer, client, approve=None, secret=None):
    """Signs in without the daemon (RFC 8628, sections 3.1 to 3.5), at most ten polls."""
    metadata = fetch(f"{issuer.url}/.well-known/openid-configuration", authority=issuer.authority)
    user = f"{client}:{secret}" if secret else None
    started = fetch(metadata["device_authorization_endpoint"], {"client_id": client, "scope": "openid offline_access"},
                    issuer.authority, user)
    if approve:
        approve(started["user_code"])
    for _ in range(10):
        answer = fetch(metadata["token_endpoint"], {"grant_type": DEVICE_GRANT, "client_id": client,
                                                    "device_code": started["device_code"]}, issuer.authority, user)
        if answer.get("refresh_token"):
            return metadata["token_endpoint"], answer["refresh_token"]
        time.sleep(started.get("interval", 5))
    raise Failed("the server gave no refresh token")


class Glewlwyd:
    """A real authorization server over TLS (Debian's glewlwyd)."""

    def __init__(self, place):
        missing = [name for name in ("glewlwyd", "rnbyc", "sqlite3") if not shutil.which(name)]
        if missing:
            raise Absent(f"not installed: {', '.join(missing)}")
        self.directory = place.work / "glewlwyd"
        instance = json.loads(run([TESTS / "Servers/Glewlwyd/up", self.directory]))
        place.closers.append(lambda: subprocess.run([str(TESTS / "Servers/Glewlwyd/down"), str(self.directory)], stdout=subprocess.DEVNULL))
        self.url, self.client_id, self.authority = instance["issuer"], instance["client_id"], instance["ca_file"]
        self.confidential, self.secret = instance["confidential_client_id"], instance["confidential_client_secret"]
        self.options = ["--ca-file", self.authority]

    def approve(self, code):
        run([TESTS / "Servers/Glewlwyd/approve", self.directory, code])


class Peer:
    """oidc-agent (Debian's oidc-agent-cli), signed in at the same server. It sends spaces in forms as they are and knows no client
    without a secret, so the server is Glewlwyd and the client its confidential one."""

    ACCOUNT = "peer"

    def __init__(self, place):
        missing = [name for name in ("oidc-agent", "oidc-gen", "oidc-token") if not shutil.which(name)]
        if missing:
            raise Absent(f"not installed: {', '.join(missing)} (Debian's oidc-agent-cli)")
        self.version = run(["oidc-agent", "--version"]).split()[-1]
        self.socket, self.token = place.work / "oidc-agent.sock", shutil.which("oidc-token")
        self.request = json.dumps({"request": "access_token", "account": self.ACCOUNT})
        home = place.home.environment["HOME"]
        os.makedirs(f"{home}/.config/oidc-agent", exist_ok=True)
        self.environment = place.home.environment | {"OIDC_SOCK": str(self.socket), "OIDC_CONFIG_DIR": f"{home}/.config/oidc-agent"}
        server = place.glewlwyd
        _, token = first_refresh_token(server, server.confidential, server.approve, server.secret)
        place.start("oidc-agent", ["oidc-agent", "--console", "--quiet", f"--socket-path={self.socket}"], env=self.environment)
        place.await_socket(self.socket)
        # The secrets are those of a server that lives as long as this run.
        run(["oidc-gen", self.ACCOUNT, "--manual", f"--issuer={server.url}", f"--cert-path={server.authority}",
             f"--client-id={server.confidential}", f"--client-secret={server.secret}", "--redirect-uri=http://localhost:4242",
             "--scope=openid offline_access", "--rt-env", "--pw-env", "--prompt=none", "--confirm-default", "--no-url-call"],
            env=self.environment | {"OIDC_REFRESH_TOKEN": token, "OIDC_ENCRYPTION_PW": str(place.work)}, timeout=60,
            stdin=subprocess.DEVNULL)


class SilentServer:
    """Takes connections and never answers: the kernel completes them, and nobody reads."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def close(self):
        self.listener.close()


class Place:
    """One run: a temporary directory, the programs as they are installed, and every process that was started."""

    def __init__(self, binaries, counts):
        self.counts = counts
        # What counts instructions here.
        self.instructions_by = None
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="agent-bench-"))
        self.children, self.homes, self.closers, self.kept = [], [], [], {}
        self.programs = self.work / "installed/bin"
        self.agent = self.programs / "agent"
        # Measured is an installed copy, stripped as `make install` does it: the kernel maps a file that was written in one go, as a
        # package manager does, with fewer faults than one that a linker or strip put together, and its pages do not count as dirty.
        for program, folder in (("agent", "bin"), ("agentd", "libexec"), ("agent-lease", "libexec"), ("devissuer", "bin")):
            stripped = self.work / f"{program}.stripped"
            run(["sh", TESTS.parent / "share/link/strip", pathlib.Path(binaries) / program, stripped])
            run(["install", "-D", "-m", "755", stripped, self.work / "installed" / folder / program])
            stripped.unlink()
        os.sync()
        self.tools = self.work / "tools"
        self.tools.mkdir()
        for name, flags in TOOLS.items():
            run([os.environ.get("CC", "cc"), "-O2", "-Wall", "-Wextra", "-Werror", "-o", self.tools / name, HERE / f"{name}.c", *flags])
        self.home = Home(self, "main")

    # Processes

    def start(self, name, words, env=None):
        with open(self.work / f"{name}.log", "ab") as log:
            process = subprocess.Popen([str(word) for word in words], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=log)
        self.children.append(process)
        return process

    def ready(self, process, name):
        """The line by which a server says that it is ready."""
        line = process.stdout.readline()
        if not line:
            raise Failed(f"{name} does not start: {(self.work / f'{name}.log').read_text()[-400:]}")
        return json.loads(line)

    def await_socket(self, path):
        deadline = time.monotonic() + 20
        while True:
            with socket.socket(socket.AF_UNIX) as probe:
                try:
                    probe.connect(str(path))
                    return
                except OSError:
                    if time.monotonic() > deadline:
                        raise Failed(f"nobody listens at {path}")
            time.sleep(0.005)

    @staticmethod
    def end(process):
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def close(self):
        """Everything is tried, whatever fails."""
        for closer in [home.close for home in self.homes] + [lambda child=child: self.end(child) for child in self.children] + self.closers:
            try:
                closer()
            except (OSError, subprocess.SubprocessError) as error:
                print(f"bench: {error}")
        # A daemon that could not be asked ends when its directory is gone.
        shutil.rmtree(self.work, ignore_errors=True)

    # Servers, each started when it is first used

    def _once(self, name, make):
        if name not in self.kept:
            try:
                self.kept[name] = make()
            except Absent as absent:
                self.kept[name] = absent
        if isinstance(self.kept[name], Absent):
            raise self.kept[name]
        return self.kept[name]

    @property
    def issuer(self):
        return self._once("issuer", lambda: Issuer(self))

    @property
    def glewlwyd(self):
        return self._once("glewlwyd", lambda: Glewlwyd(self))

    @property
    def peer(self):
        return self._once("peer", lambda: Peer(self))

    @property
    def floor_socket(self):
        def start():
            path = self.work / "floor.sock"
            self.ready(self.start("token_server", [self.tools / "token_server", path]), "token_server")
            return path
        return self._once("floor", start)

    def signed_in(self):
        """The main home, with the account `bench` at the development issuer."""
        self._once("bench", lambda: self.home.sign_in("bench", self.issuer) or True)
        return self.home

    def at_glewlwyd(self):
        """The main home, with the account `glewlwyd` beside it."""
        server = self.glewlwyd
        self.signed_in()
        self._once("account", lambda: self.home.sign_in("glewlwyd", server, approve=server.approve) or True)
        return self.home

    # Measuring

    def processes(self, programs, rounds, batches=None, env=None):
        """Whole processes in turn: {label: {"batches_us", "median_us", "page_faults", "instructions"}}."""
        words = [self.tools / "bench", rounds, batches or self.counts.batches]
        for label, command in programs.items():
            words += [":::", label, *command]
        results = [json.loads(line) for line in run(words, env=env or self.home.environment).splitlines()]
        if results[0]["instructions"] is not None:
            self.instructions_by = "the processor"
        return {result["label"]: result for result in results}

    def load(self, path, callers, calls, way, *requests, may_refuse=False):
        """Calls at a socket, `each` with a connection of its own or all over `open` ones."""
        result = json.loads(run([self.tools / "load", path, callers, calls, way, *requests]))
        if result["refused"] and not may_refuse:
            raise Failed(f"{result['refused']} of {calls} calls at {path} got no token")
        return result

    def instructions(self, command):
        """The instructions of one run outside the kernel, as valgrind counts them; None where it is not installed. The command is
        one of `processes`."""
        if not shutil.which("valgrind"):
            return None
        words, environment, given = [str(word) for word in command], dict(self.home.environment), os.devnull
        while words[0].startswith("<") or "=" in words[0]:
            word = words.pop(0)
            if word.startswith("<"):
                given = word[1:]
            else:
                environment |= [word.split("=", 1)]
        with open(given, "rb") as file:
            result = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *words], env=environment, stdin=file,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        counted = re.search(r"Collected : (\d+)", result.stderr)
        if result.returncode or not counted:
            raise Failed(f"valgrind {' '.join(words)}: {result.stderr[-300:]}")
        self.instructions_by = "valgrind"
        return int(counted[1])

    def system_calls(self, process, work):
        """How many system calls all threads of a process make during some work."""
        if not shutil.which("strace"):
            raise Absent("not installed: strace")
        summary = self.work / "strace"
        tracer = subprocess.Popen(["strace", "-f", "-c", "-o", str(summary), "-p", str(process)], stderr=subprocess.PIPE, text=True)
        try:
            said = tracer.stderr.readline()
            if "attached" not in said:
                raise Absent(f"strace cannot attach: {said.strip()}")
            work()
        finally:
            if tracer.poll() is None:
                tracer.send_signal(signal.SIGINT)
            tracer.wait()
        return int(re.search(r"(?m)^100\.00 .*?(\d+)(?: +\d+)? total$", summary.read_text())[1])
