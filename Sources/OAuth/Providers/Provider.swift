internal import Encoding
package import Vocabulary

/// The settings of a public or widely used authorization server, as data.
///
/// An account names one, or has the one of its issuer. These settings never loosen a rule for other servers, and the
/// account's own settings override all of them.
package struct Provider: Sendable, Hashable {
  package let name: ProviderName
  /// As people call it.
  package let title: String
  /// Where it is, for a service that is in one place only or mostly.
  package var issuer: String?
  /// How its issuer is spelt, for one that each customer has under a name of their own.
  package var issuerExample: String?
  /// Other hosts by which people know it.
  package var hosts: [String] = []
  /// The end of the issuer's path that ``paths`` are not below. An account's issuer may be without it.
  package var issuerPath = ""
  /// False for a server whose endpoints are ``paths`` alone.
  package var publishesMetadata = true
  /// Endpoints that the metadata lack.
  package var paths = Paths()
  /// The scope to request when none is named; empty means the usual rule.
  package var scope: [String] = []
  package var scopeSeparator = TokenResponse.ScopeSeparator.space
  /// Sent with every authorization request by browser, in this order.
  package var authorizationParameters: [Parameter] = []
  /// The redirect URI that people register there, where that of the issuer does not fit.
  package var redirectURI: String?
  /// How a person registers a client; nil where only the server's administrator knows.
  package var registration: Registration?
  /// How a client secret is sent, where the server's announcement is not to be followed.
  package var tokenEndpointAuthMethod: ClientAuthenticationMethod?
  /// Where a person ends sessions by hand, for a server that has no revocation endpoint.
  package var sessionsPage: String?
  /// Why no sign-in is possible from a terminal; nil where one is.
  package var obstacle: String?
  /// The advice to show beside an error, by its name.
  package var advice: [Advice] = []

  package init(_ name: ProviderName, _ title: String) {
    self.name = name
    self.title = title
  }

  /// Paths that are appended to the issuer, without its ``issuerPath``.
  package struct Paths: Sendable, Hashable {
    package var authorization: String?
    package var token: String?
    package var deviceAuthorization: String?
  }

  /// What a person does to get a client id.
  package struct Registration: Sendable, Hashable {
    /// The address of the page.
    package var page: String
    /// The kind of client to register, in the service's words.
    package var kind: String
    /// What must be switched on, in the service's words.
    package var option: String?
  }

  package struct Parameter: Sendable, Hashable {
    package var name: String
    package var value: String
  }

  /// Help with one error.
  package struct Advice: Sendable, Hashable {
    /// The value of `error`, or the beginning of `error_description`.
    package var error: String
    /// One sentence for people, lower case, without a full stop.
    package var text: String
  }
}

extension Provider {
  package static let all = ProviderName.allCases.map(named)

  /// The provider whose one issuer this is, byte by byte.
  package static func of(issuer: String) -> Provider? {
    all.first { $0.issuer.map { $0.utf8.elementsEqual(issuer.utf8) } ?? false }
  }

  /// The provider that a URL of no more than a scheme and a host means.
  package static func of(place: String) -> Provider? {
    guard let uri = try? URI(place), uri.isHTTPS, uri.port == nil, uri.path.isEmpty || uri.path == "/",
      uri.query == nil, uri.fragment == nil
    else { return nil }
    let host = uri.host.lowercased()
    return all.first { provider in
      let own = provider.issuer.flatMap { (try? URI($0))?.host }
      return (provider.hosts + [own].compactMap { $0 }).contains { $0.utf8.elementsEqual(host.utf8) }
    }
  }

  /// The issuer without ``issuerPath`` and without a slash at the end.
  private func base(of issuer: Issuer) -> String {
    let text = issuer.text.hasSuffix("/") ? String(issuer.text.dropLast()) : issuer.text
    return text.hasSuffix(issuerPath) ? String(text.dropLast(issuerPath.count)) : text
  }

  /// The issuer as the server's answers name it (RFC 9207), when the account names it in another way; else nil.
  package func responseIssuer(of issuer: Issuer) -> String? {
    let full = base(of: issuer) + issuerPath
    return issuerPath.isEmpty || issuer.isSame(as: full) ? nil : full
  }

  /// The endpoints that are known of an issuer.
  package func endpoints(of issuer: Issuer, allowHTTPLoopback: Bool) throws(OAuthError) -> EndpointOverrides {
    let base = base(of: issuer)
    func endpoint(_ path: String?) throws(OAuthError) -> Endpoint? {
      guard let path else { return nil }
      return try Endpoint(base + path, allowHTTPLoopback: allowHTTPLoopback)
    }
    var overrides = EndpointOverrides()
    overrides.authorization = try endpoint(paths.authorization)
    overrides.token = try endpoint(paths.token)
    overrides.deviceAuthorization = try endpoint(paths.deviceAuthorization)
    return overrides
  }

  /// The advice for `error`; nil when there is none.
  package func advice(for error: OAuthError) -> String? {
    func matches(_ advice: Advice) -> Bool {
      if let value = error.serverError, value.utf8.elementsEqual(advice.error.utf8) { return true }
      guard let description = error.serverDescription, description.utf8.starts(with: advice.error.utf8) else {
        return false
      }
      // "AADSTS7000" is not "AADSTS70008".
      let next = description.utf8.dropFirst(advice.error.utf8.count).first
      return next.map { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? true
    }
    return advice.first(where: matches)?.text
  }
}
