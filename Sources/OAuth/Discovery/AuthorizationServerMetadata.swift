internal import Encoding
package import Vocabulary

/// The metadata of an authorization server (RFC 8414 section 2, OpenID Connect Discovery 1.0 section 3).
package struct AuthorizationServerMetadata: Sendable {
  package let issuer: Issuer
  /// How the server's tokens and answers name the issuer, where one issuer stands for many; else nil.
  package private(set) var tenant: TenantIssuer?
  package var tokenEndpoint: Endpoint?
  /// The device grant is offered exactly when this is there (RFC 8628 section 4).
  package var deviceAuthorizationEndpoint: Endpoint?
  package var authorizationEndpoint: Endpoint?
  package var jwksURI: Endpoint?
  package var userinfoEndpoint: Endpoint?
  package var revocationEndpoint: Endpoint?
  package var introspectionEndpoint: Endpoint?
  package var endSessionEndpoint: Endpoint?
  package var pushedAuthorizationRequestEndpoint: Endpoint?
  package var registrationEndpoint: Endpoint?
  /// The members that name an endpoint to which nothing may be sent. Such an endpoint counts as announced and cannot be
  /// used; the rest of the document can.
  package internal(set) var unusableEndpoints: [EndpointRole: String] = [:]
  /// A member of the wrong shape that says how a sign-in by authorization code is protected, so none is made; nil if there
  /// is none.
  package private(set) var malformedSafeguard: String?
  /// As announced; it narrows what we accept and never widens it.
  package var idTokenSigningAlgorithms: [String] = []
  package var tokenEndpointAuthMethods = ["client_secret_basic"]
  /// False when the methods are only those that the specification takes for granted.
  package var announcesTokenEndpointAuthMethods = false
  /// nil when the server does not say.
  package var revocationEndpointAuthMethods: [String]?
  /// nil when the server does not say.
  package var tokenEndpointAuthSigningAlgorithms: [String]?
  /// Only for clients that show a certificate: see ``forMutualTLS``.
  package var mtlsEndpointAliases: MTLSEndpointAliases?
  /// Tokens are bound to the certificate that a client shows (RFC 8705 section 3.3).
  package var bindsTokensToCertificates = false
  package var grantTypes = ["authorization_code", "implicit"]
  /// nil when the server does not say.
  package var scopes: [String]?
  /// Empty when the server announces no PKCE (RFC 8414 section 2).
  package var codeChallengeMethods: [String] = []
  /// Each answer of the authorization endpoint names the issuer (RFC 9207 section 3).
  package var answersNameIssuer = false
  /// The algorithms that may sign a proof of possession (RFC 9449 section 5.1); nil when the server does not say.
  package var dpopSigningAlgorithms: [String]?
  /// The authorization endpoint takes pushed requests only (RFC 9126 section 5).
  package var requiresPushedRequests = false
  /// A client may be a URL at which its metadata are published (draft-ietf-oauth-client-id-metadata-document-03 section 6);
  /// nil for a server that publishes no metadata itself.
  package var takesMetadataURLs: Bool?

  /// The endpoints that requests go to, each with its member of the document and its property.
  static let endpoints:
    [(
      role: EndpointRole, member: String,
      place: any WritableKeyPath<AuthorizationServerMetadata, Endpoint?> & Sendable
    )] = [
      (.token, "token_endpoint", \.tokenEndpoint),
      (.deviceAuthorization, "device_authorization_endpoint", \.deviceAuthorizationEndpoint),
      (.authorization, "authorization_endpoint", \.authorizationEndpoint),
      (.keys, "jwks_uri", \.jwksURI),
      (.userinfo, "userinfo_endpoint", \.userinfoEndpoint),
      (.revocation, "revocation_endpoint", \.revocationEndpoint),
      (.introspection, "introspection_endpoint", \.introspectionEndpoint),
      (.pushedAuthorization, "pushed_authorization_request_endpoint", \.pushedAuthorizationRequestEndpoint),
      (.registration, "registration_endpoint", \.registrationEndpoint),
    ]

  /// The metadata of a server that publishes none: only what the account names.
  package init(issuer: Issuer, overrides: [EndpointRole: Endpoint]) {
    self.issuer = issuer
    apply(overrides)
  }

  /// Reads a metadata document.
  ///
  /// Unknown members are ignored. A member whose value is null counts as absent.
  ///
  /// - Throws: `issuerMismatch` when the document is not for `issuer`, byte by byte; then nothing of it is
  ///   used (RFC 8414 section 3.3). `metadataInvalid` when it is no JSON object, or names its issuer by no text. Any other
  ///   member of the wrong shape costs only what needs it: see ``unusableEndpoints`` and ``malformedSafeguard``.
  package init(parsing body: [UInt8], issuer: Issuer, allowHTTPLoopback: Bool) throws(OAuthError) {
    guard let object = (try? JSON(parsing: body))?.object else {
      throw OAuthError(.metadataInvalid, .reason("it is not a JSON object"))
    }
    let reader = MetadataReader(object: object, allowHTTPLoopback: allowHTTPLoopback)
    let named = try reader.string("issuer")
    if let named, !issuer.isSame(as: named) { tenant = TenantIssuer(named, of: issuer) }
    guard let named, tenant != nil || issuer.isSame(as: named) else {
      var mismatch = OAuthError(.issuerMismatch, .configuredIssuer).naming(named)
      if let named, issuer.differsBySlash(from: named) { mismatch.issuerMeant = named }
      throw mismatch
    }
    self.issuer = issuer
    var unusable: [EndpointRole: String] = [:]
    for (role, member, place) in Self.endpoints { self[keyPath: place] = reader.endpoint(member, role, &unusable) }
    endSessionEndpoint = reader.endpoint("end_session_endpoint")
    idTokenSigningAlgorithms =
      reader.readableStrings("id_token_signing_alg_values_supported") ?? idTokenSigningAlgorithms
    announcesTokenEndpointAuthMethods = object["token_endpoint_auth_methods_supported"] != nil
    tokenEndpointAuthMethods =
      reader.readableStrings("token_endpoint_auth_methods_supported") ?? tokenEndpointAuthMethods
    tokenEndpointAuthSigningAlgorithms = reader.readableStrings("token_endpoint_auth_signing_alg_values_supported")
    revocationEndpointAuthMethods = reader.readableStrings("revocation_endpoint_auth_methods_supported")
    mtlsEndpointAliases = reader.object("mtls_endpoint_aliases").map(MTLSEndpointAliases.init)
    bindsTokensToCertificates = reader.isSet("tls_client_certificate_bound_access_tokens")
    grantTypes = reader.readableStrings("grant_types_supported") ?? grantTypes
    scopes = reader.readableStrings("scopes_supported")
    codeChallengeMethods = reader.readableStrings("code_challenge_methods_supported") ?? codeChallengeMethods
    answersNameIssuer = reader.isSet("authorization_response_iss_parameter_supported")
    dpopSigningAlgorithms = reader.readableStrings("dpop_signing_alg_values_supported")
    requiresPushedRequests = reader.isSet("require_pushed_authorization_requests")
    takesMetadataURLs = reader.isSet("client_id_metadata_document_supported")
    malformedSafeguard =
      ["authorization_response_iss_parameter_supported", "require_pushed_authorization_requests"]
      .first { !reader.isReadable(flag: $0) }
      ?? ["code_challenge_methods_supported"].first { !reader.isReadable(list: $0) }
    unusableEndpoints = unusable
  }

  /// Refuses an endpoint that is announced and cannot be used.
  ///
  /// - Throws: `metadataInvalid` with the name of the member.
  package func checkUsable(_ role: EndpointRole) throws(OAuthError) {
    if let member = unusableEndpoints[role] { throw OAuthError(.metadataInvalid, .name(member)) }
  }

  /// Whether codes can be protected by PKCE: `S256` is announced, or nothing is.
  package var acceptsCodeChallenges: Bool {
    codeChallengeMethods.isEmpty || codeChallengeMethods.contains { $0.utf8.elementsEqual(CodeVerifier.method.utf8) }
  }

  /// Whether a sign-in by authorization code can be tried.
  package var offersCodeFlow: Bool {
    authorizationEndpoint != nil && tokenEndpoint != nil && acceptsCodeChallenges && malformedSafeguard == nil
  }

  /// This metadata with the endpoints that the account names in place of the server's own, and with those that are
  /// known of the server where both have none.
  package func applying(
    _ overrides: [EndpointRole: Endpoint], else known: [EndpointRole: Endpoint] = [:]
  ) -> AuthorizationServerMetadata {
    var copy = self
    copy.apply(known, onlyMissing: true)
    copy.apply(overrides)
    return copy
  }

  /// The origins that may be contacted, sorted, each once. They may differ from the issuer's own.
  package var endpointOrigins: [String] {
    let endpoints = Self.endpoints.map { self[keyPath: $0.place] } + [endSessionEndpoint]
    return Set(endpoints.compactMap { $0?.uri.origin }).sorted()
  }

  private mutating func apply(_ named: [EndpointRole: Endpoint], onlyMissing: Bool = false) {
    for (role, _, place) in Self.endpoints {
      guard let endpoint = named[role], !onlyMissing || self[keyPath: place] == nil else { continue }
      self[keyPath: place] = endpoint
      unusableEndpoints[role] = nil
    }
  }
}

extension AuthorizationServerMetadata {
  /// Where a browser ends its own session at the server (OpenID Connect RP-Initiated Logout 1.0 section 2); nil when
  /// the server has no such page.
  ///
  /// The user is named by `logout_hint` and the client by `client_id`, both of which section 2 offers in the place of
  /// `id_token_hint`. An ID Token there would lie about in the history of the browser, in the arguments of the program
  /// that opens it and in the server's logs, and some resources still take it for a credential; without it the server
  /// asks the person before it signs out, which is what section 2 wants of it anyhow. No
  /// `post_logout_redirect_uri` is sent, since nothing waits for the browser (section 3), and so no `state` either.
  ///
  /// - Parameter subject: The person, as the ID Token named them; nil when there was none.
  package func logoutURL(clientID: String, subject: String?) -> String? {
    endSessionEndpoint?.uri.appendingQuery(
      [("client_id", clientID)] + (subject.map { [("logout_hint", $0)] } ?? []))
  }
}
