internal import Encoding
package import Vocabulary

/// The settings of a public or widely used authorization server, as data.
///
/// An account names one explicitly. These settings never loosen a rule for other servers, and the account's own
/// settings override all of them.
package struct Provider: Sendable, Hashable {
  package let name: ProviderName
  /// As people call it.
  package let title: String
  /// Where it is, for a service that is in one place only or mostly.
  package var issuer: String?
  /// How its issuer is spelt, for one that each customer has under a name of their own.
  package var issuerExample: String?
  /// Endpoints of a server that publishes no metadata, as paths below the issuer.
  package var paths: Paths?
  /// The scope to request when none is named; empty means the usual rule.
  package var scope: [String] = []
  package var scopeSeparator = TokenResponse.ScopeSeparator.space
  /// Sent with every authorization request by browser, in this order.
  package var authorizationParameters: [Parameter] = []
  /// The host of loopback redirect URIs, where the server takes one spelling only.
  package var redirectHost: String?
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

  /// Paths that are appended to the issuer.
  package struct Paths: Sendable, Hashable {
    package var authorization: String
    package var token: String
    package var deviceAuthorization: String?
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

  /// The endpoints for an issuer that publishes no metadata; nil where it does.
  package func endpoints(of issuer: Issuer, allowHTTPLoopback: Bool) throws(OAuthError) -> EndpointOverrides? {
    guard let paths else { return nil }
    let base = issuer.text.hasSuffix("/") ? String(issuer.text.dropLast()) : issuer.text
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
