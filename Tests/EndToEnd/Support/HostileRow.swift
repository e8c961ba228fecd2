import Platform
import TestSupport

/// A misbehavior of an issuer, and the expected result.
struct HostileRow: Sendable, CustomStringConvertible {
  /// The operation during which the issuer misbehaves.
  enum Action: String, Sendable {
    case refresh
    case check
    case signOut
    /// A request to a resource, whose response is written to an existing file.
    case request
    case browser, device
    /// A sign-in for which a client is registered.
    case register
  }

  let action: Action
  /// The form for the control endpoint, which makes the issuer misbehave.
  let switches: [(String, String)]
  private(set) var outcome: Outcome
  /// The result of the next refresh or sign-in, when the issuer behaves correctly again.
  let next: Outcome
  /// The corresponding tests of the OpenID Foundation's suites.
  let suite: String?
  /// Whether the failed sign-in leaves a session, because the refresh token preceded the defect.
  private(set) var leavesSession = false

  /// - Parameter switches: An encoded form.
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

  /// A row for each of these response bodies of an endpoint.
  ///
  /// - Parameter switches: Additional switches for the control endpoint.
  static func bodies(
    _ action: Action, _ names: [String], at endpoint: HostileEndpoint, _ switches: String
  ) -> [HostileRow] {
    names.map { HostileRow(action, "\(switches)&body=\($0)", endpoint.outcome(of: $0)) }
  }

  /// A copy for a sign-in that leaves a session, if the row is about one of these bodies at an endpoint.
  func leavingSession(_ bodies: [String], at endpoint: String) -> HostileRow {
    func has(_ name: String, _ values: [String]) -> Bool { switches.contains { $0.0 == name && values.contains($0.1) } }
    guard has("body", bodies), has("body_at", [endpoint]) else { return self }
    var row = self
    row.outcome = outcome.withTokensKept
    row.leavesSession = true
    return row
  }

  /// A copy for a sign-in whose refresh token preceded the defect.
  var leavingSession: HostileRow {
    var row = self
    row.leavesSession = true
    return row
  }

  var description: String {
    let form = switches.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    return "\(action.rawValue) with \(form)" + (suite.map { " (\($0))" } ?? "")
  }

  /// The form that turns all misbehavior off.
  static let allOff: [(String, String)] =
    ["id_token", "jwks", "userinfo", "metadata", "authorization", "par"].map { ("break_" + $0, "off") } + [
      ("body", "off")
    ]
    + [
      "token", "metadata", "jwks", "par", "device", "userinfo", "revocation", "registration",
    ].map { ("fail_next_" + $0, "0") }
}
