package import Encoding

/// The non-secret members of a token response.
package struct TokenDescription: Sendable, Hashable {
  package var account: String
  package var issuer: String
  /// The `sub` of the verified ID Token, if any.
  package var subject: String?
  /// `Bearer` or `DPoP`.
  package var tokenType: String
  package var scope: String?
  /// In unix seconds, if known.
  package var expiresAt: Int?
  /// Whether the token is due for renewal, but its server is unreachable.
  package var isOffline: Bool
  /// The deadline for signing in again, in unix seconds; nil if unknown or distant.
  package var signInBy: Int?
  /// The settings' environment variables, as `NAME=FIELD`; empty unless requested.
  package var variables: [String] = []
  /// Whether the ID Token was omitted because it expired.
  package var isIDTokenExpired = false
  /// How to send the token; nil without a destination.
  package var use: Use?

  package struct Use: Sendable, Hashable {
    package var kind: TokenKind
    /// The destination's origin, with the path of its entry in the settings.
    package var destination: String?
    /// In unix seconds, if known.
    package var expiresAt: Int?
    /// The user name in the destination's settings.
    package var user: String?
    /// The header field for the token, from the settings.
    package var header: HeaderForm?

    package init(
      _ kind: TokenKind, at destination: String? = nil, expiresAt: Int?, user: String? = nil, header: HeaderForm? = nil
    ) {
      self.kind = kind
      self.destination = destination
      self.expiresAt = expiresAt
      self.user = user
      self.header = header
    }

    /// Nil without a destination.
    init?(_ result: JSONLayout.Node, in line: Span<UInt8>) {
      guard let word = result["use"]?.string(in: line),
        let kind = TokenKind.allCases.first(where: { $0.rawValue.hasSameBytes(as: word) })
      else { return nil }
      self.kind = kind
      destination = result["place"]?.string(in: line)
      expiresAt = result["use_expires_at"]?.value(in: line).int
      user = result["user"]?.string(in: line)
      header = result["header"]?.string(in: line).flatMap { HeaderForm($0) }
    }

    /// Writes the members, each after a comma.
    func append<Sink: ByteSink & ~Copyable>(to sink: inout Sink) {
      sink.append(member: "use", .string(kind.rawValue))
      sink.append(member: "use_expires_at", expiresAt.map(JSON.int))
      sink.append(member: "place", destination.map(JSON.string))
      sink.append(member: "user", user.map(JSON.string))
      sink.append(member: "header", (header?.text).map(JSON.string))
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
      .text("account", "The account."),
      .text("issuer", "Its authorization server."),
      .text("subject", "The user, according to the ID Token."),
      MemberDescription(WireProtocol.signInMember, "number", "The end of the session, if within three days."),
      MemberDescription(WireProtocol.accessTokenMember, "text", "The token."),
      .text("token_type", "`Bearer`, or `DPoP` for a token bound to a key."),
      .text("scope", "The granted scope."),
      .number("expires_at", "When it expires."),
      .flag("offline", "A refresh was due, but the server was unreachable."),
      .texts("variables", "The variables, as `NAME=FIELD`, if requested."),
      .text("id_token", "The ID Token, if requested and available."),
      .flag("id_token_expired", "It expired, and there is no new one."),
      .object("claims", "Its claims, if requested and available."),
      .text(
        "use",
        "The returned token, `access_token` or `id_token`. This and the next members are there if the request has `url`,"
          + " `user`, `use` or `refused`."),
      .number("use_expires_at", "When that token expires, if known."),
      .text("place", "The origin, and path in the settings, that may get it."),
      .text("user", "The user name in the settings."),
      .text("header", "The header field in the settings; see agent-config(5)."),
    ]
  }

  /// Writes the response line, with tokens directly to `sink`.
  package func appendAnswer<Sink: ByteSink & ~Copyable>(
    accessToken: Span<UInt8>, idToken: Span<UInt8>? = nil, claims: JSONObject? = nil, proof: String? = nil,
    to sink: inout Sink
  ) {
    sink.append(utf8: WireProtocol.resultStart)
    sink.append(utf8: "\"account\":")
    sink.append(jsonString: account)
    sink.append(member: "issuer", .string(issuer))
    sink.append(member: "subject", subject.map(JSON.string))
    // Precedes the token, after which some readers stop.
    sink.append(member: WireProtocol.signInMember, signInBy.map(JSON.int))
    sink.append(member: WireProtocol.accessTokenMember, bytes: accessToken)
    sink.append(member: "token_type", .string(tokenType))
    sink.append(member: "scope", scope.map(JSON.string))
    sink.append(member: "expires_at", expiresAt.map(JSON.int))
    sink.append(member: "offline", isOffline ? true : nil)
    sink.append(member: "variables", variables.isEmpty ? nil : .array(variables.map(JSON.string)))
    sink.append(member: "id_token", bytes: idToken)
    sink.append(member: "id_token_expired", isIDTokenExpired ? true : nil)
    sink.append(member: "claims", claims.map(JSON.object))
    use?.append(to: &sink)
    sink.append(member: "dpop", proof.map(JSON.string))
    sink.append(utf8: "}}\n")
  }
}

/// A parsed token response. Tokens are never in a `String`.
package struct TokenAnswer: Sendable {
  package let description: TokenDescription
  /// The access token's position in the line.
  private let token: JSONLayout.Node
  /// The position of `result`.
  private let result: JSONLayout.Node

  /// - Throws: The daemon's failure, or `internal_error`.
  package init(parsing line: Span<UInt8>) throws(Failure) {
    let result = try JSONLayout.result(in: line)
    guard let token = result[WireProtocol.accessTokenMember],
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

  package func appendAccessToken<Sink: ByteSink & ~Copyable>(from line: Span<UInt8>, to sink: inout Sink) {
    token.appendString(in: line, to: &sink)
  }

  /// Returns false if the ID Token was not requested or is unavailable.
  package func appendIDToken<Sink: ByteSink & ~Copyable>(from line: Span<UInt8>, to sink: inout Sink) -> Bool {
    guard let idToken = result["id_token"], idToken.isString else { return false }
    idToken.appendString(in: line, to: &sink)
    return true
  }

  package func proof(from line: Span<UInt8>) -> String? { result["dpop"]?.string(in: line) }

  /// Of the verified ID Token; nil if absent or not requested.
  package func claim(_ name: String, from line: Span<UInt8>) -> JSON? {
    result["claims"]?[name]?.value(in: line)
  }

  /// Of the verified ID Token; nil if not requested.
  package func claims(from line: Span<UInt8>) -> JSONObject? {
    result["claims"]?.value(in: line).object
  }
}

extension JSONLayout {
  /// The position of `result` in a response line.
  ///
  /// - Throws: The daemon's failure, or `internal_error`.
  static func result(in line: Span<UInt8>) throws(Failure) -> Node {
    guard let layout = try? JSONLayout(parsing: line) else { throw Reply.unreadable }
    guard layout.root["v"]?.value(in: line).int == WireProtocol.version, let result = layout.root["result"] else {
      if case .failure(let failure) = try Reply(parsing: line) { throw failure }
      throw Reply.unreadable
    }
    return result
  }
}
