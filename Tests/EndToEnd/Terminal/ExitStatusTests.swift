import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `The exit status` {
  @Test func `of the manual is produced by a test`() throws {
    let manual = try Manual().exitStatuses()
    #expect(manual.listed == [0, 1, 2, 3, 4, 5, 6, 7, 130])
    #expect(manual.exec == [126, 127])
    #expect(Set(Self.produced) == Set(manual.listed))
  }

  /// The tests below, by the status they produce; ``ways(to:)`` has all but the last.
  private static let produced: [Int32] = [0, 1, 2, 3, 4, 5, 6, 7, 130]

  /// The command that was run, and the code of the failure, if expected.
  private typealias Attempt = (arguments: [String], code: String?)

  private static func ways(to status: Int32, _ session: Session) throws -> [Attempt] {
    let server = ["--issuer", session.issuer.url, "--client-id", "agent-cli", "--allow-http-loopback"]
    switch status {
    case 0: return [(["token"], nil), (["status"], nil)]
    case 1:
      return [
        (["account", "add", "work"] + server, "account_exists"), (["env", "--var", "X=claim:none"], "missing_value"),
      ]
    case 2: return [(["token", "--no-such-option"], "invalid_request"), (["no-such-command"], "invalid_request")]
    case 3:
      try session.issuer.control("revoke_all", "1")
      return [
        (["token", "nobody"], "no_account"), (["token", "--force-refresh"], "session_expired"),
        (["logout"], nil), (["token"], "signed_out"),
      ]
    case 4:
      session.issuer.stop()
      return [(["token", "--force-refresh"], "network")]
    case 5:
      try session.tree.directory.write("passphrase", "of this test")
      try session.tree.signIn(
        "shut", at: session.issuer.url, "--protect", "passphrase", "--passphrase-file", session.tree.path("passphrase"))
      return [(["lock"], nil), (["token", "shut"], "locked"), (["env", "shut"], "locked")]
    case 6:
      try session.issuer.control("approval", "never")
      return [(["login", "work"], "access_denied")]
    case 7:
      // An invalid token is an answer, and a text that is not a token is an error.
      try session.tree.directory.write("home/token", "no.token.here!")
      return [
        (["verify", session.tree.path("home/token")], nil),
        (["decode", session.tree.path("home/token")], "malformed_token"),
      ]
    default: return []
    }
  }

  @Test(arguments: produced.filter { $0 != 130 }) func `is the documented one`(status: Int32) throws {
    try Session.with { session in
      let attempts = try Self.ways(to: status, session)
      #expect(!attempts.isEmpty)
      for attempt in attempts {
        let plain = try session.tree.agent(attempt.arguments + ["--json"])
        #expect(
          plain.status == .exited(attempt.code == nil && status != 7 ? 0 : status),
          "\(attempt.arguments): \(plain.errorText)")
        #expect(plain.failureCode == attempt.code, "\(attempt.arguments)")
        #expect(plain.output.isEmpty == (attempt.code != nil) || ["login", "verify"].contains(attempt.arguments.first))
      }
    }
  }

  @Test func `is 130 when a sign-in is cancelled with Ctrl-C`() throws {
    try Session.with { session in
      try session.issuer.control("approval", "ask")
      let program = try WatchedProgram(session.tree, columns: 80, [:], [Programs.path("agent"), "login", "work"])
      try program.until("Sign in again?")
      try program.type("y")
      try program.type("^M")
      try program.until(" left.")
      try program.interrupt()
      #expect(try program.end().status == 130)
    }
  }

  @Test func `of exec is that of the command, or tells why it was not run`() throws {
    try Session.with { session in
      let tree = session.tree
      try tree.directory.write("home/data", "no program")
      #expect(try tree.agent("exec", "--", "/bin/sh", "-c", "exit 42").failed(42))
      #expect(try tree.agent("exec", "--", "/bin/sh", "-c", "exit 3").failed(3))
      #expect(try tree.agent("exec", "--", tree.path("home/data")).failed(126))
      #expect(try tree.agent("exec", "--", "no-such-command-anywhere").failed(127))
      #expect(try tree.agent("exec", "nobody", "--", "/bin/true").failed(3))
    }
  }
}
