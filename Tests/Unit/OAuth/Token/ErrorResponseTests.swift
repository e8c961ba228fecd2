import Crypto
import Encoding
import TestSupport
import Testing
import Vocabulary

@testable import OAuth

private let subject = OAuthError.Subject.endpoint(.token)

// RFC 6749 section 5.2.
@Suite struct `Error answers` {
  private func failure(_ answer: HTTPResponse) throws -> OAuthError? {
    do throws(OAuthError) {
      _ = try TokenResponse.parse(answer)
      return nil
    } catch {
      return error
    }
  }

  @Test func `of a provider may be the text of a message, by names of its own`() throws {
    func code(_ body: String, _ name: ProviderName?) throws -> OAuthError.Code? {
      do throws(OAuthError) {
        let format = name.map { Provider.named($0).responseFormat } ?? ResponseFormat()
        _ = try TokenResponse.parse(try! response(400, body), format: format)
        return nil
      } catch {
        return error.code
      }
    }
    let refresh = #"{"error":"Bad Request","status":400,"message":"Invalid refresh token"}"#
    #expect(try code(refresh, .twitch) == .invalidGrant)
    #expect(try code(refresh, .slack) == .otherServerError)
    #expect(try code(#"{"status":400,"message":"invalid device code"}"#, .twitch) == .expiredToken)
    #expect(try code(#"{"ok":false,"error":"token_revoked"}"#, .slack) == .invalidGrant)
    #expect(try code(#"{"ok":false,"error":"token_revoked"}"#, nil) == .otherServerError)
  }

