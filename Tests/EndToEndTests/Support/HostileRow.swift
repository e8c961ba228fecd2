import Platform
import TestSupport

/// One way of an issuer to misbehave, and what must come of it.
struct HostileRow: Sendable, CustomStringConvertible {
  /// What is done while it misbehaves.
  enum Action: String, Sendable {
    /// The session's token is renewed.
    case refresh
    /// The server is asked about the session.
    case check
    /// The session is ended.
    case signOut
    /// A request goes to a resource, and its answer into a file that has a content.
    case request
    /// Somebody signs in for the first time.
    case browser, device
    /// Somebody signs in with a client that is registered for that.
    case register
  }

  let action: Action
  /// What the control endpoint is told.
  let switches: [(String, String)]
  private(set) var outcome: Outcome
  /// What comes of the next refresh, or of the next sign-in, when the issuer behaves again.
  let next: Outcome
  /// The tests of the OpenID Foundation's suites that try the same.
  let suite: String?
  /// The sign-in fails and leaves a session, because the refresh token came before what is wrong.
  private(set) var leavesSession = false

  /// - Parameter switches: A form.
  init(
    _ action: Action, _ switches: String, _ outcome: Outcome, then next: Outcome = .accepted, suite: String? = nil
  ) {
    self.action = action
    self.switches = switches.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
      return (parts[0], parts[1])
    }
    self.outcome = outcome
    self.next = next
    self.suite = suite
  }

  /// One for each of these bodies of an endpoint's answers.
  ///
  /// - Parameter switches: What else the control endpoint is told.
  static func bodies(
    _ action: Action, _ names: [String], at endpoint: HostileEndpoint, _ switches: String
  ) -> [HostileRow] {
    names.map { HostileRow(action, "\(switches)&body=\($0)", endpoint.outcome(of: $0)) }
  }

  /// The same row, if it is about one of these bodies at an endpoint, for a sign-in whose refresh token came before.
  func leavingSession(_ bodies: [String], at endpoint: String) -> HostileRow {
    func has(_ name: String, _ values: [String]) -> Bool { switches.contains { $0.0 == name && values.contains($0.1) } }
    guard has("body", bodies), has("body_at", [endpoint]) else { return self }
    var row = self
    row.outcome = outcome.withTokensKept
    row.leavesSession = true
    return row
  }

  /// The same row, for a sign-in whose refresh token came before what is wrong.
  var leavingSession: HostileRow {
    var row = self
    row.leavesSession = true
    return row
  }

  var description: String {
    let form = switches.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    return "\(action.rawValue) with \(form)" + (suite.map { " (\($0))" } ?? "")
  }

  /// Turns every attack off.
  static let allOff: [(String, String)] =
    ["id_token", "jwks", "userinfo", "metadata", "authorization", "par"].map { ("break_" + $0, "off") } + [
      ("body", "off")
    ]
    + [
      "token", "metadata", "jwks", "par", "device", "userinfo", "revocation", "registration",
    ].map { ("fail_next_" + $0, "0") }
}
