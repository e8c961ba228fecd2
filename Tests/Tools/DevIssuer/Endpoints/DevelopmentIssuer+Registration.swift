import Crypto
import Encoding
import HTTP
import OAuth
import Vocabulary

/// Dynamic client registration (RFC 7591) and its management (RFC 7592).
extension DevelopmentIssuer {
  static let clientMethods = ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"]

  private typealias Member = (name: String, initial: JSON?, isGood: @Sendable (JSON) -> Bool)

  /// The supported metadata, with defaults and validation (RFC 7591 section 2).
  private static let members: [Member] = [
    ("client_name", "A registered client", isText),
    ("token_endpoint_auth_method", "client_secret_basic", { clientMethods.contains($0.string ?? "") }),
    ("grant_types", ["authorization_code"], { texts($0)?.contains(where: GrantType.all.contains) ?? false }),
    ("response_types", nil, { texts($0) != nil }),
    ("application_type", "web", { $0 == "web" || $0 == "native" }),
    ("redirect_uris", nil, { texts($0) != nil }),
    ("dpop_bound_access_tokens", nil, { $0.bool != nil }),
    // Clients must not send private keys (RFC 7517 section 9.2).
    ("jwks", nil, { (try? JWKSet(parsing: $0.serialized()))?.warnings.isEmpty ?? false }),
    ("scope", nil, { IssuerParameters.scope($0.string ?? "") != nil }),
    ("client_uri", nil, isText), ("logo_uri", nil, isText), ("tos_uri", nil, isText), ("policy_uri", nil, isText),
    ("software_id", nil, isText), ("software_version", nil, isText),
  ]
  /// Response members that an update must not contain (RFC 7592 section 2.2).
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

