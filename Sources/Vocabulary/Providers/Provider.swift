internal import Encoding

/// The known properties of a public or widely used authorization server.
///
/// An account specifies one, or uses the one of its issuer. Providers never loosen a rule for other servers, and the
/// account's own settings override them.
package struct Provider: Sendable, Hashable {
  package let name: ProviderName
  /// The name shown to users.
  package let title: String
  /// The issuer if only the provider's name is given.
  package var issuer: String?
  /// An example of the issuer, for a product with a host name for each customer.
  package var issuerExample: String?
  /// Additional issuers. A word in braces stands for letters, digits, "-" and "_".
  package var issuerTemplates: [String] = []
  /// Whether it can be self-hosted, with its own issuer.
  package var hasOwnServers = false
  /// Additional host names known to users.
  package var hosts: [String] = []
  /// Whether it is the same server as another provider with another scope. No issuer or host selects it.
  package var isVariant = false
  /// The end of the issuer's path that ``paths`` do not include. An account's issuer may omit it.
  package var issuerPath = ""
  /// Endpoints missing from the metadata, or all of them for ``Quirk/noMetadata``. Each begins with "/" and is relative
  /// to the issuer without its ``issuerPath``, or is an absolute https URL.
  package var paths: [EndpointRole: String] = [:]
  /// The default scope; if empty, the usual rule applies.
  package var scope: [String] = []
  /// Sent with every authorization request by browser, in this order.
  package var authorizationParameters: [Parameter] = []
  /// The redirect URI to register if the default is not suitable. With a port if the service compares it, contrary to
  /// RFC 8252 section 7.3, or may do so; otherwise any port is allowed.
  package var redirectURI: String?
  /// How to register a client; nil if sign-in is impossible.
  package var registration: Registration?
  /// How to send a client secret, overriding the server's metadata.
  package var tokenEndpointAuthMethod: ClientAuthenticationMethod?
  /// Where users revoke sessions manually: a URL, or the location in a self-hosted server. Nil if sign-in is
  /// impossible.
  package var sessionsPage: String?
  /// The departures from the standards, each with the URL that documents it.
  package var quirks: [Quirk: String] = [:]
  /// Standard error codes by the server's codes or descriptions, in lowercase (RFC 6749 section 5.2).
  package var errorNames: [String: String] = [:]
  /// Refresh errors that require a sign-in and should be `invalid_grant`: values of `error`, or beginnings of its
  /// description.
  package var deadRefreshTokens: [String] = []
  /// Limits of the service, one sentence each, in lowercase without a full stop.
  package var limits: [String] = []
  /// Why sign-in from a terminal is impossible; nil if it is possible.
  package var obstacle: String?
  /// Why the device grant is impossible although the service has something similar.
  package var deviceObstacle: String?
  /// Advice to show with an error.
  package var advice: [Advice] = []

  package init(_ name: ProviderName, _ title: String) {
    self.name = name
    self.title = title
  }

  /// A departure from the standards that requests and responses take into account.
  package enum Quirk: String, Sendable, Hashable, CaseIterable {
    /// It publishes no metadata.
    case noMetadata = "no-metadata"
    /// `scope` in responses is separated by commas.
    case scopeWithCommas = "scope-with-commas"
    case scopeInArray = "scope-in-array"
    /// Both requests of the device grant use `scopes` instead of `scope`.
    case scopesInDeviceGrant = "scopes-in-device-grant"
    /// The error is in `message`, with a number in `status`.
    case errorInMessage = "error-in-message"
    /// `token_type` is `user` for a Bearer token.
    case userTokenType = "user-token-type"
    /// `iss` of an ID Token may omit `https://` from the issuer.
    case issuerWithoutScheme = "issuer-without-scheme"
    /// Multi-tenant: the metadata contain another issuer, or a template with `{tenantid}`.
    case tenantIssuer = "tenant-issuer"
    /// The metadata lack the device authorization endpoint.
    case unannouncedDeviceEndpoint = "unannounced-device-endpoint"
    /// The redirect URI must be specified by the user.
    case ownRedirectURI = "own-redirect-uri"
    /// The issuer in the metadata may have an additional or missing trailing slash, contrary to RFC 8414 section 3.3.
    case slashInIssuer = "slash-in-issuer"
    case secretNeeded = "secret-needed"
    /// Authorization codes require a client secret, device codes do not.
    case secretForCode = "secret-for-code"
    /// The client secret of an installed program is not secret.
    case publicSecret = "public-secret"
    /// Revoking a refresh token ends only its own grant, not others of the same user and client.
    case separateGrants = "separate-grants"
  }

  package func has(_ quirk: Quirk) -> Bool { quirks[quirk] != nil }

  /// How to get a client ID.
  package struct Registration: Sendable, Hashable {
    /// The URL of the page, or the location in a self-hosted server's administration.
    package var page: String
    /// The kind of client to register, in the service's terms.
    package var kind: String
    /// The option to enable, in the service's terms.
    package var option: String?
  }

  package struct Parameter: Sendable, Hashable {
    package var name: String
    package var value: String
  }

  /// Advice for one error.
  package struct Advice: Sendable, Hashable {
    /// The value of `error`, or the beginning of `error_description`.
    package var error: String
    /// One sentence for users, in lowercase without a full stop.
    package var text: String
    /// Whether the text mentions a page, such as the one where the client is registered.
    package var namesPage = false
    /// Whether the text asks for the client secret, which can be passed to a sign-in.
    package var needsSecret = false
    /// Whether the user may not use the device grant, but possibly a browser.
    package var forbidsDevice = false
  }
}

extension Provider {
  package static let all = ProviderName.allCases.map(named)

  /// The provider with this issuer, byte by byte or by one of its templates.
  package static func of(issuer: String) -> Provider? {
    all.first { !$0.isVariant && $0.isIssuer(issuer) }
  }

  /// Whether a server with this issuer may be one of the provider's, by its known issuers.
  package func mayBe(at issuer: String) -> Bool { hasOwnServers || isIssuer(issuer) }

  /// Whether two issuers are the same server: identical, or differing in a trailing slash if the provider has that
  /// quirk.
  package func isSame(_ issuer: String, as other: String) -> Bool {
    if issuer.utf8.elementsEqual(other.utf8) { return true }
    return has(.slashInIssuer)
      && ("\(issuer)/".utf8.elementsEqual(other.utf8) || "\(other)/".utf8.elementsEqual(issuer.utf8))
  }

  private func isIssuer(_ issuer: String) -> Bool {
    if let own = self.issuer, isSame(own, as: issuer) { return true }
    return issuerTemplates.contains { Self.matches(issuer, $0) }
  }

  /// The provider for a URL with only a scheme and host.
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

  /// Whether the text matches the template, with a word for each pair of braces.
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
