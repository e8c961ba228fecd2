package import OAuth

/// A sign-in's redirect URI, and the variants that the server accepts.
package struct SignInRedirect: Sendable {
  /// Contains a port only if no other one is allowed.
  package let uri: RedirectURI
  /// Whether IPv6 is allowed too: the URI was not registered by hand.
  package let mayBeIPv6: Bool
  /// Whether the URI is a dynamically registered client's, which can be registered again.
  let isRegistered: Bool

  /// Uses the redirect URI of the settings, or else of the latest sign-in, the provider, or the default. `old` is nil
  /// for a new account.
  init(
    _ configuration: AccountConfiguration, _ metadata: AuthorizationServerMetadata, keeping old: AccountRecord?
  ) throws(SessionError) {
    let provider = configuration.providerSettings
    if configuration.redirectURI == nil, let provider, provider.has(.ownRedirectURI) {
      throw .redirectURINeeded(provider: provider.title)
    }
    let kept = old.flatMap { $0.authority.isSameClient(as: configuration) ? $0 : nil }
    if configuration.hasMetadataURL, kept?.registration == nil {
      self = try SignInRedirect(publishedBy: configuration)
      return
    }
    let named = configuration.redirectURI ?? kept?.redirectURI ?? (kept == nil ? provider?.redirectURI : nil)
    isRegistered = configuration.redirectURI == nil && kept?.redirectURI != nil && kept?.registration != nil
    mayBeIPv6 = configuration.redirectURI == nil && (isRegistered || named == nil)
    guard let named else {
      uri = RedirectURI(
        standardFor: metadata.issuer, responsesNameIssuer: kept == nil && metadata.responsesNameIssuer)
      return
    }
    do { uri = try RedirectURI(named) } catch { throw .oauth(error) }
  }

  /// The redirect URI in the metadata that the client publishes: the settings' one, or else the default.
  init(publishedBy configuration: AccountConfiguration) throws(SessionError) {
    do throws(OAuthError) {
      let named = try configuration.redirectURI.map { (text) throws(OAuthError) in try RedirectURI(text) }
      self.init(named ?? .callback, mayBeIPv6: named == nil)
    } catch {
      throw .oauth(error)
    }
  }

  private init(_ uri: RedirectURI, mayBeIPv6: Bool = true) {
    self.uri = uri
    self.mayBeIPv6 = mayBeIPv6
    isRegistered = false
  }

  var withAnyPort: SignInRedirect { uri.loopbackHost == nil ? self : SignInRedirect(uri.at(.ipv4)) }

  func withPort(_ port: UInt16?) -> SignInRedirect {
    guard let host = uri.loopbackHost, uri.port == nil, let port else { return self }
    return SignInRedirect(uri.at(host, port: port), mayBeIPv6: mayBeIPv6)
  }

  /// With the port, since some servers compare it, contrary to RFC 8252 section 7.3.
  func urisToRegister(port: UInt16?) -> [String] {
    guard uri.loopbackHost != nil, uri.port == nil, mayBeIPv6 else { return [uri.text] }
    return [RedirectURI.Host.ipv4, .ipv6].map { uri.at($0, port: port).text }
  }
}
