import Encoding
import Crypto
import Platform

/// A client known to the issuer, initially or by registration (RFC 6749 section 2, RFC 7591).
struct IssuerClient: Sendable {
  static let publicID = "agent-cli"
  static let confidentialID = "agent-confidential"
  /// The client with keys from an option.
  static let keyID = "agent-jwt"

  /// The client that the platform's assertions authenticate.
  static let workloadID = "agent-workload"

  let id: String
  /// The client's metadata, including what registration returns (RFC 7591 sections 2 and 3.2.1, RFC 7592 section 3).
  var members: JSONObject
  /// One of them must allow a redirect URI.
  var redirects: [RedirectRule] = []
  /// When to fetch the client's document again; nil for a client that is not a URL.
  var freshUntil: Instant?

  var secret: String? { members["client_secret"]?.string }

  /// The authentication method. Clients with a secret may send it in either way.
  var method: String { members["token_endpoint_auth_method"]?.string ?? "none" }

  /// False for a public client (RFC 6749 section 2.1).
  var isConfidential: Bool { method != "none" }

  /// Whether all token requests must have a DPoP proof (RFC 9449 section 5.2).
  var bindsTokensToKey: Bool { members["dpop_bound_access_tokens"] == true }

  /// The public keys, for `private_key_jwt`.
  var keys: JWKSet { members["jwks"].flatMap { try? JWKSet(parsing: $0.serialized()) } ?? JWKSet([]) }

  /// The sentence that asks the user for approval.
  var asking: String { "\(members["client_name"]?.string ?? "") (\(id)) asks for access:" }

  func requireGrantType(_ grantType: String) throws {
    let isRegistered = members["grant_types"]?.array?.contains(.string(grantType)) ?? false
    try check(isRegistered, "unauthorized_client", "the client is not registered for this grant type")
  }

  /// Parses a redirect URI, which must be one of the client's (RFC 6749 section 3.1.2).
  func redirect(_ text: String, _ name: String) throws -> URI {
    guard let uri = try? URI(text), uri.fragment == nil, redirects.contains(where: { $0.allows(uri) }) else {
      throw Refusal("invalid_request", "\(name) is malformed, or not registered for this client")
    }
    return uri
  }
}

enum GrantType {
  static let authorizationCode = "authorization_code"
  static let deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
  static let refreshToken = "refresh_token"
  static let clientCredentials = "client_credentials"
  static let tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
  static let jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
  static let all = [authorizationCode, deviceCode, refreshToken, clientCredentials, tokenExchange, jwtBearer]
  /// The grant types that the FAPI 2.0 Security Profile allows.
  static let profile = [authorizationCode, refreshToken, clientCredentials]
}

enum RedirectRule: Sendable {
  /// Exactly this URI, byte for byte (RFC 6749 section 3.1.2.3).
  case exact(String)
  /// Any port of 127.0.0.1 and [::1], with this path or one below it (RFC 8252 section 7.3).
  case loopback(pathPrefix: String)
  /// This URI with any port (RFC 8252 section 7.3).
  case anyPort(of: URI)

  func allows(_ uri: URI) -> Bool {
    switch self {
    case .exact(let text): uri.text.utf8.elementsEqual(text.utf8)
    case .loopback(let prefix):
      uri.isLoopbackLiteral
        && ((uri.path.isEmpty ? "/" : uri.path) == prefix
          || uri.path.hasPrefix(prefix.hasSuffix("/") ? prefix : prefix + "/"))
    case .anyPort(let registered):
      uri.isLoopbackLiteral && uri.host == registered.host && uri.path == registered.path
        && uri.query == registered.query
    }
  }
}

struct ClientStore: Sendable {
  private let known: [IssuerClient]
  var registered = BoundedTable<IssuerClient>(capacity: 1000)
  /// The clients that publish their metadata, by URL.
  var published = BoundedTable<IssuerClient>(capacity: 1000)

  /// - Parameters:
  ///   - redirects: The rules of the initial clients.
  ///   - keys: The JWK Set of the client that signs, if any.
  ///   - platformKeys: The keys of the platform whose assertions are accepted, if any.
  init(_ redirects: [RedirectRule], secret: String, keys: JSON?, platformKeys: JSON?) {
    let rows: [(String, String, String, String?, JSON?)] = [
      (IssuerClient.publicID, "Agent", "none", nil, nil),
      (IssuerClient.confidentialID, "Agent (confidential)", "client_secret_basic", secret, nil),
      (IssuerClient.workloadID, "Agent (a workload)", "platform_jwt", nil, platformKeys),
      (IssuerClient.keyID, "Agent (with a key)", "private_key_jwt", nil, keys),
    ]
    known = rows.prefix(keys == nil ? 3 : 4).map { id, name, method, secret, keys in
      var members: JSONObject = ["client_name": .string(name), "token_endpoint_auth_method": .string(method)]
      members["grant_types"] = .array(GrantType.all.map(JSON.string))
      members["jwks"] = keys
      members["client_secret"] = secret.map(JSON.string)
      return IssuerClient(id: id, members: members, redirects: redirects)
    }
  }

  subscript(id: String) -> IssuerClient? { known.first { $0.id == id } ?? registered[id] ?? published[id] }

  /// Throws if unknown.
  func named(_ id: String) throws -> IssuerClient { try check(self[id], "invalid_request", "unknown client") }
}

extension URI {
  /// Whether this is plain http to 127.0.0.1 or [::1]. Only then may the port vary, not for `localhost` (RFC 8252
  /// section 7.3).
  var isLoopbackLiteral: Bool { isHTTPLoopback && host.lowercased() != "localhost" }
}
