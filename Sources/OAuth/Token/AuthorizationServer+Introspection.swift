package import Crypto
internal import Encoding
internal import Vocabulary

extension AuthorizationServer {
  /// Whether this client may ask about tokens: the server offers it, and the client can prove who it is
  /// (RFC 7662 section 2.1: the endpoint must require authorization).
  package var canIntrospect: Bool {
    metadata.introspectionEndpoint != nil && client.authentication.provesClient
  }

  /// Asks whether a token is still good (RFC 7662). The token is not spent.
  ///
  /// - Returns: The answer's `active` (section 2.2): false also for a token that the server does not know,
  ///   or that this client may not know of.
  package func isActive(
    _ token: SharedSecret, hint: RevocationHint, cancellation: Cancellation? = nil
  ) throws(OAuthError) -> Bool {
    let subject = OAuthError.Subject.endpoint(.introspection)
    let endpoint = try require(metadata.introspectionEndpoint, .introspection)
    var form = RequestForm()
    form.add(.token, secret: token)
    form.add(.tokenTypeHint, hint.rawValue)
    let response = try post(form, to: endpoint, .introspection, cancellation: cancellation)
    let sent = secrets(token)
    guard response.status == 200 else {
      throw OAuthError.answered(response, ErrorAnswer.read(response, sent: sent), subject, sent: sent)
    }
    let active = response.body.withBytes { bytes -> Bool? in
      guard let layout = try? JSONLayout(parsing: bytes) else { return nil }
      return layout.root["active"]?.value(in: bytes).bool
    }
    guard response.headers.isJSON else {
      throw OAuthError.notJSON(response, subject, sent: sent, isObject: active != nil)
    }
    guard let active else {
      throw OAuthError(.malformedResponse, .member("active", of: subject), httpStatus: response.status)
    }
    return active
  }
}
