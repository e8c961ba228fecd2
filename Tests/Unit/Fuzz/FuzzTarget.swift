/// A parser of untrusted bytes. Whatever they are, it neither crashes nor hangs, and its invariants hold.
enum FuzzTarget: String, CaseIterable, Sendable {
  case json
  case base64url
  case form
  case uri
  case text
  case jws
  case tokens
  case decode
  case jwks
  case privateKey = "private-key"
  case metadata
  case tokenAnswer = "token-answer"
  case challenge
  case redirect
  case request
  case leaseHead = "lease-head"
  case reply
  case vault
  case settings

  /// - Throws: ``BrokenInvariant`` if the parser misinterpreted the bytes. Rejecting them is not an error.
  func run(_ bytes: [UInt8]) throws(BrokenInvariant) {
    switch self {
    case .json: try Self.json(bytes)
    case .base64url: try Self.base64url(bytes)
    case .form: try Self.form(bytes)
    case .uri: try Self.uri(bytes)
    case .text: try Self.text(bytes)
    case .jws: try Self.jws(bytes)
    case .tokens: try Self.tokens(bytes)
    case .decode: try Self.decode(bytes)
    case .jwks: try Self.jwks(bytes)
    case .privateKey: try Self.privateKey(bytes)
    case .metadata: try Self.metadata(bytes)
    case .tokenAnswer: try Self.tokenAnswer(bytes)
    case .challenge: try Self.challenge(bytes)
    case .redirect: try Self.redirect(bytes)
    case .request: try Self.request(bytes)
    case .leaseHead: try Self.leaseHead(bytes)
    case .reply: try Self.reply(bytes)
    case .vault: try Self.vault(bytes)
    case .settings: try Self.settings(bytes)
    }
  }
}

/// An invariant of a parser that some bytes broke.
struct BrokenInvariant: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ invariant: String) { description = invariant }

  static func unless(_ holds: Bool, _ invariant: String) throws(BrokenInvariant) {
    if !holds { throw BrokenInvariant(invariant) }
  }
}
