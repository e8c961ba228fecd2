import Crypto
import Encoding
import JOSE

/// Dynamic client registration (RFC 7591) and its management (RFC 7592).
extension DevelopmentIssuer {
  static let clientMethods = ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"]
  /// Members that are kept as they came and mean nothing here.
  private static let plainNames = [
    "client_uri", "logo_uri", "tos_uri", "policy_uri", "software_id", "software_version",
  ]
  /// Members of the answer that an update must not send (RFC 7592 section 2.2).
  private static let answerNames = [
    "registration_access_token", "registration_client_uri", "client_secret_expires_at", "client_id_issued_at",
  ]

  /// The client registration endpoint (RFC 7591 section 3).
  mutating func register(_ request: IssuerRequest) throws -> IssuerAnswer {
    let object = try Self.object(of: request)
    let client = try registered(object, IssuerClient(id: try Self.opaque(), name: "", registeredAt: wall))
    count(.registrations)
    return .json(information(client), status: 201)
  }

  /// The client configuration endpoint (RFC 7592 section 2), for the bearer of the client's own token. An unknown client
  /// looks like a wrong token (section 2.1).
  mutating func manageClient(_ request: IssuerRequest) throws -> IssuerAnswer {
    let presented = try presentedToken(request).text
    guard let client = registrations[String(request.path.dropFirst(IssuerRoute.clientPrefix.count))],
      let expected = client.managementToken,
      ConstantTime.isEqual(Array(expected.utf8).span, Array(presented.utf8).span)
    else { throw Refusal.challenge("invalid_token", "unknown, expired or revoked") }
    switch request.method {
    case "PUT": return .json(information(try update(client, request)))
    case "DELETE":
      count(.deletions)
      registrations[client.id] = nil
      grants.removeAll { $0.clientID == client.id }
      return .empty(204)
    default: return .json(information(client))
    }
  }

  /// RFC 7592 section 2.2: all members are sent, and what is left out is gone. The answer brings a new token, and the old
  /// one is good no longer.
  private mutating func update(_ old: IssuerClient, _ request: IssuerRequest) throws -> IssuerClient {
    let object = try Self.object(of: request)
    guard object["client_id"]?.string == old.id, !Self.answerNames.contains(where: { object[$0] != nil }) else {
      throw Self.wrong("client_id is missing, or a member of the answer was sent back")
    }
    guard object["client_secret"] == nil || object["client_secret"]?.string == old.secret else {
      throw Self.wrong("client_secret is wrong")
    }
    return try registered(
      object, IssuerClient(id: old.id, name: "", secret: old.secret, registeredAt: old.registeredAt))
  }

  /// The answer (RFC 7591 section 3.2.1, RFC 7592 section 3).
  private func information(_ client: IssuerClient) -> JSONObject {
    var result = client.members
    result["client_id"] = .string(client.id)
    result["client_id_issued_at"] = .int(client.registeredAt)
    result["registration_access_token"] = client.managementToken.map(JSON.string)
    result["registration_client_uri"] = .string(url + IssuerRoute.clientPrefix + client.id)
    result["client_secret"] = client.secret.map(JSON.string)
    // It does not expire (RFC 7591 section 3.2.1).
    if client.secret != nil { result["client_secret_expires_at"] = 0 }
    return result
  }

  // MARK: What a client says of itself (RFC 7591 section 2)

  private static func wrong(_ text: String) -> Refusal { Refusal("invalid_client_metadata", text) }

  private static func object(of request: IssuerRequest) throws -> JSONObject {
    guard request.mediaType == "application/json", let object = (try? JSON(parsing: request.body))?.object else {
      throw wrong("the content must be a JSON object")
    }
    return object
  }

