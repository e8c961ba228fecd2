import Encoding
import TestSupport
import Testing
import Wire

@testable import CommandLine

/// The findings of `doctor` for a daemon's response.
@Suite struct `Findings` {
  private static func lines(_ answer: JSONObject) -> [String] {
    DaemonCheck.run(answer, now: 10_000).map(line)
  }

  private static func account(_ members: [(String, JSON)]) -> JSONObject {
    JSONObject([
      ("accounts", .array([.object(JSONObject([("name", "work"), ("issuer", "https://id.example")] + members))]))
    ])
  }

  private static func server(_ members: [(String, JSON)]) -> (String, JSON) { ("server", .object(JSONObject(members))) }

  @Test(arguments: [
    (-30, "ok clock: in sync with the servers"), (30, "ok clock: in sync with the servers"),
    (31, "warn clock: this machine's clock is 31s ahead of https://id.example; try: timedatectl set-ntp true"),
    (
      -3700,
      "warn clock: this machine's clock is 1h 1m behind https://id.example; try: timedatectl set-ntp true"
    ),
  ]) func `tell a clock that differs from a server's by more than half a minute`(offset: Int, line: String) {
    let lines = Self.lines(Self.account([Self.server([("milliseconds", 7), ("clock_offset", .int(offset))])]))
    #expect(lines.contains(line), "\(lines)")
  }

