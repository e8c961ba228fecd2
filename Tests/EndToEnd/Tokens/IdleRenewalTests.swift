import Encoding
import Platform
import TestSupport
import Testing

/// `agent daemon refresh`, the command of the user timer.
@Suite(.needsPrograms, .enabled(if: SetClock.compiler != nil, "there is no C compiler"), .serialized)
struct `A session that nobody uses and no daemon renews` {
  private static let lifetime = 4000

  @Test func `is renewed by the timer's command when that is due, and nothing else is`() throws {
    try SetClock.with("--refresh-token-expires-in", "\(Self.lifetime)") { tree, issuer, clock in
      for name in ["fresh", "on-demand", "out"] { try tree.signIn(name, at: issuer.url) }
      for name in ["work", "fresh", "out"] {
        #expect(try tree.agent("account", "set", name, "--refresh", "background").succeeded)
      }
      // Last used with at least three quarters of the lifetime left.
      let past = -Self.lifetime * 4 / 5
      try clock.set(wall: past)
      try issuer.control("clock_offset", "\(past)")
      for name in ["work", "on-demand"] { _ = try tree.token(name, "--force-refresh") }
      #expect(try tree.agent("logout", "out", "--local").succeeded)
      let status = try tree.json("status", "work")["accounts"]?.array?[0]
      #expect(status?["next_renewal"]?.int != nil, "\(status ?? .null)")
      #expect(try tree.agent("daemon", "stop").succeeded)
      // A running daemon would renew the session itself.
      try clock.set()

      let before = try issuer.count("refreshes")
      let result = try tree.agent("daemon", "refresh", "--no-input")
      #expect(result.succeeded && result.errorText == "agent: renewed work\n", "\(result.errorText)")
      #expect(try issuer.count("refreshes") == before + 1)
      #expect(try tree.agent("daemon", "status").failed(4))
      let again = try tree.agent("daemon", "refresh", "--no-input")
      #expect(again.succeeded && again.outputText.isEmpty && again.errorText.isEmpty, "\(again.errorText)")
      #expect(try tree.json("daemon", "refresh") == ["renewed": []])
      #expect(try issuer.count("refreshes") == before + 1)
    }
  }

  @Test func `is left to a daemon that runs, and ends with its status if its issuer ended it`() throws {
    try SetClock.with("--refresh-token-expires-in", "\(Self.lifetime)") { tree, issuer, clock in
      try clock.set(wall: -Self.lifetime)
      try issuer.control("clock_offset", "\(-Self.lifetime)")
      _ = try tree.token("work", "--force-refresh")
      #expect(try tree.agent("account", "set", "work", "--refresh", "background").succeeded)
      let before = try issuer.count("refreshes")
      let running = try tree.agent("daemon", "refresh")
      #expect(running.succeeded && running.errorText.isEmpty, "\(running.errorText)")
      #expect(try issuer.count("refreshes") == before)
      #expect(try tree.agent("daemon", "stop").succeeded)
      try issuer.control("clock_offset", "0")
      try issuer.control("revoke_all", "1")
      let ended = try tree.agent("daemon", "refresh")
      #expect(ended.failed(3) && ended.errorText.contains("agent login work"), "\(ended.errorText)")
      let again = try tree.agent("daemon", "refresh")
      #expect(again.succeeded && again.errorText.isEmpty, "\(again.errorText)")
    }
  }

  /// Runs a user manager with a unit ($1) in a control group of its own ($0), as after a start by systemd.
  private static let manager = """
    mkdir -p /run/systemd && mount -t tmpfs none /run/systemd && mkdir /run/systemd/system || exit 1
    for top in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do
      test ! -e $top/cgroup.procs || { mkdir $top/"$0" && echo $$ >$top/"$0"/cgroup.procs; } || exit 1
    done
    exec /lib/systemd/systemd --user --log-target=console --unit="$1"
    """

