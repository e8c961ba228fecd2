"""What one command costs: the whole process, from its start until it was waited for."""
import json
import subprocess
import time

from place import first_refresh_token, run, token_request

GIT = "protocol=https\nhost=git.bench.example\n\n"
KUBERNETES = ('{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"cluster":'
              '{"server":"https://kubernetes.bench.example"},"interactive":false}}')
# Protocol: its words and what it reads.
HELPERS = {
    "git": (["git", "get"], GIT), "docker": (["docker", "get"], "https://registry.bench.example"),
    "kubectl": (["kubectl"], ""), "header": (["header", "--url", "https://api.bench.example/me"], ""),
    "curl": (["curl", "--url", "https://api.bench.example/me"], ""),
    "netrc": (["netrc", "--url", "https://api.bench.example/me"], ""),
    "xoauth2": (["xoauth2", "--url", "imaps://imap.bench.example", "--user", "me@example.com"], ""),
}
PLACES = ["https://git.bench.example", "https://registry.bench.example", "https://kubernetes.bench.example", "https://api.bench.example",
          "imaps://imap.bench.example"]
FLOOR = "static C client and C server"


def _count_instructions(place, programs, results):
    """By valgrind, where the processor does not count them. A program that becomes another one is not followed."""
    for label, result in results.items():
        if result["instructions"] is None and not label.startswith("exec"):
            result["instructions"] = place.instructions(programs[label])


def measure(place, report):
    """Cached tokens."""
    home, agent, counts = place.signed_in(), place.agent, place.counts
    request, floor = token_request("bench"), place.tools / "echo_client"
    inputs = {}
    for place_name in PLACES:
        home.agent("account", "set", "bench", "--host", place_name, "--quiet")
    for protocol, (_, text) in HELPERS.items():
        inputs[protocol] = place.work / f"{protocol}.input"
        inputs[protocol].write_text(text)
    programs = {
        "floor": [floor, place.floor_socket, request],
        "token": [agent, "token", "bench"], "env": [agent, "env", "bench"], "json": [agent, "token", "bench", "--json"],
        "mixed": [floor, home.socket, request], "true": ["/bin/true"],
        "exec": [agent, "exec", "bench", "--", "/bin/true"],
        "exec floor": [floor, place.floor_socket, request, "/bin/true"],
    }
    for protocol, (words, _) in HELPERS.items():
        more = ["KUBERNETES_EXEC_INFO=" + KUBERNETES] if protocol == "kubectl" else []
        programs[protocol] = [*more, f"<{inputs[protocol]}", agent, "helper", *words]
    results = place.processes(programs, counts.rounds)
    results["floor"]["label"], results["exec floor"]["label"] = FLOOR, "static C client that becomes /bin/true"
    _count_instructions(place, programs, results)
    floor = results["floor"]

    report.section(f"A cached token, whole process ({counts.rounds * counts.batches} times)")
    for name, label in (("token", "agent token"), ("env", "agent env"), ("json", "agent token --json")):
        ours = results[name]
        ours["label"] = label
        more = [dict(label="the C client with agentd", value=results["mixed"]["median_us"], unit="us"),
                dict(label="/bin/true", value=results["true"]["median_us"], unit="us")] if name == "token" else []
        report.ratio(f"command.{name}", label, ours, floor, more=more)
        report.figure(f"command.{name}.faults", label, [ours["page_faults"]], "faults")
    results["exec"]["label"] = "agent exec -- /bin/true"
    report.ratio("command.exec", "agent exec", results["exec"], results["exec floor"])
    for protocol in HELPERS:
        results[protocol]["label"] = f"agent helper {protocol}"
        report.ratio(f"command.helper.{protocol}", f"agent helper {protocol}", results[protocol], floor)
        report.figure(f"command.helper.{protocol}.faults", f"agent helper {protocol}", [results[protocol]["page_faults"]], "faults")


HOOK = """
eval "$("$1" env --hook bash bench)"
__agent_env_hook
for ((batch = 0; batch < $2; batch++)); do
  start=${EPOCHREALTIME/./}
  for ((i = 0; i < $3; i++)); do __agent_env_hook; done
  echo $((${EPOCHREALTIME/./} - start))
done
"""
FIRST_PROMPT = """
eval "$("$1" env --hook bash bench)"
start=${EPOCHREALTIME/./}
__agent_env_hook
echo $((${EPOCHREALTIME/./} - start))
"""


def measure_prompt(place, report):
    home, counts = place.signed_in(), place.counts
    shell = lambda script, *words: run(["bash", "--norc", "-c", script, "bash", place.agent, *words], env=home.environment,
                                       stdin=subprocess.DEVNULL).split()
    report.section("The prompt hook of bash")
    times = [int(time) / counts.prompts for time in shell(HOOK, counts.batches, counts.prompts)]
    report.figure("prompt", "a prompt", times, "us")
    place.issuer.control(access_token_lifetime=1)
    try:
        home.agent("token", "bench", "--force-refresh")
        time.sleep(1.05)
        place.issuer.control(hang="token")
        # A question goes on without its shell, and its refresh is not begun twice.
        times = [int(shell(FIRST_PROMPT)[0]) for _ in range(3)]
        report.figure("prompt.hanging", "a prompt, token expired, at a server that hangs", times, "us")
    finally:
        place.issuer.control(hang="off", access_token_lifetime=3600)
    home.agent("token", "bench", "--min-valid", "60s")


def measure_cold_start(place, report):
    home, times = place.signed_in(), []
    endpoint, token = first_refresh_token(place.issuer, place.issuer.client_id)
    server = _server_alone(place, endpoint, token)
    for _ in range(place.counts.cold_starts):
        times.append(cold_start(place, home))
    report.section(f"Nothing running to the first token, at a server of this machine ({place.counts.cold_starts} times)")
    report.figure("cold", "agent token", times, "us",
                  parts=[dict(label="a refresh, the server alone", value=server, unit="us")])


def cold_start(place, home):
    """Microseconds from no daemon to a token."""
    home.stop_daemon()
    start = time.monotonic()
    home.agent("token", "bench")
    return (time.monotonic() - start) * 1e6


def _server_alone(place, endpoint, token):
    return json.loads(run([place.tools / "refresh_loop", endpoint, place.issuer.client_id, 20], input=token + "\n"))["median_us"]