  /// The client configuration endpoint (RFC 7592 section 2). Treats an unknown client like a wrong token (section
  /// 2.1).
  mutating func manageClient(_ request: IssuerRequest) throws -> IssuerAnswer {
    let presented = try Self.presentedToken(request).text
    guard let client = clients.registered[String(request.path.dropFirst(Self.clientPrefix.count))],
      Seal.isSame(client.members["registration_access_token"]?.string ?? "", presented)
    else { throw Refusal.challenge("invalid_token", "unknown, expired or revoked") }
    switch request.method {
    case "PUT":
      // Removes omitted members (section 2.2). A new token replaces the old one.
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

  /// Validates and stores the client with a new management token (RFC 7592 section 1.2).
  ///
  /// - Returns: The response (RFC 7591 section 3.2.1, RFC 7592 section 3).
  private mutating func registered(_ object: JSONObject, _ start: IssuerClient) throws -> JSONObject {
    var client = try checked(object, start)
    client.members["registration_access_token"] = .string(try Seal.opaque())
    client.members["registration_client_uri"] = .string(url + Self.clientPrefix + client.id)
    if client.method.hasPrefix("client_secret") {
      client.members["client_secret"] = .string(try start.secret ?? Seal.opaque())
      // The secret does not expire.
      client.members["client_secret_expires_at"] = 0
    }
    clients.registered[client.id] = client
    return client.members
  }

  /// The client with validated metadata (RFC 7591 section 2).
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
    // Drops unknown grant types (section 3.2.1).
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

  /// The rule for a valid redirect URI (OpenID Connect Dynamic Client Registration 1.0 section 2), otherwise nil:
  /// https for web clients; for native ones also a custom scheme, or http to the loopback interface (RFC 8252 section
  /// 7).
  private static func rule(_ text: String, _ isNative: Bool) -> RedirectRule? {
    guard let uri = try? URI(text), uri.fragment == nil else { return nil }
    guard uri.isHTTPS || (isNative && (uri.isHTTPLoopback || !uri.hasScheme("http"))) else { return nil }
    return isNative && uri.isLoopbackLiteral ? .anyPort(of: uri) : .exact(text)
  }
}

/// Clients whose ID is their metadata's URL (draft-ietf-oauth-client-id-metadata-document-03).
extension DevelopmentIssuer {
  /// The maximum cache time in seconds, whatever the document's server says (section 5.2).
  private static let highestAge = 3600

  /// The URL to fetch before responding to a request that begins a sign-in, or to an unknown client's token request.
  /// Nil if the client ID is not a URL, or its cached document is fresh.
  func documentWanted(for request: IssuerRequest) -> String? {
    let kind = settings.text("client_documents")
    guard kind != "off", request["host"] == host, let route = Self.route(request.path),
      [.authorization, .par, .device, .token].contains(route.endpoint),
      let id = (try? request.parameters())?["client_id"],
      Client.isMetadataURL(id, allowHTTPLoopback: kind == "loopback")
    else { return nil }
    guard let kept = clients.published[id]?.freshUntil else { return id }
    return kept > now || route.endpoint == .token ? nil : id
  }

  /// Throws `invalid_client` for an invalid document, which is not stored (section 5.2).
  mutating func keep(_ document: ClientDocument) throws {
    count(.clientDocuments)
    do {
      let response = try document.answer.get()
      try check(response.status == 200, "invalid_client", "the client's URL answers with status \(response.status)")
      try check(response.headers.isJSON, "invalid_client", "the client's document is not application/json")
      let json = response.body.withBytes { try? JSON(parsing: $0) }
      var object = try check(json?.object, "invalid_client", "the client's document is no JSON object")
      // The URLs must be identical (RFC 3986 section 6.2.1).
      let isOwn = object["client_id"] == .string(document.url)
      try check(isOwn, "invalid_client", "client_id of the client's document is not its URL")
      for name in ["client_secret", "client_secret_expires_at"] {
        try check(object[name] == nil, "invalid_client", "a client's document has no \(name)")
      }
      object["token_endpoint_auth_method"] = object["token_endpoint_auth_method"] ?? "none"
      object["application_type"] = object["application_type"] ?? "native"
      var client = try checked(object, IssuerClient(id: document.url, members: [:]))
      let isWithoutSecret = !client.method.hasPrefix("client_secret")
      try check(isWithoutSecret, "invalid_client", "a client's document is for no shared secret")
      client.freshUntil = instant(after: min(response.headers.maxAgeSeconds ?? 0, Self.highestAge))
      clients.published[document.url] = client
    } catch let refusal as Refusal {
      throw Refusal("invalid_client", refusal.description)
    }
  }
}

/// The result of fetching a client's URL (draft-ietf-oauth-client-id-metadata-document-03 section 5).
struct ClientDocument: Sendable {
  let url: String
  let answer: Result<HTTPResponse, Refusal>
}

/// Fetches client documents. Blocking. Follows no redirects. Since it is for tests, it accepts private addresses
/// (section 8).
final class ClientDocuments: Sendable {
  private let http = CurlClient(userAgent: "devissuer")
  private let transport: Transport

  /// - Parameter authorities: Certificate authorities in PEM, trusted in addition to the system's.
  init(authorities: [UInt8]? = nil) throws {
    var transport = Transport()
    transport.allowHTTPLoopback = true
    transport.totalTimeoutSeconds = 5
    transport.certificateAuthorities = try authorities.map { try CertificateAuthorities(pem: $0) }
    self.transport = transport
  }

  func fetch(_ url: String) -> ClientDocument {
    do {
      let endpoint = try Endpoint(url, allowHTTPLoopback: true)
      var request = HTTPRequest(.get, endpoint, .metadata, transport: transport)
      // The maximum size of a document (section 8).
      request.responseLimit = 5 * 1024
      return ClientDocument(url: url, answer: .success(try http.send(request)))
    } catch {
      let reason = (error as? HTTPFailure).map { "\($0.code)" } ?? "its URL cannot be used"
      let refusal = Refusal("invalid_client", "the client's document cannot be fetched: \(reason)")
      return ClientDocument(url: url, answer: .failure(refusal))
    }
  }
}
