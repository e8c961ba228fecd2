internal import Encoding

/// A narrower target of an access token than the person's whole grant: fewer scope values (RFC 6749 section 6), certain
/// resources (RFC 8707), or an audience.
package struct TokenTarget: Sendable, Hashable {
  package static let mostResources = 16
  private static let longestAudience = 512

  package let scope: Scope?
  /// Absolute URIs without a fragment, each once, sorted, so that their order makes no second token.
  package let resources: [String]
  /// A name that the server gives to a resource.
  package let audience: String?
  /// Got by trading the account's own access token (RFC 8693), not by its refresh token.
  package let isExchanged: Bool

  /// - Returns: nil when nothing is asked for, which means the account's own token.
  /// - Throws: `invalidScope`, or `invalidTarget` for what is no resource or audience.
  package static func make(
    scope: [String], resources: [String], audience: String?, isExchanged: Bool = false
  ) throws(OAuthError) -> TokenTarget? {
    let target = TokenTarget(
      scope: scope.isEmpty ? nil : try Scope(scope.joined(separator: " ")), resources: try unique(resources),
      audience: try audience.map(valid), isExchanged: isExchanged)
    return target.isEmpty ? nil : target
  }

  private init(scope: Scope?, resources: [String], audience: String?, isExchanged: Bool) {
    self.scope = scope
    self.resources = resources
    self.audience = audience
    self.isExchanged = isExchanged
  }

  private var isEmpty: Bool { scope == nil && resources.isEmpty && audience == nil && !isExchanged }

  private static func unique(_ resources: [String]) throws(OAuthError) -> [String] {
    guard resources.count <= mostResources else { throw OAuthError(.invalidTarget, "the resource") }
    for resource in resources {
      guard let uri = try? URI(resource), uri.fragment == nil else { throw OAuthError(.invalidTarget, "the resource") }
    }
    return Set(resources).sorted()
  }

  private static func valid(_ audience: String) throws(OAuthError) -> String {
    guard (1...longestAudience).contains(audience.utf8.count), audience.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw OAuthError(.invalidTarget, "the audience") }
    return audience
  }
}

extension RequestForm {
  /// Adds `scope`, `resource` and `audience`, as far as they are there.
  mutating func add(_ target: TokenTarget?) {
    guard let target else { return }
    add(target.scope)
    for resource in target.resources { add("resource", resource) }
    if let audience = target.audience { add("audience", audience) }
  }
}
