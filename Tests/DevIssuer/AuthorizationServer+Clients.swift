import Crypto
import JOSE

/// Which client sent a request (RFC 6749 section 2.3).
extension AuthorizationServer {
  /// The client of that identifier, without any proof that it sent something.
  func client(_ id: String) throws(OAuthFailure) -> RegisteredClient {
    guard let client = knownClient(id) else { throw OAuthFailure(.invalidRequest, "unknown client") }
    return client
  }

  /// - Throws: `invalid_client` when the client is unknown or did not prove itself,
  ///   `invalid_request` when it used two methods at once.
  func authenticate(_ request: Request, _ parameters: Parameters) throws(OAuthFailure) -> RegisteredClient {
    let claim = try ClientClaim.read(request, parameters)
    guard let client = knownClient(claim.id) else { throw OAuthFailure(.invalidClient, "unknown client") }
    switch (client.authentication, claim.proof) {
    case (.none, .none):
      return client
    case (.secret(let expected), .secret(let found)) where ConstantTime.isEqual(expected.span, found.span):
      return client
    case (.keys(let keys), .assertion(let assertion)):
      try use(assertion, keys, request)
      return client
    default:
      throw OAuthFailure(.invalidClient, "client authentication failed")
    }
  }

  /// The issuer, its token endpoint and the endpoint that was called are all names of this server
  /// (RFC 7523 section 3, item 3; RFC 9126 section 2).
  private func use(_ assertion: ClientAssertion, _ keys: JWKSet, _ request: Request) throws(OAuthFailure) {
    let use = try assertion.verified(
      by: keys, audiences: [issuer, issuer + "/token", issuer + request.path], at: wallSeconds())
    try withState { (state) throws(OAuthFailure) in
      guard state.assertions[use] == nil else {
        throw OAuthFailure(.invalidClient, "client_assertion was used before")
      }
      state.assertions[use] = true
      state.count(.clientAssertions)
    }
  }

  private func knownClient(_ id: String) -> RegisteredClient? {
    if let client = clients.first(where: { $0.id == id }) { return client }
    guard let key = OpaqueKey(text: id) else { return nil }
    return withState { $0.registrations[key]?.client }
  }
}