  /// Checks it, and keeps the client with a new token for its management.
  private mutating func registered(_ object: JSONObject, _ start: IssuerClient) throws -> IssuerClient {
    guard object["software_statement"] == nil else {
      throw Refusal("invalid_software_statement", "software statements are not supported")
    }
    guard object["jwks_uri"] == nil else { throw Self.wrong("jwks_uri is not supported; send jwks") }
    var client = start
    client.name = try Self.text("client_name", object) ?? "A registered client"
    client.method = try Self.text("token_endpoint_auth_method", object) ?? "client_secret_basic"
    guard Self.clientMethods.contains(client.method) else { throw Self.wrong("unknown token_endpoint_auth_method") }
    if let jwks = object["jwks"] {
      // Not a private key among them, which no client should send (RFC 7517 section 9.2).
      guard let keys = try? JWKSet(parsing: jwks.serialized()), keys.warnings.isEmpty else {
        throw Self.wrong("jwks has no form that can be read, or a key that is not public")
      }
      client.keys = keys
    }
    guard client.method != "private_key_jwt" || !client.keys.keys.isEmpty else { throw Self.wrong("jwks is missing") }
    // Those that are known here; the answer says which they are (section 3.2.1).
    let asked = try Self.list("grant_types", object) ?? [GrantType.authorizationCode]
    client.grantTypes = GrantType.all.filter(asked.contains)
    guard !client.grantTypes.isEmpty else { throw Self.wrong("no grant type that is known here") }
    let usesCode = client.grantTypes.contains(GrantType.authorizationCode)
    let responseTypes = usesCode ? ["code"] : []
    guard try Self.list("response_types", object) ?? responseTypes == responseTypes else {
      throw Self.wrong("response_types: code with authorization_code, else none")
    }
    let application = try Self.text("application_type", object) ?? "web"
    guard ["web", "native"].contains(application) else { throw Self.wrong("unknown application_type") }
    let uris = try Self.list("redirect_uris", object) ?? []
    guard uris.count <= 16, !(uris.isEmpty && usesCode) else {
      throw Refusal("invalid_redirect_uri", "redirect_uris is missing or has too many")
    }
    client.redirects = try uris.map { try Self.rule($0, isNative: application == "native") }
    let bindsTokens = object["dpop_bound_access_tokens"] ?? false
    guard let bindsTokens = bindsTokens.bool else { throw Self.wrong("dpop_bound_access_tokens: true or false") }
    client.bindsTokensToKey = bindsTokens || settings.requiresProofs

    client.members = [
      "client_name": .string(client.name), "token_endpoint_auth_method": .string(client.method),
      "grant_types": .array(client.grantTypes.map(JSON.string)),
      "response_types": .array(responseTypes.map(JSON.string)), "application_type": .string(application),
    ]
    client.members["jwks"] = object["jwks"]
    if !uris.isEmpty { client.members["redirect_uris"] = .array(uris.map(JSON.string)) }
    for name in Self.plainNames + ["scope"] { client.members[name] = try Self.text(name, object).map(JSON.string) }
    if let scope = client.members["scope"]?.string, IssuerParameters.scope(scope) == nil {
      throw Self.wrong("malformed scope")
    }
    if client.bindsTokensToKey { client.members["dpop_bound_access_tokens"] = true }
    client.secret = client.method.hasPrefix("client_secret") ? try start.secret ?? Self.opaque() : nil
    client.managementToken = try Self.opaque()
    registrations[client.id] = client
    return client
  }

  /// OpenID Connect Dynamic Client Registration 1.0 section 2: web clients use https; native ones plain http to the
  /// loopback interface or a scheme of their own, or https that they claim (RFC 8252 section 7).
  private static func rule(_ text: String, isNative: Bool) throws -> RedirectRule {
    guard let uri = try? URI(text), uri.fragment == nil else {
      throw Refusal("invalid_redirect_uri", "a redirect URI is malformed")
    }
    let isLocal = uri.isHTTPLoopback || (uri.hasScheme("http") && uri.host.lowercased() == "localhost")
    guard uri.isHTTPS || (isNative && (isLocal || !uri.hasScheme("http"))) else {
      throw Refusal("invalid_redirect_uri", "a redirect URI does not fit the application type")
    }
    return isNative && uri.isHTTPLoopback ? .anyPort(of: uri) : .exact(text)
  }

  private static func text(_ name: String, _ object: JSONObject) throws -> String? {
    guard let value = object[name] else { return nil }
    guard let text = value.string, (1...1024).contains(text.utf8.count) else { throw wrong("\(name): a text") }
    return text
  }

  private static func list(_ name: String, _ object: JSONObject) throws -> [String]? {
    guard let value = object[name] else { return nil }
    guard let texts = value.array?.map(\.string) as? [String], texts.count <= 64 else {
      throw wrong("\(name): a list of texts")
    }
    return texts
  }
}
