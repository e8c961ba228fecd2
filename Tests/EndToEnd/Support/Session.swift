import Encoding
import Platform
import TestSupport
import Testing

/// An account `work` that is signed in at its own issuer, in its own tree.
struct Session {
  let tree: AgentTree
  let issuer: Issuer
  let events: [JSON]

  /// - Parameter options: Options of `devissuer`.
  static func with<Result>(_ options: String..., body: (Session) throws -> Result) throws -> Result {
    try Issuer.with(options) { issuer in
      try AgentTree.with { tree in
        let events = try tree.signIn(at: issuer.url)
        return try body(Session(tree: tree, issuer: issuer, events: events))
      }
    }
  }

  func waitUntilExpired() throws {
    let expiry = try #require(events.last?["expires_at"]?.int)
    while SystemTime().wallSeconds() <= expiry { Threads.sleep(for: .milliseconds(50)) }
  }
}
