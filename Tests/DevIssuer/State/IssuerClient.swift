import Encoding
import JOSE
import Platform

/// A client that the issuer knows, from its start or because it registered itself (RFC 6749 section 2, RFC 7591).
struct IssuerClient: Sendable {
  static let publicID = "agent-cli"
  static let confidentialID = "agent-confidential"
  /// The one whose keys an option names.
  static let keyID = "agent-jwt"

  /// The one that the platform's assertions prove.
  static let workloadID = "agent-workload"

  let id: String
  /// What it says of itself, with a value for each member that is needed here, and what a client that registered itself
  /// was told (RFC 7591 sections 2 and 3.2.1, RFC 7592 section 3).
  var members: JSONObject
  /// Where answers for this client may go; one of them must allow it.
  var redirects: [RedirectRule] = []
  /// When what it publishes is to be fetched again; nil for one that is known here.
  var freshUntil: Instant?

  var secret: String? { members["client_secret"]?.string }

  /// Those with a secret may send it either way.
  var method: String { members["token_endpoint_auth_method"]?.string ?? "none" }

  /// False for a public client (RFC 6749 section 2.1).
  var isConfidential: Bool { method != "none" }

  /// All its token requests must have a proof of possession (RFC 9449 section 5.2).
  var bindsTokensToKey: Bool { members["dpop_bound_access_tokens"] == true }

  /// Public keys, for `private_key_jwt`.
  var keys: JWKSet { members["jwks"].flatMap { try? JWKSet(parsing: $0.serialized()) } ?? JWKSet([]) }

  /// For the user.
  var asking: String { "\(members["client_name"]?.string ?? "") (\(id)) asks for access:" }

  func requireGrantType(_ grantType: String) throws {
    let isRegistered = members["grant_types"]?.array?.contains(.string(grantType)) ?? false
    try check(isRegistered, "unauthorized_client", "the client is not registered for this grant type")
  }

  /// The redirect URI when it is one of the client's own (RFC 6749 section 3.1.2).
  func redirect(_ text: String, _ name: String) throws -> URI {
    guard let uri = try? URI(text), uri.fragment == nil, redirects.contains(where: { $0.allows(uri) }) else {
      throw Refusal("invalid_request", "\(name) is malformed, or not registered for this client")
    }
    return uri
  }
}

/// The values of `grant_type` that are known here.
enum GrantType {
  static let authorizationCode = "authorization_code"
  /// RFC 8628 section 3.4.
  static let deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
  static let refreshToken = "refresh_token"
  static let clientCredentials = "client_credentials"
  /// RFC 8693 section 2.1.
  static let tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
  /// RFC 7523 section 2.1.
  static let jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
  static let all = [authorizationCode, deviceCode, refreshToken, clientCredentials, tokenExchange, jwtBearer]
  /// Those of the FAPI 2.0 Security Profile.
  static let profile = [authorizationCode, refreshToken, clientCredentials]
}

/// Which redirect URIs are a client's own.
enum RedirectRule: Sendable {
  /// This one, byte for byte (RFC 6749 section 3.1.2.3).
  case exact(String)
  /// Any port of 127.0.0.1 and of [::1], with this path or one below it (RFC 8252 section 7.3).
  case loopback(pathPrefix: String)
  /// As registered but for the port (RFC 8252 section 7.3).
  case anyPort(of: URI)

  func allows(_ uri: URI) -> Bool {
    switch self {
    case .exact(let text): uri.text.utf8.elementsEqual(text.utf8)
    case .loopback(let prefix):
      uri.isHTTPLoopback
        && ((uri.path.isEmpty ? "/" : uri.path) == prefix
          || uri.path.hasPrefix(prefix.hasSuffix("/") ? prefix : prefix + "/"))
    case .anyPort(let registered):
      uri.isHTTPLoopback && uri.host == registered.host && uri.path == registered.path && uri.query == registered.query
    }
  }
}

/// The clients.
struct ClientStore: Sendable {
  private let known: [IssuerClient]
  var registered = BoundedTable<IssuerClient>(capacity: 1000)
  /// Those that publish what they are, by their URLs.
  var published = BoundedTable<IssuerClient>(capacity: 1000)

  /// - Parameters:
  ///   - redirects: Of the clients that are known from the start.
  ///   - keys: A JWK Set; nil when no client signs.
  ///   - platformKeys: Of the platform whose assertions are taken; nil when there is none.
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

  /// The client of that identifier, without any proof that it sent something.
  func named(_ id: String) throws -> IssuerClient { try check(self[id], "invalid_request", "unknown client") }
}
