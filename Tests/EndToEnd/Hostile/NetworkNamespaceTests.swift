import Encoding
import Platform
import TestSupport
import Testing

private enum NetworkNamespace {
  static let isPossible: Bool = {
    let result = try? ProcessRunner.run(
      executable: "/usr/bin/unshare", arguments: ["-rn", "/bin/sh", "-c", "ip link set lo up"],
      environment: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"])
    return result?.succeeded ?? false
  }()
}

/// A network whose only interface goes down and comes up.
@Suite(
  .needsProgramsForLong, .enabled(if: NetworkNamespace.isPossible, "no network namespace may be made here"))
struct `A network that goes and comes` {
  /// Starts an issuer whose tokens are valid for `$lifetime` seconds, and signs in.
  private static let beginning = """
    set -e
    ip link set lo up
    devissuer --port 0 --control --approve always --interval 1 --access-token-lifetime $lifetime > issuer &
    issuer=$!
    trap 'agent daemon stop; kill $issuer; wait $issuer' EXIT
    while ! test -s issuer; do sleep 0.02; done
    url=$(sed 's/.*"issuer":"\\([^"]*\\)".*/\\1/' issuer)
    agent account add work --issuer "$url" --client-id agent-cli --allow-http-loopback --refresh offline --quiet
    agent login work --device --quiet

    """

  /// Disconnects the network, requests a new token, and reconnects it.
  private static let script = """
    agent token work > first
    ip link set lo down
    agent token work --force-refresh > none && exit 1
    ss -Htan state fin-wait-1 > leftover
    agent status work --json > offline
    agent token work > second
    ip link set lo up
    # The queue alone would take ten seconds.
    for round in $(seq 1 350); do
      agent daemon log --json | grep -q '"event":"network_changed"' && break
      sleep 0.02
    done
    agent daemon log --json > log
    for round in $(seq 1 350); do
      agent status work --json | grep -q '"state":"active"' && break
      sleep 0.02
    done
    agent token work > third
    agent status work --json > online
    """

  /// Lets the token of a file be renewed while the network is disconnected, then reconnects it.
  private static let fileScript = """
    agent account set work --refresh on-demand
    agent exec work --token-file -- sh -c 'echo "$AGENT_TOKEN_FILE" > path; exec sleep 1000' &
    command=$!
    trap 'kill $command || :; wait $command || :; agent daemon stop; kill $issuer; wait $issuer' EXIT
    while ! test -s path; do sleep 0.02; done
    file=$(cat path)
    cat "$file" > first
    ip link set lo down
    for round in $(seq 1 1500); do
      agent status work --json > offline
      grep -q '"state":"offline"' offline && break
      sleep 0.05
    done
    cat "$file" > second
    ip link set lo up
    # By itself it would be tried again in half a minute, or when the token ends.
    for round in $(seq 1 350); do
      cmp -s "$file" first || break
      sleep 0.02
    done
    cat "$file" > third
    agent daemon log --json > log
    """

  private static func run(_ script: String, lifetime: Int, _ tree: AgentTree) throws {
    let result = try ProcessRunner.run(
      executable: "/usr/bin/unshare",
      arguments: ["-rn", "/bin/sh", "-c", "lifetime=\(lifetime)\n" + beginning + script],
      environment: tree.environment([
        "PATH": "\(try #require(Programs.folder)):/usr/sbin:/usr/bin:/sbin:/bin", "SHELL": nil,
      ]), directory: tree.path("home"))
    try #require(result.succeeded, "\(result.errorText)")
  }

  @Test func `has the refresh that failed made as soon as it is back`() throws {
    try AgentTree.with { tree in
      try Self.run(Self.script, lifetime: 3600, tree)
      func text(_ name: String) throws -> String { try tree.directory.readText("home/" + name) }
      let offline = try JSON(parsing: Array(text("offline").utf8))["accounts"]?.array?.first
      #expect(offline?["state"] == "offline" && offline?["refresh_queued"] == true)
      #expect(try text("second") == text("first"))
      #expect(try text("none").isEmpty)
      // Otherwise the kernel would send the refresh token again, later than the next attempt.
      #expect(try text("leftover").isEmpty, "a request that was given up is still being sent")
      let log = try text("log")
      #expect(log.contains(#""event":"network_changed""#))
      let online = try JSON(parsing: Array(text("online").utf8))["accounts"]?.array?.first
      #expect(online?["state"] == "active")
      #expect(try text("third") != text("first"))
    }
  }

  @Test func `has the token of a file renewed as soon as it is back`() throws {
    try AgentTree.with { tree in
      try Self.run(Self.fileScript, lifetime: 40, tree)
      func text(_ name: String) throws -> String { try tree.directory.readText("home/" + name) }
      #expect(try text("offline").contains(#""state":"offline""#))
      #expect(try text("second") == text("first"))
      #expect(try text("log").contains(#""event":"network_changed""#))
      let third = try text("third")
      let first = try text("first")
      #expect(!third.isEmpty && third != first)
    }
  }
}
