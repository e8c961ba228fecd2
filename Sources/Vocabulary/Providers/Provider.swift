internal import Encoding

/// The known properties of an authorization server.
///
/// An account names its provider, or uses the one of its issuer. Providers never loosen a rule for other servers. The
/// account's settings override them.
package struct Provider: Sendable, Hashable {
  package let name: ProviderName
  package let title: String
  /// The issuer if only the provider is named.
  package var issuer: String?
  /// An example issuer of a product with a host name per customer.
  package var issuerExample: String?
  /// More issuers. A word in braces stands for letters, digits, "-" and "_".
  package var issuerTemplates: [String] = []
  /// Whether it can be self-hosted.
  package var hasOwnServers = false
  /// More host names known to users.
  package var hosts: [String] = []
  /// Whether it differs from another provider only in scope. Not selected by issuer or host.
  package var isVariant = false
  /// The end of the issuer's path, which is not part of ``paths``. An account's issuer may omit it.
  package var issuerPath = ""
  /// Endpoints missing from the metadata; all for ``Quirk/noMetadata``. A path is relative to the issuer without
  /// ``issuerPath``. An absolute https URL is possible too.
  package var paths: [EndpointRole: String] = [:]
  /// The default scope; if empty, the usual rule applies.
  package var scope: [String] = []
  /// Parameters of browser sign-ins, in this order.
  package var authorizationParameters: [Parameter] = []
  /// Sent with every authorization code.
  package var codeParameters: [Parameter] = []
  /// The redirect URI to register if the default is not suitable. With a port if the service compares it, contrary to
  /// RFC 8252 section 7.3, or may do so; otherwise any port is allowed.
  package var redirectURI: String?
  /// How to register a client; nil if sign-in is impossible.
  package var registration: Registration?
  /// How to send a client secret, overriding the server's metadata.
  package var tokenEndpointAuthMethod: ClientAuthenticationMethod?
  /// Where users can revoke sessions: a URL, or a page of a self-hosted server. Nil if sign-in is impossible.
  package var sessionsPage: String?
  /// Departures from the standards, with the URLs of their documentation.
  package var quirks: [Quirk: String] = [:]
  /// Standard error codes by the server's code or description, in lowercase (RFC 6749 section 5.2).
  package var errorNames: [String: String] = [:]
  /// Refresh errors that mean `invalid_grant`: values of `error`, or beginnings of its description.
  package var deadRefreshTokens: [String] = []
  /// Limits of the service, one sentence each, in lowercase without a full stop.
  package var limits: [String] = []
  /// Why a sign-in from a terminal is impossible, if so.
  package var obstacle: String?
  /// Why the device grant is impossible, although the service has something similar.
  package var deviceObstacle: String?
  package var advice: [Advice] = []

  package init(_ name: ProviderName, _ title: String) {
    self.name = name
    self.title = title
  }

  /// A departure from the standards.
  package enum Quirk: String, Sendable, Hashable, CaseIterable {
    /// There is no metadata.
    case noMetadata = "no-metadata"
    /// Commas separate the `scope` in responses.
    case scopeWithCommas = "scope-with-commas"
    case scopeInArray = "scope-in-array"
    /// The device grant uses `scopes` instead of `scope`.
    case scopesInDeviceGrant = "scopes-in-device-grant"
    /// Errors have `message`, and a number in `status`.
    case errorInMessage = "error-in-message"
    /// A refresh with a dead refresh token gets a 400 with HTML or nothing.
    case deadTokenWithoutError = "dead-token-without-error"
    /// `token_type` is `user` for a Bearer token.
    case userTokenType = "user-token-type"
    /// `iss` may omit `https://`.
    case issuerWithoutScheme = "issuer-without-scheme"
    /// Multi-tenant: the metadata have another issuer, or a template with `{tenantid}`.
    case tenantIssuer = "tenant-issuer"
    /// The metadata omit the device authorization endpoint.
    case unannouncedDeviceEndpoint = "unannounced-device-endpoint"
    /// The user must specify the redirect URI.
    case ownRedirectURI = "own-redirect-uri"
    /// The issuer in the metadata may differ in a trailing slash, contrary to RFC 8414 section 3.3.
    case slashInIssuer = "slash-in-issuer"
    case secretNeeded = "secret-needed"
    /// Authorization codes require a client secret, device codes do not.
    case secretForCode = "secret-for-code"
    /// The client secret of an installed program is not secret.
    case publicSecret = "public-secret"
    /// Revoking a refresh token ends only its own grant.
    case separateGrants = "separate-grants"
  }

  package func has(_ quirk: Quirk) -> Bool { quirks[quirk] != nil }

  package struct Registration: Sendable, Hashable {
    /// The page's URL, or its location in a self-hosted server.
    package var page: String
    /// The kind of client, in the service's terms.
    package var kind: String
    /// The option to enable, in the service's terms.
    package var option: String?
  }

  package struct Parameter: Sendable, Hashable {
    package var name: String
    package var value: String
  }

  package struct Advice: Sendable, Hashable {
    /// The `error`, or the beginning of `error_description`.
    package var error: String
    /// One sentence in lowercase without a full stop.
    package var text: String
    /// Whether the text mentions a page, such as the one for the client.
    package var namesPage = false
    /// Whether the text asks for the client secret.
    package var needsSecret = false
    /// Whether the user may not use the device grant, but maybe a browser.
    package var forbidsDevice = false
  }
}

