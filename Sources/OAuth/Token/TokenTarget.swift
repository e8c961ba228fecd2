internal import Encoding

/// The target of an access token: a partial scope (RFC 6749 section 6), resources (RFC 8707), an audience, or
/// authorization details (RFC 9396).
package struct TokenTarget: Sendable, Hashable {
  package static let maximumResources = 16
  private static let maximumAudienceBytes = 512

  package let scope: Scope?
  /// Sorted absolute URIs without fragments or duplicates.
  package let resources: [String]
  /// The server's name for a resource.
  package let audience: String?
  /// Sent unchanged: only the server can compare them (RFC 9396 section 6).
  package let authorizationDetails: AuthorizationDetails?
  /// Whether to use token exchange (RFC 8693) instead of refreshing.
  package let usesTokenExchange: Bool

  /// Nil (the account's own token) if nothing is specified.
  package init?(
    scope: [String], resources: [String], audience: String?, authorizationDetails: String? = nil,
    usesTokenExchange: Bool = false
  ) throws(OAuthError) {
    self.scope = scope.isEmpty ? nil : try Scope(scope.joined(separator: " "))
    self.resources = try Self.validatedResources(resources)
    self.audience = try audience.map(Self.validatedAudience)
    self.authorizationDetails = try authorizationDetails.map(Self.parsedDetails)
    self.usesTokenExchange = usesTokenExchange
    if isEmpty { return nil }
  }

  private var isEmpty: Bool {
    scope == nil && resources.isEmpty && audience == nil && authorizationDetails == nil && !usesTokenExchange
  }

  private static func validatedResources(_ resources: [String]) throws(OAuthError) -> [String] {
    guard resources.count <= maximumResources else { throw OAuthError(.invalidTarget, .resource) }
    for resource in resources {
      guard let uri = try? URI(resource), uri.fragment == nil else { throw OAuthError(.invalidTarget, .resource) }
    }
    return Set(resources).sorted()
  }

  private static func validatedAudience(_ audience: String) throws(OAuthError) -> String {
    guard (1...maximumAudienceBytes).contains(audience.utf8.count), audience.utf8.allSatisfy(\.isVisibleASCII)
    else { throw OAuthError(.invalidTarget, .audience) }
    return audience
  }

  private static func parsedDetails(_ text: String) throws(OAuthError) -> AuthorizationDetails {
    guard let details = AuthorizationDetails(text) else {
      throw OAuthError(.invalidAuthorizationDetails, .name("authorization_details"))
    }
    return details
  }
}

extension RequestForm {
  mutating func add(_ target: TokenTarget?) {
    guard let target else { return }
    add(target.scope)
    for resource in target.resources { add(.resource, resource) }
    if let audience = target.audience { add(.audience, audience) }
    if let details = target.authorizationDetails { add(.authorizationDetails, details.text) }
  }
}
