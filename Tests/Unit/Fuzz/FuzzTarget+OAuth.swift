import Crypto
import Encoding
import HTTP
import Loopback
import OAuth

extension FuzzTarget {
  static func metadata(_ bytes: [UInt8]) throws(BrokenInvariant) {
    guard let issuer = try? Issuer("https://as.example", allowHTTPLoopback: false),
      let resource = try? Endpoint("https://api.example/v1", allowHTTPLoopback: false)
    else { throw BrokenInvariant("the target has its names") }
    if let metadata = try? AuthorizationServerMetadata(parsing: bytes, issuer: issuer, allowHTTPLoopback: false) {
      for origin in metadata.endpointOrigins {
        try BrokenInvariant.unless(origin.utf8.starts(with: "https://".utf8), "nothing is sent in clear")
      }
      _ = (metadata.offersCodeFlow, metadata.acceptsCodeChallenges)
    }
    if let found = try? ProtectedResource(parsing: bytes, of: resource, allowHTTPLoopback: false) {
      try BrokenInvariant.unless(
        found.authorizationServers.count <= ProtectedResource.maximumServers, "servers are counted")
    }
  }

  /// The possible responses of each endpoint.
  static func tokenAnswer(_ bytes: [UInt8]) throws(BrokenInvariant) {
    let sent = Array("a-token".utf8)
    guard let http = FixedAnswer(bytes), let server = try? AuthorizationServer.reached(by: http),
      let token = try? SharedSecret(SecretBytes(copying: sent.span))
    else { return }
    if let tokens = try? TokenResponse.parse(http.response) {
      try BrokenInvariant.unless(tokens.expiresIn.map { $0 >= 0 } ?? true, "a lifetime is not negative")
      let isPlain = tokens.accessToken.bytes.withBytes { text in
        text.count > 0 && text.indices.allSatisfy { (0x21...0x7E).contains(text[$0]) }
      }
      try BrokenInvariant.unless(isPlain, "a token can go into a header")
    }
    if let codes = try? DeviceAuthorizationResponse.parse(http.response) {
      try BrokenInvariant.unless(codes.expiresIn > 0 && codes.interval > 0, "a person has time, and so has the server")
    }
    _ = try? server.fetchUserInfo(accessToken: token, expectedSubject: nil)
    _ = try? server.introspect(token, hint: .refreshToken)
    if let request = try? server.makeAuthorizationRequest(scope: nil, redirectURI: "http://127.0.0.1/cb") {
      _ = try? server.requestAuthorizationURL(for: request)
    }
    _ = try? ClientRegistration.register(
      ClientRegistrationRequest(name: "agent", softwareID: "id", softwareVersion: "1"), at: server.metadata,
      initialAccessToken: nil, transport: Transport(), http: http, cancellation: nil)
  }

  /// Header fields of a response, one per line.
  static func challenge(_ bytes: [UInt8]) throws(BrokenInvariant) {
    let lines = bytes.split(separator: UInt8(ascii: "\n")).prefix(16).map { String(decoding: $0, as: UTF8.self) }
    let names = ["WWW-Authenticate", "Cache-Control", "Retry-After", "Date", "Content-Type"]
    for name in names {
      let headers = HTTPHeaders(lines.map { (name, $0) })
      try BrokenInvariant.unless(Challenge.all(in: headers).count <= 8, "challenges are counted")
      try BrokenInvariant.unless(headers.maxAgeSeconds ?? 0 >= 0, "an age is not negative")
      let wait = headers.retryAfterSeconds(now: headers.date) ?? 0
      try BrokenInvariant.unless((0...HTTPHeaders.maximumRetryAfter).contains(wait), "no server makes us wait for long")
      _ = (headers.isJSON, headers.mediaType, headers.date)
      for status in [200, 401, 403] { _ = ResourceVerdict(ResourceHead(status: status, headers: headers), sent: []) }
    }
  }

  /// Requests to the port that waits for a browser.
  static func redirect(_ bytes: [UInt8]) throws(BrokenInvariant) {
    let target = LoopbackTarget(hosts: ["127.0.0.1:8400"], path: "/cb")
    var wholeEnd = LoopbackRequest.HeadEnd()
    let whole = LoopbackRequest.parse(bytes.span, for: target, &wholeEnd)
    if case .redirect(let query) = whole {
      try BrokenInvariant.unless(query.upperBound <= bytes.count, "a query lies in the request")
      try BrokenInvariant.unless(
        bytes.starts(with: "GET /cb".utf8) || bytes.first == 0x0A || bytes.first == 0x0D,
        "only a GET of the redirect URI is one")
      try isForeign(Array(bytes[query]))
    }
    try isForeign(bytes)
    // A prefix that was rejected stays rejected, whatever follows.
    for end in [bytes.count / 2, bytes.count - 1] where end > 0 {
      var partEnd = LoopbackRequest.HeadEnd()
      let part = LoopbackRequest.parse(bytes.span.extracting(..<end), for: target, &partEnd)
      if case .redirect = part { try BrokenInvariant.unless(part == whole, "what comes later changes nothing") }
    }
  }

  /// Without the state, no one can end a sign-in (RFC 6749 section 10.12).
  private static func isForeign(_ query: [UInt8]) throws(BrokenInvariant) {
    guard let http = FixedAnswer([0, 0]), let server = try? AuthorizationServer.reached(by: http),
      let request = try? server.makeAuthorizationRequest(scope: nil, redirectURI: "http://127.0.0.1:8400/cb")
    else { throw BrokenInvariant("the target has its request") }
    guard case .unrelated = request.answer(in: query.span) else { throw BrokenInvariant("the state decides") }
    let pasted = String(decoding: Array("http://127.0.0.1:8400/cb?".utf8) + query, as: UTF8.self)
    guard case .unrelated = request.answer(inPasted: pasted) else { throw BrokenInvariant("the state decides") }
    // With the state, the rest of the query is parsed.
    let known = Array("state=\(request.state)&".utf8) + query
    _ = request.answer(in: known.span)
  }
}