  /// Runs a user manager until `body` returns.
  private static func withManager(
    of unit: String, _ environment: [String], _ body: (RunningProcess) throws -> Void
  ) throws {
    let group = "agent-test-\(Machine.processID)-\(unit)"
    defer {
      _ = try? ProcessRunner.shell(
        "for top in /sys/fs/cgroup /sys/fs/cgroup/*; do find $top/\(group) -depth -type d -exec rmdir {} +; done")
    }
    let process = try RunningProcess(
      executable: "/usr/bin/unshare", arguments: ["--mount", "/bin/sh", "-c", manager, group, unit],
      environment: environment)
    try body(process)
    _ = try process.terminate()
  }

  private static let canRunManager: Bool = {
    var status = ProcessStatus?.none
    guard Machine.userID == 0, let tree = try? TemporaryDirectory() else { return false }
    let environment = ["HOME=\(tree.path)", "XDG_RUNTIME_DIR=\(tree.path)", "PATH=/usr/bin:/bin"]
    try? withManager(of: "exit.target", environment) { status = try $0.wait() }
    return status == .exited(0)
  }()

  @Test(.enabled(if: canRunManager, "no user manager of systemd can run here"))
  func `is renewed by the timer of a user manager`() throws {
    try SetClock.with("--refresh-token-expires-in", "\(Self.lifetime)") { tree, issuer, clock in
      #expect(try tree.agent("account", "set", "work", "--refresh", "background").succeeded)
      let past = -Self.lifetime * 4 / 5
      try clock.set(wall: past)
      try issuer.control("clock_offset", "\(past)")
      _ = try tree.token("work", "--force-refresh")
      #expect(try tree.agent("daemon", "stop").succeeded)
      try clock.set()
      let before = try issuer.count("refreshes")
      let made = try tree.shell(
        "sh",
        """
        mkdir -p "$XDG_CONFIG_HOME/systemd/user" && cd "$XDG_CONFIG_HOME/systemd/user" && mkfifo ended || exit 1
        for unit in .service .timer; do
          sed 's|@BINDIR@/@NAME@|\(try Programs.path("agent"))|; s|@NAME@|agent|g' \
            '\(PackageFiles.path("share/systemd/user"))/agent-refresh'$unit >agent-refresh$unit
        done
        mkdir agent-refresh.timer.d agent-refresh.service.d
        printf '[Timer]\\nOnCalendar=\\nOnActiveSec=0\\nRandomizedDelaySec=0\\n' >agent-refresh.timer.d/now.conf
        printf '[Service]\\nExecStopPost=/bin/sh -c "echo $SERVICE_RESULT >%s/ended"\\n' "$PWD" >agent-refresh.service.d/end.conf
        pwd
        """)
      let directory = try #require(made.lines.last, "\(made.errorText)")
      try Self.withManager(of: "agent-refresh.timer", tree.environment()) { manager in
        let ended = try ProcessRunner.run(
          executable: "/bin/cat", arguments: ["\(directory)/ended"], timeout: .testLimit)
        #expect(ended.outputText == "success\n", "\(manager.errorText)")
      }
      #expect(try issuer.count("refreshes") == before + 1)
      #expect(try tree.agent("daemon", "status").failed(4))
    }
  }

  @Test(.enabled(if: Spawn.search("systemd-analyze") != nil, "systemd-analyze is not installed"))
  func `has units that systemd accepts`() throws {
    try AgentTree.with { tree in
      let result = try ProcessRunner.shell(
        """
        cd '\(tree.path(""))' && mkdir -m 700 units
        for unit in .socket .service -refresh.service -refresh.timer; do
          sed -e "s|@BINDIR@|/bin|; s|@LIBEXECDIR@/agentd|/bin/true|; s|/bin/@NAME@|/bin/true|; s|@NAME@|agent|g" \
            '\(PackageFiles.path("share/systemd/user"))/agent'$unit >units/agent$unit
        done
        cd units && XDG_RUNTIME_DIR=$PWD systemd-analyze --user verify --man=no ./agent-refresh.timer ./agent.socket
        """)
      #expect(result.succeeded && result.errorText.isEmpty, "\(result.errorText)")
    }
  }
}
