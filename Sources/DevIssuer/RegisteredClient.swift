/// A client that the issuer knows from its start (RFC 6749 section 2).
struct RegisteredClient: Sendable, Hashable {
  let id: String
  /// What the user sees.
  let name: String
  /// Nil for a public client (RFC 6749 section 2.1).
  let secret: [UInt8]?
  /// Where answers for this client may go; one of them must allow it.
  let redirects: [RedirectRule]

  static let publicID = "agent-cli"
  static let confidentialID = "agent-confidential"
}
