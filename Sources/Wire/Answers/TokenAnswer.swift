package import Encoding
package import Vocabulary

/// The non-secret members of a token response.
package struct TokenDescription: Sendable, Hashable {
  package var account: String
  package var issuer: String
  /// The `sub` of the verified ID Token, if any.
  package var subject: String?
  /// The token type as spelled in its RFC: `Bearer` or `DPoP`.
  package var tokenType: String
  package var scope: String?
  /// The expiry in unix seconds, if known.
  package var expiresAt: Int?
  /// Whether the token is due for renewal, but the server is unreachable.
  package var isOffline: Bool
  /// The deadline for signing in again, in unix seconds; nil if unknown or far in the future.
  package var signInBy: Int?
  /// The environment variables in the account's settings, as `NAME=FIELD`. Empty unless requested by `variables`.
  package var variables: [String] = []
  /// Whether the ID Token was omitted because it has expired.
  package var isIDTokenExpired = false
  /// How to send the token. Nil if the request has no destination.
  package var use: Use?

  /// How to send a token to a destination.
  package struct Use: Sendable, Hashable {
    package var kind: TokenKind
    /// The destination's origin, with the path from the settings if any; nil without a destination.
    package var place: String?
    /// The token's expiry, in unix seconds, if known.
    package var expiresAt: Int?
    /// The user name in the settings.
    package var user: String?
    /// The header field in the settings.
    package var header: HeaderForm?

    package init(
      _ kind: TokenKind, at place: String? = nil, expiresAt: Int?, user: String? = nil, header: HeaderForm? = nil
    ) {
      self.kind = kind
      self.place = place
      self.expiresAt = expiresAt
      self.user = user
      self.header = header
    }

    /// Nil if the result describes no destination.
    init?(_ result: JSONLayout.Node, in line: Span<UInt8>) {
      guard let word = result["use"]?.string(in: line),
        let kind = TokenKind.allCases.first(where: { $0.rawValue.hasSameBytes(as: word) })
      else { return nil }
      self.kind = kind
      place = result["place"]?.string(in: line)
      expiresAt = result["use_expires_at"]?.value(in: line).int
      user = result["user"]?.string(in: line)
      header = result["header"]?.string(in: line).flatMap { HeaderForm($0) }
    }

    /// Writes the members, each after a comma.
    func append<Sink: ByteSink & ~Copyable>(to sink: inout Sink) {
      sink.append(utf8: ",\"use\":\"\(kind.rawValue)\"")
      if let expiresAt { sink.append(utf8: ",\"use_expires_at\":\(expiresAt)") }
      for (name, value) in [("place", place), ("user", user), ("header", header?.text)] {
        guard let value else { continue }
        sink.append(utf8: ",\"\(name)\":")
        sink.append(jsonString: value)
      }
    }
  }

  package init(
    account: String, issuer: String, subject: String?, tokenType: String, scope: String?, expiresAt: Int?,
    isOffline: Bool = false, signInBy: Int? = nil
  ) {
    self.account = account
    self.issuer = issuer
    self.subject = subject
    self.tokenType = tokenType
    self.scope = scope
    self.expiresAt = expiresAt
    self.isOffline = isOffline
    self.signInBy = signInBy
  }

  static var memberDescriptions: [MemberDescription] {
    [
      MemberDescription("account", "text", "The account of the token."),
      MemberDescription("issuer", "text", "Its authorization server."),
      MemberDescription("subject", "text", "The user, according to the ID Token."),
      MemberDescription(
        WireProtocol.signInMember, "number",
        "The end of the session, in unix seconds, if the server announced it and it is less than three days away."),
      MemberDescription(WireProtocol.accessTokenMember, "text", "The token."),
      MemberDescription("token_type", "text", "`Bearer`, or `DPoP` for a token that is bound to a key."),
      MemberDescription("scope", "text", "The granted scope."),
      MemberDescription("expires_at", "number", "When it expires; absent if the server named no lifetime."),
      MemberDescription(
        "offline", "boolean", "A refresh was due, but the server could not be reached; absent otherwise."),
      MemberDescription("variables", "list of texts", "The variables, as `NAME=FIELD`, if requested."),
      MemberDescription("id_token", "text", "The ID Token, if requested and available."),
      MemberDescription(
        "id_token_expired", "boolean", "It has expired, and the server gives no new one; absent otherwise."),
      MemberDescription("claims", "object", "Its claims, if requested and available."),
      MemberDescription(
        "use", "text",
        "The returned token, `access_token` or `id_token`. This and the next members are there if the request has `url`,"
          + " `user`, `use` or `refused`."),
      MemberDescription("use_expires_at", "number", "When that token expires, if known."),
      MemberDescription("place", "text", "The origin, with the path in the settings, that may get the token."),
      MemberDescription("user", "text", "The user name in the settings."),
      MemberDescription("header", "text", "The header field in the settings; see agent-config(5)."),
    ]
  }

  /// Writes the response line. Tokens are written directly to `sink`, which may be a secret buffer.
  ///
  /// - Parameters:
  ///   - idToken: The ID Token, if requested and available.
  ///   - claims: The claims of the verified ID Token, if requested.
  ///   - proof: The DPoP proof for a ``ProofRequest``.
  package func appendAnswer<Sink: ByteSink & ~Copyable>(
    accessToken: Span<UInt8>, idToken: Span<UInt8>? = nil, claims: JSONObject? = nil, proof: String? = nil,
    to sink: inout Sink
  ) {
    sink.append(utf8: WireProtocol.resultStart)
    sink.append(utf8: "\"account\":")
    sink.append(jsonString: account)
    sink.append(utf8: ",\"issuer\":")
    sink.append(jsonString: issuer)
    if let subject {
      sink.append(utf8: ",\"subject\":")
      sink.append(jsonString: subject)
    }
    // This precedes the token, for readers that stop after the token.
    if let signInBy { sink.append(utf8: ",\"\(WireProtocol.signInMember)\":\(signInBy)") }
    sink.append(utf8: ",\"")
    sink.append(utf8: WireProtocol.accessTokenMember)
    sink.append(utf8: "\":")
    sink.append(jsonStringBytes: accessToken)
    sink.append(utf8: ",\"token_type\":")
    sink.append(jsonString: tokenType)
    if let scope {
      sink.append(utf8: ",\"scope\":")
      sink.append(jsonString: scope)
    }
    if let expiresAt { sink.append(utf8: ",\"expires_at\":\(expiresAt)") }
    if isOffline { sink.append(utf8: ",\"offline\":true") }
    if !variables.isEmpty {
      sink.append(utf8: ",\"variables\":")
      sink.append(json: .array(variables.map { .string($0) }))
    }
    if let idToken {
      sink.append(utf8: ",\"id_token\":")
      sink.append(jsonStringBytes: idToken)
    }
    if isIDTokenExpired { sink.append(utf8: ",\"id_token_expired\":true") }
    if let claims {
      sink.append(utf8: ",\"claims\":")
      sink.append(json: .object(claims))
    }
    use?.append(to: &sink)
    if let proof {
      sink.append(utf8: ",\"dpop\":")
      sink.append(jsonString: proof)
    }
    sink.append(utf8: "}}\n")
  }
}

