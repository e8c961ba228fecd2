import Encoding
import Testing
import Wire

@testable import CommandLine

/// What `doctor` makes of what the daemon tells.
@Suite struct `Findings` {
  private static func lines(_ answer: JSONObject) -> [String] {
    SessionCheck.run(answer, now: 10_000).map { finding in
      "\(finding.level.mark) \(finding.check.rawValue): \(finding.text.english)"
        + (finding.hint.map { "; try: \($0.english)" } ?? "")
    }
  }

  private static func account(_ members: [(String, JSON)]) -> JSONObject {
    JSONObject([
      ("accounts", .array([.object(JSONObject([("name", "work"), ("issuer", "https://id.example")] + members))]))
    ])
  }

  private static func server(_ members: [(String, JSON)]) -> (String, JSON) { ("server", .object(JSONObject(members))) }

  @Test(arguments: [
    (-30, "ok clock: it agrees with the servers"), (30, "ok clock: it agrees with the servers"),
    (31, "warn clock: this machine's clock is 31s ahead of that of https://id.example; try: timedatectl set-ntp true"),
    (
      -3700,
      "warn clock: this machine's clock is 1h 1m behind that of https://id.example; try: timedatectl set-ntp true"
    ),
  ]) func `tell a clock that differs from a server's by more than half a minute`(offset: Int, line: String) {
    let lines = Self.lines(Self.account([Self.server([("milliseconds", 7), ("clock_offset", .int(offset))])]))
    #expect(lines.contains(line), "\(lines)")
  }

  @Test func `tell a server once, however many accounts are there`() {
    var answer = Self.account([Self.server([("milliseconds", 7), ("keys", 1)])])
    answer["accounts"] = .array((answer["accounts"]?.array ?? []) + (answer["accounts"]?.array ?? []))
    #expect(Self.lines(answer).filter { $0 == "ok server: https://id.example answered in 7 ms, with 1 key" }.count == 1)
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
      lines.contains("ok account: work: signed in, renewed in 1h, the session expires in 2h"), "\(lines)")
  }

  @Test(arguments: [
    ("openid email offline_access", "openid", "warn scope: work: asked for and not given: email"),
    ("openid email", "email", nil), ("openid email", "", nil), ("", "email", nil),
  ]) func `tell a scope that was asked for and not given`(asked: String, given: String, line: String?) {
    let lines = Self.lines(Self.account([("asked_scope", .string(asked)), ("scope", .string(given))]))
    #expect(lines.filter { $0.contains(" scope: ") } == [line].compactMap { $0 }, "\(lines)")
  }

  @Test(arguments: [
    (
      [("version", JSON.string("0.0.1"))],
      "warn daemon: the daemon is of version 0.0.1, this program of \(Product.version)"
    ),
    (
      [("version", .string(Product.version)), ("program_replaced", true)],
      "warn daemon: another version was put in the place of the one that runs"
    ),
  ]) func `tell a daemon of another version`(members: [(String, JSON)], line: String) {
    let lines = Self.lines(JSONObject([("daemon", .object(JSONObject(members)))]))
    #expect(lines == ["\(line); try: agent daemon restart"])
  }

  @Test(arguments: [
    ("/home/al/x and /home/al", "~/x and ~"), ("/home/alice/x", "/home/alice/x"), ("/home/al-x", "/home/al-x"),
    ("x/home/al", "x/home/al"), ("'/home/al/x'", "'~/x'"), ("/home/al: no", "~: no"),
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
}