extension Provider {
  package static let all = ProviderName.allCases.map(named)

  /// The provider of this issuer, by exact comparison or by template.
  package static func of(issuer: String) -> Provider? {
    all.first { !$0.isVariant && $0.isIssuer(issuer) }
  }

  /// Whether a server with this issuer may be the provider's.
  package func mayBe(at issuer: String) -> Bool { hasOwnServers || isIssuer(issuer) }

  /// Whether two issuers are the same server. With the quirk they may differ in a trailing slash.
  package func isSame(_ issuer: String, as other: String) -> Bool {
    if issuer.utf8.elementsEqual(other.utf8) { return true }
    return has(.slashInIssuer)
      && ("\(issuer)/".utf8.elementsEqual(other.utf8) || "\(other)/".utf8.elementsEqual(issuer.utf8))
  }

  private func isIssuer(_ issuer: String) -> Bool {
    // The URL of a page, as its user may paste it, for which the reason is reported before anything else.
    if obstacle != nil {
      var page = issuer.prefix { $0 != "#" }
      while page.utf8.last == UInt8(ascii: "/") { page.removeLast() }
      let places = [self.issuer].compactMap { $0 } + hosts.map { "https://\($0)" }
      return places.contains { $0.utf8.elementsEqual(page.utf8) }
        || issuerTemplates.contains { Self.matches(String(page), $0) }
    }
    if let own = self.issuer, isSame(own, as: issuer) { return true }
    return issuerTemplates.contains { Self.matches(issuer, $0) }
  }

  /// The provider for a URL of just scheme and host.
  package static func of(place: String) -> Provider? {
    guard let uri = try? URI(place), uri.isHTTPS, uri.port == nil, uri.path.isEmpty || uri.path == "/",
      uri.query == nil, uri.fragment == nil
    else { return nil }
    let host = uri.host.lowercased()
    return all.first { provider in
      guard !provider.isVariant else { return false }
      let own = provider.issuer.flatMap { (try? URI($0))?.host }
      return (provider.hosts + [own].compactMap { $0 }).contains { $0.utf8.elementsEqual(host.utf8) }
    }
  }

  /// Whether a text matches a template.
  private static func matches(_ text: String, _ template: String) -> Bool {
    var rest = text.utf8[...]
    var isWord = false
    for part in template.utf8.split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") })
    {
      if isWord {
        let word = rest.prefix(while: isWordByte)
        guard !word.isEmpty else { return false }
        rest = rest.dropFirst(word.count)
      } else {
        guard rest.starts(with: part) else { return false }
        rest = rest.dropFirst(part.count)
      }
      isWord.toggle()
    }
    return rest.isEmpty
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }
}
