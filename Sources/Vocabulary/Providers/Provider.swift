internal import Encoding

/// The particulars of a public or widely used authorization server, as data.
///
/// An account names one, or has the one of its issuer. They never loosen a rule for other servers, and the account's
/// own settings override all of them.
package struct Provider: Sendable, Hashable {
  package let name: ProviderName
  /// As people call it.
  package let title: String
  /// Where it is, when nothing but its name is said.
  package var issuer: String?
  /// How its issuer is spelt, for one that each customer has under a name of their own.
  package var issuerExample: String?
  /// Its other issuers. A word in braces stands for letters, digits, "-" and "_".
  package var issuerTemplates: [String] = []
  /// People run servers of it under names of their own, each with an issuer of its own.
  package var hasOwnServers = false
  /// Other hosts by which people know it.
  package var hosts: [String] = []
  /// The same server with another scope is a provider of its own, which no issuer or host leads to.
  package var isVariant = false
  /// The end of the issuer's path that ``paths`` are not below. An account's issuer may be without it.
  package var issuerPath = ""
  /// Endpoints that the metadata lack, or all of them for ``Quirk/noMetadata``. Each begins with "/" and is below the
  /// issuer without its ``issuerPath``, or is a whole https URL.
  package var paths: [EndpointRole: String] = [:]
  /// The scope to request when none is named; empty means the usual rule.
  package var scope: [String] = []
  /// Sent with every authorization request by browser, in this order.
  package var authorizationParameters: [Parameter] = []
  /// The redirect URI that people register there, where the usual one does not fit: with a port where the service
  /// compares it (against RFC 8252 section 7.3), or may. Without one it stands for any port.
  package var redirectURI: String?
  /// How a person registers a client; nil where no sign-in is possible.
  package var registration: Registration?
  /// How a client secret is sent, where the server's announcement is not to be followed.
  package var tokenEndpointAuthMethod: ClientAuthenticationMethod?
  /// Where a person ends sessions by hand: an address, or the place in a server of one's own. Nil where no sign-in is
  /// possible.
  package var sessionsPage: String?
  /// The departures from the standards, each with the address of the page that tells of it.
  package var quirks: [Quirk: String] = [:]
  /// The standard errors that the server gives other names, by these or by their descriptions, in small letters (RFC 6749
  /// section 5.2).
  package var errorNames: [String: String] = [:]
  /// Refusals of a refresh after which only a sign-in helps, and which the standards would have as `invalid_grant`: by
  /// the value of `error`, or by how its description begins.
  package var deadRefreshTokens: [String] = []
  /// Limits of the service, one sentence each, lower case, without a full stop.
  package var limits: [String] = []
  /// Why no sign-in is possible from a terminal; nil where one is.
  package var obstacle: String?
  /// The advice to show beside an error, by its name.
  package var advice: [Advice] = []

  package init(_ name: ProviderName, _ title: String) {
    self.name = name
    self.title = title
  }

  /// A departure from the standards that requests and answers take into account.
  package enum Quirk: String, Sendable, Hashable, CaseIterable {
    /// It publishes no metadata.
    case noMetadata = "no-metadata"
    /// `scope` has commas between its values in answers.
    case scopeWithCommas = "scope-with-commas"
    /// `scope` is an array in answers.
    case scopeInArray = "scope-in-array"
    /// The device grant takes the scope as `scopes`, in both of its requests.
    case scopesInDeviceGrant = "scopes-in-device-grant"
    /// An error is the text of `message`, beside a number in `status`.
    case errorInMessage = "error-in-message"
    /// `token_type` is `user` for a Bearer token.
    case userTokenType = "user-token-type"
    /// `iss` of an ID Token may be the issuer without `https://`.
    case issuerWithoutScheme = "issuer-without-scheme"
    /// One issuer stands for many: its metadata name another one, or a template with `{tenantid}`.
    case tenantIssuer = "tenant-issuer"
    /// Metadata lack the device authorization endpoint.
    case unannouncedDeviceEndpoint = "unannounced-device-endpoint"
    /// No redirect URI but one that the person names can be used.
    case ownRedirectURI = "own-redirect-uri"
    /// Metadata may name the issuer with a slash at its end or without (against RFC 8414 section 3.3).
    case slashInIssuer = "slash-in-issuer"
    /// No token comes without a client secret, in any flow.
    case secretNeeded = "secret-needed"
    /// An authorization code is redeemed with a client secret only, and a device code without.
    case secretForCode = "secret-for-code"
    /// The client secret of an installed program is none.
    case publicSecret = "public-secret"
    /// The revocation of a refresh token ends its own grant and no other of the same person and client.
    case separateGrants = "separate-grants"
  }

  package func has(_ quirk: Quirk) -> Bool { quirks[quirk] != nil }

  /// How a person gets a client id.
  package struct Registration: Sendable, Hashable {
    /// The address of the page, or the place in the administration of a server of one's own.
    package var page: String
    /// The kind of client to register, in the service's words.
    package var kind: String
    /// The option that must be switched on, in the service's words.
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
    /// The text names the page where the client is registered, or another one.
    package var namesPage = false
    /// The text asks for the client's secret, which a sign-in can be given.
    package var needsSecret = false
    /// The device grant is forbidden to the user, and a sign-in by browser may be allowed.
    package var forbidsDevice = false
  }
}

extension Provider {
  package static let all = ProviderName.allCases.map(named)

  /// The provider that has this issuer, byte by byte or by one of its templates.
  package static func of(issuer: String) -> Provider? {
    all.first { !$0.isVariant && $0.isIssuer(issuer) }
  }

  /// Whether a server with this issuer can be one of the provider's, by what is known of its issuers.
  package func mayBe(at issuer: String) -> Bool { hasOwnServers || isIssuer(issuer) }

  /// Whether two issuers name the same server: they are the same text, or one has a slash at its end where that is the
  /// provider's quirk.
  package func isSame(_ issuer: String, as other: String) -> Bool {
    if issuer.utf8.elementsEqual(other.utf8) { return true }
    return has(.slashInIssuer)
      && ("\(issuer)/".utf8.elementsEqual(other.utf8) || "\(other)/".utf8.elementsEqual(issuer.utf8))
  }

  private func isIssuer(_ issuer: String) -> Bool {
    if let own = self.issuer, isSame(own, as: issuer) { return true }
    return issuerTemplates.contains { Self.matches(issuer, $0) }
  }

  /// The provider that a URL of no more than a scheme and a host means.
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

  /// Whether the text is the template with a word in place of each pair of braces.
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
