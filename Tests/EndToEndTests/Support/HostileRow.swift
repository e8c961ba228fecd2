import Platform
import TestSupport

/// A misbehaviour of an issuer, and the required result.
struct HostileRow: Sendable, CustomStringConvertible {
  /// The operation while it misbehaves.
  enum Action: String, Sendable {
    /// The session's token is renewed.
    case refresh
    /// The server is asked about the session.
    case check
    /// The session is ended.
    case signOut
    /// A request is sent to a resource, and its response written to an existing file.
    case request
    /// A first sign-in.
    case browser, device
    /// A sign-in with a client registered for it.
    case register
  }

  let action: Action
  /// The form for the control endpoint.
  let switches: [(String, String)]
  private(set) var outcome: Outcome
  /// The result of the next refresh or sign-in, when the issuer behaves again.
  let next: Outcome
  /// The corresponding tests of the OpenID Foundation's suites.
  let suite: String?
  /// The sign-in fails and leaves a session, because the refresh token preceded the defect.
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

  /// One row for each of these bodies of an endpoint's responses.
  ///
  /// - Parameter switches: Additional switches for the control endpoint.
  static func bodies(
    _ action: Action, _ names: [String], at endpoint: HostileEndpoint, _ switches: String
  ) -> [HostileRow] {
    names.map { HostileRow(action, "\(switches)&body=\($0)", endpoint.outcome(of: $0)) }
  }

  /// The same row for a sign-in whose refresh token arrived before, if the row is about one of these bodies at an
  /// endpoint.
  func leavingSession(_ bodies: [String], at endpoint: String) -> HostileRow {
    func has(_ name: String, _ values: [String]) -> Bool { switches.contains { $0.0 == name && values.contains($0.1) } }
    guard has("body", bodies), has("body_at", [endpoint]) else { return self }
    var row = self
    row.outcome = outcome.withTokensKept
    row.leavesSession = true
    return row
  }

  /// The same row, for a sign-in whose refresh token preceded the defect.
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
