import Encoding
import JOSE

/// Dynamic client registration (RFC 7591) and its management (RFC 7592).
extension DevelopmentIssuer {
  static let clientMethods = ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"]

  private typealias Member = (name: String, initial: JSON?, isGood: @Sendable (JSON) -> Bool)

  /// Members that are kept, with the value of one that is left out, and what makes a value good (RFC 7591 section 2).
  private static let members: [Member] = [
    ("client_name", "A registered client", isText),
    ("token_endpoint_auth_method", "client_secret_basic", { clientMethods.contains($0.string ?? "") }),
    ("grant_types", ["authorization_code"], { texts($0)?.contains(where: GrantType.all.contains) ?? false }),
    ("response_types", nil, { texts($0) != nil }),
    ("application_type", "web", { $0 == "web" || $0 == "native" }),
    ("redirect_uris", nil, { texts($0) != nil }),
    ("dpop_bound_access_tokens", nil, { $0.bool != nil }),
    // Not a private key among them, which no client should send (RFC 7517 section 9.2).
    ("jwks", nil, { (try? JWKSet(parsing: $0.serialized()))?.warnings.isEmpty ?? false }),
    ("scope", nil, { IssuerParameters.scope($0.string ?? "") != nil }),
    ("client_uri", nil, isText), ("logo_uri", nil, isText), ("tos_uri", nil, isText), ("policy_uri", nil, isText),
    ("software_id", nil, isText), ("software_version", nil, isText),
  ]
  /// Members of the answer that an update must not send (RFC 7592 section 2.2).
  private static let answerNames = [
    "registration_access_token", "registration_client_uri", "client_secret_expires_at", "client_id_issued_at",
  ]

  @Sendable private static func isText(_ value: JSON) -> Bool { (1...1024).contains(value.string?.utf8.count ?? 0) }

  private static func texts(_ value: JSON?) -> [String]? {
    guard let texts = value?.array?.map(\.string) as? [String], texts.count <= 64 else { return nil }
    return texts
  }

  /// The client registration endpoint (RFC 7591 section 3).
  mutating func register(_ request: IssuerRequest) throws -> IssuerAnswer {
    let start = IssuerClient(id: try Seal.opaque(), members: ["client_id_issued_at": .int(wall)])
    let members = try registered(Self.object(of: request), start)
    count(.registrations)
    return .json(members, status: 201)
  }

  /// The client configuration endpoint (RFC 7592 section 2), for the bearer of the client's own token. An unknown client
  /// looks like a wrong token (section 2.1).
  mutating func manageClient(_ request: IssuerRequest) throws -> IssuerAnswer {
    let presented = try Self.presentedToken(request).text
    guard let client = clients.registered[String(request.path.dropFirst(Self.clientPrefix.count))],
      Seal.isSame(client.members["registration_access_token"]?.string ?? "", presented)
    else { throw Refusal.challenge("invalid_token", "unknown, expired or revoked") }
    switch request.method {
    case "PUT":
      // Section 2.2: all members are sent, and what is left out is gone. The answer brings a new token, and the old one is
      // good no longer.
      let object = try Self.object(of: request)
      let secret = object["client_secret"]?.string ?? client.secret
      let isOwn = object["client_id"]?.string == client.id && secret == client.secret
      let isSentBack = Self.answerNames.contains { object[$0] != nil }
      try check(isOwn && !isSentBack, "invalid_client_metadata", "another client's, or a member of the answer")
      return .json(try registered(object, client))
    case "DELETE":
      count(.deletions)
      clients.registered[client.id] = nil
      state.grants.removeAll { $0.clientID == client.id }
      return .empty(204)
    default: return .json(client.members)
    }
  }

  private static func object(of request: IssuerRequest) throws -> JSONObject {
    let isJSON = request.mediaType == "application/json"
    let object = isJSON ? (try? JSON(parsing: request.body))?.object : nil
    return try check(object, "invalid_client_metadata", "the content must be a JSON object")
  }

  /// Checks what a client says of itself, and keeps the client with a new token for its management and for nothing else
  /// (RFC 7592 section 1.2).
  ///
  /// - Returns: The answer (RFC 7591 section 3.2.1, RFC 7592 section 3).
  private mutating func registered(_ object: JSONObject, _ start: IssuerClient) throws -> JSONObject {
    var client = try checked(object, start)
    client.members["registration_access_token"] = .string(try Seal.opaque())
    client.members["registration_client_uri"] = .string(url + Self.clientPrefix + client.id)
    if client.method.hasPrefix("client_secret") {
      client.members["client_secret"] = .string(try start.secret ?? Seal.opaque())
      // It does not expire.
      client.members["client_secret_expires_at"] = 0
    }
    clients.registered[client.id] = client
    return client.members
  }

  /// The client as it is by what it says of itself (RFC 7591 section 2).
  func checked(_ object: JSONObject, _ start: IssuerClient) throws -> IssuerClient {
    try check(object["software_statement"] == nil, "invalid_software_statement", "it is not supported")
    try check(object["jwks_uri"] == nil, "invalid_client_metadata", "jwks_uri is not supported; send jwks")
    var client = start
    client.members = ["client_id": .string(start.id), "client_id_issued_at": start.members["client_id_issued_at"] ?? 0]
    for member in Self.members {
      guard let value = object[member.name] ?? member.initial else { continue }
      try check(member.isGood(value), "invalid_client_metadata", "\(member.name) is wrong")
      client.members[member.name] = value
    }
    let lacksKeys = client.method == "private_key_jwt" && client.keys.keys.isEmpty
    try check(!lacksKeys, "invalid_client_metadata", "jwks is missing")
    // Those that are known here; the answer says which they are (section 3.2.1).
    let grantTypes = GrantType.all.filter(Self.texts(client.members["grant_types"])?.contains ?? { _ in false })
    client.members["grant_types"] = .array(grantTypes.map(JSON.string))
    let usesCode = grantTypes.contains(GrantType.authorizationCode)
    let responseTypes: JSON = usesCode ? ["code"] : []
    let hasFitting = client.members["response_types"] ?? responseTypes == responseTypes
    try check(hasFitting, "invalid_client_metadata", "response_types: code with authorization_code, else none")
    client.members["response_types"] = responseTypes
    let uris = Self.texts(client.members["redirect_uris"]) ?? []
    let isRightNumber = uris.count <= 16 && !(uris.isEmpty && usesCode)
    try check(isRightNumber, "invalid_redirect_uri", "redirect_uris is missing or has too many")
    let isNative = client.members["application_type"] == "native"
    client.redirects = try uris.map { try check(Self.rule($0, isNative), "invalid_redirect_uri", "a URI does not fit") }
    let bindsTokens = client.bindsTokensToKey || settings.isOn("dpop_required")
    client.members["dpop_bound_access_tokens"] = bindsTokens ? true : nil
    return client
  }

  /// OpenID Connect Dynamic Client Registration 1.0 section 2: web clients use https; native ones plain http to the
  /// loopback interface or a scheme of their own, or https that they claim (RFC 8252 section 7). Nil for another URI.
  private static func rule(_ text: String, _ isNative: Bool) -> RedirectRule? {
    guard let uri = try? URI(text), uri.fragment == nil else { return nil }
    let isLocal = uri.isHTTPLoopback || (uri.hasScheme("http") && uri.host.lowercased() == "localhost")
    guard uri.isHTTPS || (isNative && (isLocal || !uri.hasScheme("http"))) else { return nil }
    return isNative && uri.isHTTPLoopback ? .anyPort(of: uri) : .exact(text)
  }
}
