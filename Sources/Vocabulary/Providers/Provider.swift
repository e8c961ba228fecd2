internal import Encoding
internal import Platform

/// An authorization server's known properties, selected by an account's provider or issuer and overridden by its
/// settings. Never loosens a rule for other servers.
package struct Provider: Sendable, Hashable {
  package internal(set) var name: ProviderName
  /// Shown to users.
  package internal(set) var title: String
  /// Other names of company or product, lowercase without blanks and dashes.
  package var aliases: [String] = []
  /// The issuer of an account that names only the provider.
  package var issuer: String?
  /// An example, for products with a host name per customer.
  package var issuerExample: String?
  /// Templates of further issuers. A word in braces matches letters, digits, "-" and "_".
  package var issuerTemplates: [String] = []
  package var isSelfHostable = false
  /// Other host names that users enter.
  package var hosts: [String] = []
  /// Whether this is another provider's server with other settings. Issuers and hosts do not select it.
  package var isVariant = false
  /// The end of the issuer's path that endpoint URLs lack. An account's issuer may omit it.
  package var issuerPath = ""
  /// Endpoints that the metadata lacks, or all with ``Quirk/noMetadata``: absolute https URLs, or paths to append to
  /// the issuer without ``issuerPath``.
  package var paths: [EndpointRole: String] = [:]
  /// Registered by the administrator for all users.
  package var clientID: String?
  /// If empty, the default for unknown servers: `openid` and more.
  package var scope: [String] = []
  /// Parameters of browser sign-ins, in order.
  package var authorizationParameters: [Parameter] = []
  /// Parameters sent with every authorization code.
  package var codeParameters: [Parameter] = []
  /// The redirect URI if the standard one is unsuitable; has a port if the service compares ports, contrary to RFC 8252
  /// section 7.3.
  package var redirectURI: String?
  /// Nil if signing in is impossible.
  package var registration: Registration?
  /// The authentication method with a client secret, overriding the metadata.
  package var tokenEndpointAuthMethod: ClientAuthenticationMethod?
  /// The URL of the page for revoking sessions, or how to find it on self-hosted servers; nil if signing in is
  /// impossible.
  package var sessionsPage: String?
  /// Departures from the standards, with URLs of their documentation.
  package var quirks: [Quirk: String] = [:]
  /// Standard error codes (RFC 6749 section 5.2) by the server's lowercase code or description.
  package var errorNames: [String: String] = [:]
  /// Refresh errors that mean `invalid_grant`: values of `error`, or prefixes of `error_description`.
  package var invalidRefreshTokenErrors: [String] = []
  /// The service's limits, as sentences in lowercase without a full stop.
  package var limits: [String] = []
  /// Why signing in from a terminal is impossible.
  package var obstacle: String?
  /// Why the device grant is impossible, despite a similar feature.
  package var deviceObstacle: String?
  package var advice: [Advice] = []

  package init(_ name: ProviderName, _ title: String) {
    self.name = name
    self.title = title
  }

  /// A departure from the standards.
  package enum Quirk: String, Sendable, Hashable, CaseIterable {
    case noMetadata = "no-metadata"
    /// Responses separate `scope` by commas.
    case scopeWithCommas = "scope-with-commas"
    case scopeInArray = "scope-in-array"
    /// The device grant uses `scopes` instead of `scope`.
    case scopesInDeviceGrant = "scopes-in-device-grant"
    /// Errors have `message`, and a number in `status`.
    case errorInMessage = "error-in-message"
    /// An invalid refresh token gets status 400 with an HTML body or none.
    case deadTokenWithoutError = "dead-token-without-error"
    /// `token_type` is `user` for a Bearer token.
    case userTokenType = "user-token-type"
    /// The `iss` claim may omit `https://`.
    case issuerWithoutScheme = "issuer-without-scheme"
    /// A multi-tenant server's metadata contains another issuer, or a template with `{tenantid}`.
    case tenantIssuer = "tenant-issuer"
    case unannouncedDeviceEndpoint = "unannounced-device-endpoint"
    /// The user must specify the redirect URI.
    case ownRedirectURI = "own-redirect-uri"
    /// The metadata's issuer may differ by a trailing slash, contrary to RFC 8414 section 3.3.
    case slashInIssuer = "slash-in-issuer"
    /// Every client needs a secret.
    case secretNeeded = "secret-needed"
    /// Authorization codes require a client secret, unlike device codes.
    case secretForCode = "secret-for-code"
    /// An installed program's client secret is not confidential.
    case publicSecret = "public-secret"
    /// Revoking a refresh token ends only its own grant.
    case separateGrants = "separate-grants"
  }

  package func has(_ quirk: Quirk) -> Bool { quirks[quirk] != nil }

  /// How to register a client with the service.
  package struct Registration: Sendable, Hashable {
    /// The page's URL, or how to find it on self-hosted servers.
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
    /// The `error`, or the start of `error_description`, that causes the advice.
    package var error: String
    /// In lowercase, without a full stop.
    package var text: String
    /// Whether the text already mentions a page.
    package var namesPage = false
    /// Whether the advice is to provide the client secret.
    package var needsSecret = false
    /// Whether the error rules out the device grant.
    package var forbidsDevice = false
  }

  /// The built-in providers, then the administrator's.
  package static var all: [Provider] { builtIn + administratorDefined.withLock { $0 } }

  /// Set by ``AdministratorFiles``, for all threads.
  static let administratorDefined = Monitor<[Provider]>([])

  /// All names, the administrator's first.
  package static var names: [String] { (administratorDefined.withLock { $0 } + builtIn).map(\.name.rawValue) }

  /// The provider with this name, without properties if unknown.
  package static func named(_ name: ProviderName) -> Provider {
    all.first { $0.name == name } ?? Provider(name, name.rawValue)
  }

  /// Whether built in or defined by the administrator.
  package var isKnown: Bool { name.isKnown }

  /// Compared exactly or by template.
  package static func of(issuer: String) -> Provider? {
    all.first { !$0.isVariant && $0.isIssuer(issuer) }
  }

  package func mayHaveIssuer(_ issuer: String) -> Bool { isSelfHostable || isIssuer(issuer) }

  /// Whether two issuers are the same server, ignoring a trailing slash with ``Quirk/slashInIssuer``.
  package func isSameServer(_ issuer: String, as other: String) -> Bool {
    if issuer.hasSameBytes(as: other) { return true }
    return has(.slashInIssuer)
      && ("\(issuer)/".hasSameBytes(as: other) || "\(other)/".hasSameBytes(as: issuer))
  }

  func isIssuer(_ issuer: String) -> Bool {
    // Users may paste a page's URL. The obstacle is then reported first.
    if obstacle != nil {
      var page = issuer.prefix { $0 != "#" }
      while page.utf8.last == UInt8(ascii: "/") { page.removeLast() }
      let urls = [self.issuer].compactMap { $0 } + hosts.map { "https://\($0)" }
      return urls.contains { $0.hasSameBytes(as: String(page)) }
        || issuerTemplates.contains { Self.matches(String(page), $0) }
    }
    if let own = self.issuer, isSameServer(own, as: issuer) { return true }
    return issuerTemplates.contains { Self.matches(issuer, $0) }
  }

  /// The provider with the URL's host; nil unless the URL is `https://HOST`.
  package static func of(baseURL url: String) -> Provider? {
    guard let uri = try? URI(url), uri.isHTTPS, uri.port == nil, uri.path.isEmpty || uri.path == "/",
      uri.query == nil, uri.fragment == nil
    else { return nil }
    let host = uri.host.lowercased()
    return all.first { provider in
      guard !provider.isVariant else { return false }
      let own = provider.issuer.flatMap { (try? URI($0))?.host }
      return (provider.hosts + [own].compactMap { $0 }).contains { $0.hasSameBytes(as: host) }
    }
  }

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

extension ProviderName {
  /// Whether built in or defined by the administrator.
  package var isKnown: Bool {
    Provider.all.contains { $0.name == self }
  }

  /// The providers with this alias, ignoring case, blanks and dashes.
  package static func known(as name: String) -> [ProviderName] {
    let name = name.lowercased().filter { $0 != " " && $0 != "-" }
    return Provider.all.filter { $0.aliases.contains { $0.hasSameBytes(as: name) } }.map(\.name)
  }

  package init?(known name: String) {
    guard let name = Self(rawValue: name), name.isKnown else { return nil }
    self = name
  }
}
