package import Crypto
internal import Encoding

extension AuthorizationServer {
  /// Whether server and client allow introspection, which needs client authentication (RFC 7662 section 2.1).
  package var canIntrospect: Bool {
    metadata[.introspection] != nil && client.authentication.authenticatesClient
  }

  /// Returns whether a token is active (RFC 7662); false also if hidden from this client (section 2.2). Does not spend
  /// it.
  package func introspect(
    _ token: SharedSecret, hint: TokenTypeHint, cancellation: Cancellation? = nil
  ) throws(OAuthError) -> Bool {
    let subject = OAuthError.Subject.endpoint(.introspection)
    let endpoint = try require(.introspection)
    var form = RequestForm()
    form.add(.token, secret: token)
    form.add(.tokenTypeHint, hint.rawValue)
    let response = try post(form, to: endpoint, .introspection, cancellation: cancellation)
    let sent = secrets(token)
    guard response.status == 200 else {
      throw OAuthError.forResponse(response, ErrorResponse.read(response, sent: sent), subject, sent: sent)
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