/// A parsed token response. Tokens are never in a `String`.
package struct TokenAnswer: Sendable {
  package let description: TokenDescription
  private let token: JSONLayout.Node
  private let result: JSONLayout.Node

  /// Parses a token response.
  ///
  /// - Throws: The daemon's failure, or `internal_error` for an invalid line.
  package init(parsing line: Span<UInt8>) throws(Failure) {
    guard let layout = try? JSONLayout(parsing: line) else { throw Reply.unreadable }
    guard let result = layout.root["result"] else {
      if case .failure(let failure) = try Reply(parsing: line) { throw failure }
      throw Reply.unreadable
    }
    guard layout.root["v"]?.value(in: line).int == WireProtocol.version,
      let token = result[WireProtocol.accessTokenMember],
      token.isString, let account = result["account"]?.string(in: line),
      let issuer = result["issuer"]?.string(in: line), let tokenType = result["token_type"]?.string(in: line)
    else { throw Reply.unreadable }
    self.token = token
    self.result = result
    var description = TokenDescription(
      account: account, issuer: issuer, subject: result["subject"]?.string(in: line), tokenType: tokenType,
      scope: result["scope"]?.string(in: line), expiresAt: result["expires_at"]?.value(in: line).int,
      isOffline: result["offline"]?.value(in: line).bool ?? false,
      signInBy: result[WireProtocol.signInMember]?.value(in: line).int)
    description.variables = result["variables"]?.value(in: line).array?.compactMap(\.string) ?? []
    description.isIDTokenExpired = result["id_token_expired"]?.value(in: line).bool ?? false
    description.use = TokenDescription.Use(result, in: line)
    self.description = description
  }

  /// Writes the access token. `line` is the parsed line.
  package func appendAccessToken<Sink: ByteSink & ~Copyable>(from line: Span<UInt8>, to sink: inout Sink) {
    token.appendString(in: line, to: &sink)
  }

  /// Writes the ID Token. `line` is the parsed line.
  ///
  /// - Returns: Whether the ID Token was requested and available.
  package func appendIDToken<Sink: ByteSink & ~Copyable>(from line: Span<UInt8>, to sink: inout Sink) -> Bool {
    guard let idToken = result["id_token"], idToken.isString else { return false }
    idToken.appendString(in: line, to: &sink)
    return true
  }

  /// The DPoP proof (RFC 9449), for a ``ProofRequest``.
  package func proof(from line: Span<UInt8>) -> String? { result["dpop"]?.string(in: line) }

  /// A claim of the verified ID Token; nil if absent or not requested.
  package func claim(_ name: String, from line: Span<UInt8>) -> JSON? {
    result["claims"]?[name]?.value(in: line)
  }

  /// All claims of the verified ID Token; nil if not requested.
  package func claims(from line: Span<UInt8>) -> JSONObject? {
    result["claims"]?.value(in: line).object
  }
}