  // The ID that the server's operators need.
  @Test func `tell the correlation id, unless it is no identifier`() throws {
    let body = #"{"error":"invalid_grant","error_description":"AADSTS50076: x","error_codes":[50076],"#
    let error = try failure(try response(400, body + #""correlation_id":"7f3a2c1e-0000-4000-8000-123456789abc"}"#))
    #expect(error?.correlationID == "7f3a2c1e-0000-4000-8000-123456789abc")
    #expect(error?.message.hasSuffix("(correlation id 7f3a2c1e-0000-4000-8000-123456789abc)") == true)
    for id in ["", "a b", "\u{1B}[31m", String(repeating: "a", count: 65)] {
      let text = JSON.string(id).serialized()
      let error = try failure(try response(400, body + "\"correlation_id\":\(String(decoding: text, as: UTF8.self))}"))
      #expect(error != nil && error?.correlationID == nil)
    }
  }

  @Test(arguments: [
    ("invalid_grant", OAuthError.Code.invalidGrant, OAuthError.Code.Effect.grantEnded),
    ("invalid_client", .invalidClient, .permanent),
    ("incorrect_client_credentials", .invalidClient, .permanent),
    ("unauthorized_client", .unauthorizedClient, .permanent),
    ("device_flow_disabled", .unauthorizedClient, .permanent),
    ("invalid_request", .invalidRequest, .permanent),
    ("unsupported_grant_type", .unsupportedGrantType, .permanent),
    ("invalid_scope", .invalidScopeAnswer, .permanent),
    ("access_denied", .accessDenied, .permanent), ("authorization_declined", .accessDenied, .permanent),
    ("expired_token", .expiredToken, .permanent), ("token_expired", .expiredToken, .permanent),
    ("server_error", .serverUnavailable, .temporary), ("temporarily_unavailable", .serverUnavailable, .temporary),
    ("slow_down", .rateLimited, .temporary), ("authorization_pending", .otherServerError, .permanent),
    ("something_else", .otherServerError, .permanent), ("Invalid_Grant", .otherServerError, .permanent),
    ("bad_refresh_token", .otherServerError, .permanent), ("invalid_code", .otherServerError, .permanent),
  ])
  func `the error value decides`(value: String, code: OAuthError.Code, meaning: OAuthError.Code.Effect) throws {
    for status in [200, 400, 403, 428] {
      let error = try failure(response(status, #"{"error":"\#(value)"}"#))
      #expect(error == expected(code, subject, status: status, error: value))
      #expect(error?.code.effect == meaning)
    }
  }

  @Test func `a token beside an error is not taken`() throws {
    let answer = try response(#"{"access_token":"a","token_type":"Bearer","error":"invalid_grant"}"#)
    #expect(try failure(answer) == expected(.invalidGrant, subject, status: 200, error: "invalid_grant"))
  }

  @Test func `an unknown error leaves the decision to the status`() throws {
    let cases: [(Int, OAuthError.Code)] = [
      (400, .otherServerError), (401, .invalidClient), (404, .otherServerError), (408, .serverUnavailable),
      (429, .rateLimited), (500, .serverUnavailable), (503, .serverUnavailable), (599, .serverUnavailable),
    ]
    for (status, code) in cases {
      #expect(
        try failure(response(status, #"{"error":"odd"}"#)) == expected(code, subject, status: status, error: "odd"))
      #expect(try failure(response(status, "{}")) == expected(code, subject, status: status))
      let isTemporary = OAuthError.isTemporary(status)
      #expect(
        try failure(response(status, type: "text/html", "<html>"))
          == expected(
            isTemporary ? code : .notJSON, subject, status: status, description: isTemporary ? nil : "text/html"))
    }
  }

  @Test(arguments: ["unauthorized_client", "invalid_request", "access_denied", "invalid_scope"])
  func `a server in trouble is believed only about the grant and the client`(value: String) throws {
    #expect(
      try failure(response(500, #"{"error":"\#(value)"}"#))
        == expected(.serverUnavailable, subject, status: 500, error: value))
  }

  @Test func `a dead grant or a refused client is final whatever the status is`() throws {
    for (value, code) in [("invalid_grant", OAuthError.Code.invalidGrant), ("invalid_client", .invalidClient)] {
      for status in [200, 400, 401, 403, 429, 500, 503] {
        #expect(
          try failure(response(status, #"{"error":"\#(value)"}"#))
            == expected(code, subject, status: status, error: value))
      }
    }
  }

  @Test(arguments: [
    ("1", nil), ("true", nil), ("{}", nil), ("[]", nil), (#""a\nb""#, "a b"), (#""a\"b""#, "a\"b"),
    (#""a\\b""#, "a\\b"),
    (#""é""#, "é"),
  ])
  func `an error value that breaks the grammar is no error value, but may be words`(
    value: String, words: String?
  ) throws {
    for (status, code) in [(400, OAuthError.Code.malformedResponse), (503, .serverUnavailable)] {
      #expect(
        try failure(response(status, #"{"error":\#(value)}"#))
          == expected(code, subject, status: status, description: words))
    }
  }

  @Test func `an error value has at most 64 characters`() throws {
    let fits = String(repeating: "e", count: 64)
    #expect(try failure(response(400, #"{"error":"\#(fits)"}"#))?.serverError == fits)
    #expect(try failure(response(400, #"{"error":"\#(fits)e"}"#))?.serverError == nil)
  }

  @Test func `a description is cleaned and cut`() throws {
    let answer = try response(
      400,
      #"{"error":"invalid_grant","error_description":"\u001b[31mred\r\n\u202e\#(String(repeating: "x", count: 300))"}"#)
    let description = try failure(answer)?.serverDescription
    #expect(description == "[31mred " + String(repeating: "x", count: 192) + "…")
  }

  @Test(arguments: [(1992, false), (1993, true)])
  func `a description is searched for a secret as far as its 2,000th character`(place: Int, isShown: Bool) throws {
    let text = String(repeating: "x", count: place) + "4bVtq1~G"
    let answer = try response(400, #"{"error":"invalid_grant","error_description":"\#(text)"}"#)
    let read = try ErrorResponse.read(answer, sent: [secret("at+9sLw2c/4bVtq1~G")])
    #expect((read?.description != nil) == isShown)
  }

  @Test(arguments: ["1", "null", "{}"]) func `a description of another type is ignored`(value: String) throws {
    #expect(
      try failure(response(400, #"{"error":"invalid_grant","error_description":\#(value)}"#))
        == expected(.invalidGrant, subject, status: 400, error: "invalid_grant"))
  }

  @Test(arguments: ["application/x-www-form-urlencoded", "text/plain", nil])
  func `an error in a form is read`(type: String?) throws {
    let answer = try response(
      200, type: type, "error=access_denied&error_description=The+user%20said+no&error_uri=https://x")
    #expect(
      try failure(answer)
        == expected(
          .accessDenied, subject, status: 200, error: "access_denied", description: "The user said no"))
  }

  @Test func `a page is not taken for a form`() throws {
    let answer = try response(403, type: "text/html", "error=invalid_grant")
    #expect(try failure(answer) == expected(.notJSON, subject, status: 403, description: "text/html"))
  }

  @Test func `JSON is read as an error whatever its media type is`() throws {
    let answer = try response(400, type: "text/html", #"{"error":"invalid_grant"}"#)
    #expect(try failure(answer) == expected(.invalidGrant, subject, status: 400, error: "invalid_grant"))
  }

  @Test func `beside a token nothing is kept that could be one`() throws {
    let answer = try response(
      400, #"{"access_token":"at-New1","error":"at-New1","error_description":"at-New1 is new"}"#)
    #expect(try failure(answer)?.serverDescription == nil && failure(answer)?.serverError == nil)
    let named = try response(400, #"{"id_token":"it","error":"invalid_grant","error_description":"it"}"#)
    #expect(try failure(named) == expected(.invalidGrant, subject, status: 400, error: "invalid_grant"))
  }

  // Google's response if a quota is exceeded.
  @Test func `an error code in place of an error is read`() throws {
    let answer = try response(403, #"{"error_code":"rate_limit_exceeded"}"#)
    #expect(try failure(answer) == expected(.rateLimited, subject, status: 403, error: "rate_limit_exceeded"))
    let number = try response(403, #"{"error_code":7}"#)
    #expect(try failure(number) == expected(.otherServerError, subject, status: 403))
  }

  // RFC 9110 section 10.2.3.
  @Test func `a wait counts only for a failure that passes`() throws {
    let wait = [("Retry-After", "30")]
    #expect(try failure(response(429, headers: wait, ""))?.retryAfterSeconds == 30)
    #expect(
      try failure(response(400, headers: wait, #"{"error":"temporarily_unavailable"}"#))?.retryAfterSeconds == 30)
    #expect(try failure(response(503, headers: wait, #"{"error":"invalid_grant"}"#))?.retryAfterSeconds == nil)
    #expect(try failure(response(404, headers: wait, ""))?.retryAfterSeconds == nil)
  }

  @Test(arguments: [301, 302, 303, 307, 308]) func `a redirect of a POST is refused`(status: Int) throws {
    #expect(try failure(response(status, "")) == expected(.redirectRefused, subject, status: status))
  }
}

@Suite struct `The codes of errors` {
  @Test func `have each value of error once for a kind of request`() {
    let named = OAuthError.Code.allCases.flatMap { code in
      code.row().names.flatMap { name in
        let kinds = name.kinds.isEmpty ? [nil] : name.kinds.map { Optional($0) }
        return kinds.flatMap { kind in name.values.map { (value: $0, kind: kind, code: code) } }
      }
    }
    #expect(Set(named.map { "\($0.value) \(String(describing: $0.kind))" }).count == named.count)
    for (value, kind, code) in named { #expect(OAuthError.Code.named(value, in: kind) == code, "\(value)") }
  }
}

@Suite struct `Error messages` {
  @Test(arguments: OAuthError.Code.allCases) func `a message is one sentence in lower case`(code: OAuthError.Code) {
    let message = OAuthError(code, .host("the place")).message
    #expect(message.first?.isUppercase == false)
    #expect(message.last != ".")
    // Only these two messages do not contain "the place".
    #expect(message.contains("the place") != [.invalidIssuer, .accessDenied].contains(code))
  }

  @Test func `a message names what the server said`() {
    let error = expected(.invalidGrant, subject, status: 400, error: "invalid_grant", description: "gone")
    #expect(error.message == "the token endpoint no longer accepts this sign-in (invalid_grant): gone")
    let bare = expected(.otherServerError, subject, status: 404)
    #expect(bare.message == "the token endpoint reported an error (HTTP status 404)")
  }

  @Test(arguments: [
    (HTTPFailure.Code.resolve, OAuthError.Code.network, OAuthError.Code.Effect.temporary),
    (.connect, .network, .temporary),
    (.send, .connectionLost, .temporary), (.receive, .connectionLost, .temporary), (.tls, .tlsFailure, .temporary),
    (.certificate, .certificateRejected, .permanent), (.pin, .pinMismatch, .permanent),
    (.timeout, .timeout, .temporary), (.tooLarge, .responseTooLarge, .permanent),
    (.malformed, .malformedResponse, .permanent),
    (.redirect, .redirectRefused, .permanent), (.cancelled, .cancelled, .permanent),
    (.setup, .internalFailure, .permanent), (.memory, .noMemory, .temporary),
  ])
  func `a failure of the transport keeps its meaning`(
    failure: HTTPFailure.Code, code: OAuthError.Code, meaning: OAuthError.Code.Effect
  ) {
    let error = failed(HTTPFailure(failure))
    #expect(error.code == code)
    // Failures of the connection are about the host, and those of the response about the endpoint.
    let isOfEndpoint: Set<HTTPFailure.Code> = [.redirect, .cancelled, .setup, .memory, .tooLarge, .malformed]
    #expect(
      error.subject == (isOfEndpoint.contains(failure) ? subject : failure == .proxy ? .proxy : .host("as.example")))
    #expect(error.code.effect == meaning)
  }

  @Test func `an unknown host and a denied sign-in are told with the reason`() {
    let unknown = failed(HTTPFailure(.resolve, .hostNotFound))
    #expect(unknown.message == "cannot reach as.example: host name not found")
    let refused = failed(HTTPFailure(.connect, .refused), at: "https://as.example:8443/token")
    #expect(refused.message == "cannot reach as.example:8443: connection refused")
    let late = failed(HTTPFailure(.certificateTime, .certificateExpired))
    #expect(late.message == "the certificate of as.example has expired")
    let early = failed(HTTPFailure(.certificateTime, .certificateNotYetValid))
    #expect(early.message == "the certificate of as.example is not valid yet")
    let own = failed(HTTPFailure(.certificate, .selfSigned))
    #expect(own.message == "the certificate of as.example is not trusted: it is self-signed")
    let denied = expected(.accessDenied, subject, status: 400, error: "access_denied", description: "the user said no")
    #expect(denied.message == "sign-in was denied (server: the user said no)")
  }

  @Test func `a failure of the proxy names the proxy`() {
    let refused = failed(HTTPFailure(.proxy, .refused), proxy: "http://proxy.example:3128")
    #expect(refused.message == "cannot get through the proxy proxy.example:3128: connection refused")
    let closed = failed(HTTPFailure(.proxy, .proxyAuthentication), proxy: "http://proxy.example:3128")
    #expect(
      closed.message == "cannot get through the proxy proxy.example:3128: it requires a user name and a password")
  }

  @Test(arguments: [(false, false, false), (false, true, true), (true, true, false), (true, false, false)])
  func `an answer is lost when the request may have arrived and nothing came back`(
    started: Bool, arrived: Bool, lost: Bool
  ) {
    let failure = HTTPFailure(.receive, responseStarted: started, requestMayHaveArrived: arrived)
    #expect(
      failed(failure) == expected(.connectionLost, .host("as.example"), isResponseLost: lost, hasResponseBegun: started)
    )
  }
}
