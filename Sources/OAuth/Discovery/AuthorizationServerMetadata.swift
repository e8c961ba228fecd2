internal import Encoding

/// An authorization server's metadata (RFC 8414 section 2, OpenID Connect Discovery 1.0 section 3).
package struct AuthorizationServerMetadata: Sendable {
  package let issuer: Issuer
  /// The template for a multi-tenant server's `iss`.
  package private(set) var tenant: TenantIssuer?
  private var endpoints: [EndpointRole: Endpoint] = [:]
  package private(set) var endSessionEndpoint: Endpoint?
  /// Members of unusable endpoints. Only requests that need one fail.
  package internal(set) var unusableEndpoints: [EndpointRole: String] = [:]
  /// A malformed member that protects codes, if any. Sign-ins by code are refused.
  package private(set) var malformedCodeProtection: String?
  /// Empty if not announced.
  package var idTokenSigningAlgorithms: [String] = []
  package var tokenEndpointAuthMethods = ["client_secret_basic"]
  /// False if ``tokenEndpointAuthMethods`` is the specification's default.
  package var announcesTokenEndpointAuthMethods = false
  /// Nil if not announced.
  package var revocationEndpointAuthMethods: [String]?
  package var tokenEndpointAuthSigningAlgorithms: [String]?
  package var mtlsEndpointAliases: MTLSEndpointAliases?
  /// Whether tokens are bound to the client's certificate (RFC 8705 section 3.3).
  package var bindsTokensToCertificates = false
  package var grantTypes = ["authorization_code", "implicit"]
  /// Nil if not announced.
  package var scopes: [String]?
  /// PKCE methods; empty if not announced (RFC 8414 section 2).
  package var codeChallengeMethods: [String] = []
  /// Whether every authorization response contains `iss` (RFC 9207 section 3).
  package var responsesNameIssuer = false
  /// Nil if not announced (RFC 9449 section 5.1).
  package var dpopSigningAlgorithms: [String]?
  /// Whether all requests must be pushed (RFC 9126 section 5).
  package var requiresPushedRequests = false
  /// Whether client IDs may be client metadata URLs (draft-ietf-oauth-client-id-metadata-document-03 section 6). Nil
  /// without metadata.
  package var acceptsMetadataURLs: Bool?

  /// Metadata members, by endpoint.
  static let endpointMembers: KeyValuePairs<EndpointRole, String> = [
    .token: "token_endpoint", .deviceAuthorization: "device_authorization_endpoint",
    .authorization: "authorization_endpoint", .keys: "jwks_uri", .userinfo: "userinfo_endpoint",
    .revocation: "revocation_endpoint", .introspection: "introspection_endpoint",
    .pushedAuthorization: "pushed_authorization_request_endpoint", .registration: "registration_endpoint",
  ]

  /// Describes a server that publishes no metadata.
  package init(issuer: Issuer, overrides: [EndpointRole: Endpoint]) {
    self.issuer = issuer
    apply(overrides)
  }

  /// - Throws: `issuerMismatch` unless the document's issuer is `issuer`, byte for byte (RFC 8414 section 3.3), or a
  ///   ``tenant``; `metadataInvalid` if the document is not an object or its issuer not a string. Other malformed
  ///   members only set ``unusableEndpoints`` or ``malformedCodeProtection``.
  package init(parsing body: [UInt8], issuer: Issuer, allowHTTPLoopback: Bool) throws(OAuthError) {
    guard let object = (try? JSON(parsing: body))?.object else {
      throw OAuthError(.metadataInvalid, .reason("it is not a JSON object"))
    }
    let reader = MetadataReader(object: object, allowHTTPLoopback: allowHTTPLoopback)
    let named = try reader.string("issuer")
    if let named, !issuer.isSame(as: named) { tenant = TenantIssuer(named, of: issuer) }
    guard let named, tenant != nil || issuer.isSame(as: named) else {
      var mismatch = OAuthError(.issuerMismatch, .configuredIssuer).addingIssuer(named)
      if let named, issuer.differsBySlash(from: named) { mismatch.intendedIssuer = named }
      mismatch.advice = issuer.mismatchAdvice
      throw mismatch
    }
    self.issuer = issuer
    var unusable: [EndpointRole: String] = [:]
    for (role, member) in Self.endpointMembers { endpoints[role] = reader.endpoint(member, role, &unusable) }
    endSessionEndpoint = reader.endpoint("end_session_endpoint")
    idTokenSigningAlgorithms =
      reader.lenientStrings("id_token_signing_alg_values_supported") ?? idTokenSigningAlgorithms
    announcesTokenEndpointAuthMethods = object["token_endpoint_auth_methods_supported"] != nil
    tokenEndpointAuthMethods =
      reader.lenientStrings("token_endpoint_auth_methods_supported") ?? tokenEndpointAuthMethods
    tokenEndpointAuthSigningAlgorithms = reader.lenientStrings("token_endpoint_auth_signing_alg_values_supported")
    revocationEndpointAuthMethods = reader.lenientStrings("revocation_endpoint_auth_methods_supported")
    bindsTokensToCertificates = reader.isSet("tls_client_certificate_bound_access_tokens")
    grantTypes = reader.lenientStrings("grant_types_supported") ?? grantTypes
    scopes = reader.lenientStrings("scopes_supported")
    codeChallengeMethods = reader.lenientStrings("code_challenge_methods_supported") ?? codeChallengeMethods
    responsesNameIssuer = reader.isSet("authorization_response_iss_parameter_supported")
    dpopSigningAlgorithms = reader.lenientStrings("dpop_signing_alg_values_supported")
    requiresPushedRequests = reader.isSet("require_pushed_authorization_requests")
    acceptsMetadataURLs = reader.isSet("client_id_metadata_document_supported")
    malformedCodeProtection =
      ["authorization_response_iss_parameter_supported", "require_pushed_authorization_requests"]
      .first { !reader.isValid(flag: $0) }
      ?? ["code_challenge_methods_supported"].first { !reader.isValid(list: $0) }
    unusableEndpoints = unusable
    mtlsEndpointAliases = reader.object(MTLSEndpointAliases.member).map { MTLSEndpointAliases($0, of: self) }
  }

  /// Nil if missing or unusable.
  package subscript(role: EndpointRole) -> Endpoint? {
    get { endpoints[role] }
    set { endpoints[role] = newValue }
  }

  /// Throws `metadataInvalid` with the member's name if an announced endpoint is unusable.
  package func checkUsable(_ role: EndpointRole) throws(OAuthError) {
    if let member = unusableEndpoints[role] { throw OAuthError(.metadataInvalid, .name(member)) }
  }

  /// Whether the server announces `S256`, or no PKCE methods.
  package var acceptsCodeChallenges: Bool {
    codeChallengeMethods.isEmpty || codeChallengeMethods.contains { $0.hasSameBytes(as: CodeVerifier.method) }
  }

  package var offersCodeFlow: Bool {
    self[.authorization] != nil && self[.token] != nil && acceptsCodeChallenges && malformedCodeProtection == nil
  }

  /// A copy with endpoints replaced by `overrides`, and missing ones from `known`.
  package func applying(
    _ overrides: [EndpointRole: Endpoint], else known: [EndpointRole: Endpoint] = [:]
  ) -> AuthorizationServerMetadata {
    var copy = self
    copy.apply(known, onlyMissing: true)
    copy.apply(overrides)
    return copy
  }

  /// Sorted, without duplicates.
  package var endpointOrigins: [String] {
    Set((endpoints.values + [endSessionEndpoint].compactMap { $0 }).map(\.uri.origin)).sorted()
  }

  mutating func apply(_ named: [EndpointRole: Endpoint], onlyMissing: Bool = false) {
    for (role, _) in Self.endpointMembers where named[role] != nil && (!onlyMissing || endpoints[role] == nil) {
      endpoints[role] = named[role]
      unusableEndpoints[role] = nil
    }
  }

  /// The URL that ends the browser's session (OpenID Connect RP-Initiated Logout 1.0 section 2). `subject` is the
  /// user's `sub`. Omits `id_token_hint`, which would leak into history and logs.
  package func logoutURL(clientID: String, subject: String?) -> String? {
    endSessionEndpoint?.uri.appendingQuery(
      [("client_id", clientID)] + (subject.map { [("logout_hint", $0)] } ?? []))
  }
}