  @Test func `warn if the daemon uses other directories than this environment`() {
    func lines(_ settings: String, _ state: String, socket: String? = nil) -> [String] {
      let daemon: JSONObject = [
        "version": .string(Product.version), "settings_directory": .string(settings), "state_directory": .string(state),
      ]
      let variables = [
        "XDG_CONFIG_HOME": "/here/config", "XDG_STATE_HOME": "/here/state", "AGENT_SOCKET": socket,
      ].compactMapValues(\.self)
      return DaemonCheck.run(["daemon": .object(daemon), "accounts": []], now: 10_000) { variables[$0] }.map(Self.line)
    }
    let warning = "warn daemon: the daemon uses /other/agent, this environment"
    #expect(
      lines("/other/agent", "/here/state/agent").first == "\(warning) /here/config/agent; try: agent daemon restart")
    #expect(
      lines("/here/config/agent", "/other/agent").first == "\(warning) /here/state/agent; try: agent daemon restart")
    #expect(lines("/here/config/agent", "/here/state/agent").first?.hasPrefix("ok daemon") == true)
    #expect(lines("/other/agent", "/other/agent", socket: "/run/s").first?.hasPrefix("ok daemon") == true)
  }

  @Test func `tell a server once, however many accounts are there`() {
    var answer = Self.account([Self.server([("milliseconds", 7), ("keys", 1)])])
    answer["accounts"] = .array((answer["accounts"]?.array ?? []) + (answer["accounts"]?.array ?? []))
    #expect(
      Self.lines(answer).filter { $0 == "ok server: https://id.example is reachable (7 ms, 1 key)" }.count == 1)
  }

  @Test func `count the published keys that cannot be used`() {
    let lines = Self.lines(
      Self.account([Self.server([("milliseconds", 7), ("keys", 1), ("unusable_keys", 2)])]))
    #expect(
      lines.contains("warn server: https://id.example publishes 2 more unusable keys"), "\(lines)")
  }

  @Test func `tell a problem of a server with what helps`() {
    let problem = Failure(.certificateRejected, "its certificate has expired", hint: "tell its administrator")
    let lines = Self.lines(Self.account([Self.server([("problem", problem.json)])]))
    #expect(
      lines.contains("FAIL server: https://id.example: its certificate has expired; try: tell its administrator"),
      "\(lines)")
  }

  @Test(arguments: [
    (FailureCode.network, "warn"), (.locked, "warn"), (.sessionExpired, "FAIL"), (.configurationChanged, "FAIL"),
  ]) func `tell when and why a session failed`(code: FailureCode, level: String) {
    let failure = Failure(code, "work: it does not work", hint: "agent login work")
    let lines = Self.lines(Self.account([("problem", failure.json), ("failed_at", 9_940)]))
    #expect(
      lines.contains("\(level) account: work: it does not work, 1m ago; try: agent login work"), "\(lines)")
  }

  @Test func `tell the next renewal and the end of a session`() {
    let lines = Self.lines(
      Self.account([("state", "active"), ("next_renewal", 13_600), ("refresh_token_expires_at", 17_200)]))
    #expect(
      lines.contains("ok account: work: signed in, renews in 1h, the session expires in 2h"), "\(lines)")
  }

  @Test(arguments: [
    (
      "openid email offline_access", "openid",
      "warn scope: work: requested but not granted: email; try: agent login work"
    ),
    ("openid email", "email", nil), ("openid email", "", nil), ("", "email", nil),
  ]) func `tell a scope that was asked for and not given`(asked: String, given: String, line: String?) {
    let lines = Self.lines(Self.account([("asked_scope", .string(asked)), ("scope", .string(given))]))
    #expect(lines.filter { $0.contains(" scope: ") } == [line].compactMap { $0 }, "\(lines)")
  }

  @Test(arguments: [
    (
      [("version", JSON.string("0.0.1"))],
      "warn daemon: the daemon has version 0.0.1, this program \(Product.version)"
    ),
    (
      [("version", .string(Product.version)), ("program_replaced", true)],
      "warn daemon: the running program was replaced by another version"
    ),
  ]) func `tell a daemon of another version`(members: [(String, JSON)], line: String) {
    let lines = Self.lines(JSONObject([("daemon", .object(JSONObject(members)))]))
    #expect(lines == ["\(line); try: agent daemon restart"])
  }

  @Test(arguments: [
    ("/home/al/x and /home/al", "~/x and ~"), ("/home/alice/x", "/home/alice/x"), ("/home/al-x", "/home/al-x"),
    ("x/home/al", "x/home/al"), ("'/home/al/x'", "~/'x'"), ("chmod 700 '/home/al/x y'", "chmod 700 ~/'x y'"),
    ("ls -d '/home/al'", "ls -d ~"),
    ("'/home/alice/x'", "'/home/alice/x'"), ("A='/home/al/x' agent", "A=~/'x' agent"),
    ("chmod 600 '/home/al/it'\\''s'", "chmod 600 ~/'it'\\''s'"), ("/home/al: no", "~: no"),
    ("\u{2068}/home/al/x\u{2069}", "\u{2068}~/x\u{2069}"), ("„/home/al“", "„~“"), ("«/home/al»", "«~»"),
    ("/home/alé", "/home/alé"), ("é/home/al", "é/home/al"),
  ]) func `name no home directory`(text: String, shown: String) {
    #expect(Finding.withoutHome(text, home: "/home/al") == shown)
    #expect(Finding.withoutHome(text, home: nil) == text)
    #expect(Finding.withoutHome(text, home: "/") == text)
  }

  @Test(arguments: [
    ("helper = /usr/bin/git-credential-agent --account x", "/usr/bin/git-credential-agent"),
    ("helper = !'/opt/my tools/agent' helper git", "/opt/my tools/agent"),
    (#"credential-provider = ["/usr/bin/agent", "helper"]"#, "/usr/bin/agent"),
    (#"ExecStart="/usr/libexec/agentd" --foreground"#, "/usr/libexec/agentd"),
    ("GOAUTH=/bin/agent helper go; netrc", "/bin/agent"),
    ("helper = store", nil), ("a/b", nil),
  ]) func `find the program in a line of settings`(line: String, path: String?) {
    #expect(AbsolutePaths.first(in: line) == path)
  }

  @Test func `tell places that the vault never confirmed, and the proxy that is used`() {
    let answer = Self.account([
      ("unconfirmed_origins", ["https://a.example"]), ("proxy", "http://me:secret@proxy.example:3128"),
      Self.server([("milliseconds", 7)]),
    ])
    let lines = Self.lines(answer)
    #expect(
      lines.contains(
        "warn settings: work may not send its token to https://a.example: the settings file lists it, but it was never confirmed; try: agent account set work --host https://a.example"
      ), "\(lines)")
    #expect(
      lines.contains("ok server: https://id.example is reached through the proxy proxy.example:3128"), "\(lines)")
  }

  @Test func `tell a proxy of the environment that the account does not use, unless an option named the account's`() {
    func lines(_ members: [(String, JSON)]) -> [String] {
      let account = Self.account(members)["accounts"]?.array?.first ?? .null
      return DaemonCheck.proxy(account) { $0 == "https_proxy" ? "http://new.example:3128" : nil }.map(\.text.english)
    }
    #expect(
      lines([("proxy", "http://old.example:3128")])
        == ["work uses the proxy old.example:3128, but this environment sets new.example:3128"])
    #expect(lines([("proxy", "http://old.example:3128"), ("proxy_source", "option")]) == [])
    #expect(lines([("proxy_source", "option")]) == [])
  }

  private static let vaults: [(members: [(String, JSON)], line: String)] = [
    (
      [("exists", true), ("device_bound", false)],
      "warn vault: the vault is bound to a passphrase only; try: agent vault bind"
    ),
    (
      [("levels", [["protection": "passphrase", "locked": true, "accounts": ["work"]]])],
      "warn vault: the level passphrase is locked; try: agent unlock"
    ),
    (
      [("levels", [["protection": "passphrase", "locked": true, "accounts": []]])],
      "ok vault: unknown, not bound"
    ),
    (
      [("problem", Failure(.vaultUnusable, "it is damaged", hint: "agent vault check").json)],
      "FAIL vault: it is damaged; try: agent vault check"
    ),
  ]

  @Test(arguments: vaults) func `tell what is wrong with the vault`(members: [(String, JSON)], line: String) {
    let lines = DaemonCheck.vault(JSONObject(members)).map(Self.line)
    #expect(lines == [line])
  }

  @Test(arguments: [(16 << 20, "ok"), ((16 << 20) - 1, "warn"), (1 << 20, "warn"), ((1 << 20) - 1, "FAIL")])
  func `tell a disk that is almost full`(free: Int, level: String) {
    let finding = MachineCheck.disk(free: free, for: "/home/al")
    #expect(
      finding.level.mark == level && (level == "ok" ? finding.hint == nil : finding.hint?.english == "df -h /home/al"))
  }

  @Test func `tell a unit of the service manager, whether it starts what is there, and a session without linger`()
    throws
  {
    let root = try TemporaryDirectory()
    func service() -> [String] {
      MachineCheck.service(root: root.path(""), user: 4711).map(Self.line).filter {
        $0.contains(root.path("")) || !$0.contains("/")
      }
    }
    #expect(service().isEmpty)
    _ = try ProcessRunner.shell(
      """
      cd '\(root.path(""))'; mkdir -p run/systemd/system etc/systemd/user/sockets.target.wants var/lib/systemd/linger
      printf 'root:x:0:0::/root:/bin/sh\\nalice:x:4711:4711::/home/alice:/bin/sh\\n' >etc/passwd
      echo >etc/systemd/user/agent.socket; ln -s ../agent.socket etc/systemd/user/sockets.target.wants/agent.socket
      printf '[Service]\\nExecStart=/nowhere/agentd --foreground\\n' >etc/systemd/user/agent.service
      """)
    let lines = service()
    #expect(
      lines.contains {
        $0.hasPrefix("FAIL service: ") && $0.contains(" starts /nowhere/agentd, which does not exist; try: systemctl")
      })
    #expect(lines.contains("ok service: agent.socket is enabled"), "\(lines)")
    let linger =
      "warn service: the service manager and the daemon end when you log out; try: loginctl enable-linger"
    #expect(lines.contains(linger), "\(lines)")
    _ = try ProcessRunner.shell("cd '\(root.path(""))'; echo >var/lib/systemd/linger/alice")
    #expect(!service().contains(linger))
  }

  private static func line(_ finding: Finding) -> String {
    "\(finding.level.mark) \(finding.check.rawValue): \(finding.text.english)"
      + (finding.hint.map { "; try: \($0.english)" } ?? "")
  }
}
