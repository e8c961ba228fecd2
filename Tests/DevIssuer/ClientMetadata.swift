import Encoding
import JOSE

/// What a client says of itself when it registers (RFC 7591 section 2), checked.
struct ClientMetadata: Sendable {
  static let methods = ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"]
  /// More redirect URIs than this are refused.
  private static let redirectLimit = 16
  private static let textLimit = 1024
  /// Members that are kept as they came and mean nothing here.
  private static let plainNames = [
    "client_uri", "logo_uri", "tos_uri", "policy_uri", "software_id", "software_version",
  ]

  let name: String
  let method: String
  let grantTypes: [String]
  let redirects: [RedirectRule]
  /// Public keys; never empty for `private_key_jwt`.
  let keys: JWKSet
  /// RFC 9449 section 5.2.
  let bindsTokensToKey: Bool
  /// As the client gets it back (section 3.2.1).
  let members: JSONObject

  /// - Parameter mustBindTokens: Whether this server gives out bound tokens only, whatever the client says.
  init(_ object: JSONObject, mustBindTokens: Bool) throws(OAuthFailure) {
    guard object["software_statement"] == nil else {
      throw OAuthFailure(.invalidSoftwareStatement, "software statements are not supported")
    }
    guard object["jwks_uri"] == nil else { throw Self.wrong("jwks_uri is not supported; send jwks") }
    keys = try Self.keys(object)
    let name = try Self.text("client_name", object) ?? "A registered client"
    method = try Self.text("token_endpoint_auth_method", object) ?? "client_secret_basic"
    guard method != "private_key_jwt" || !keys.keys.isEmpty else { throw Self.wrong("jwks is missing") }
    guard Self.methods.contains(method) else { throw Self.wrong("unknown token_endpoint_auth_method") }
    grantTypes = try Self.grantTypes(object)
    let usesCode = grantTypes.contains(GrantType.authorizationCode)
    let responseTypes = try Self.list("response_types", object) ?? (usesCode ? ["code"] : [])
    guard responseTypes == (usesCode ? ["code"] : []) else {
      throw Self.wrong("response_types: code with authorization_code, else none")
    }
    let application = try Self.text("application_type", object) ?? "web"
    guard ["web", "native"].contains(application) else { throw Self.wrong("unknown application_type") }
    let uris = try Self.list("redirect_uris", object) ?? []
    redirects = try Self.rules(uris, isNative: application == "native", isNeeded: usesCode)

    var members: JSONObject = [
      "client_name": .string(name), "token_endpoint_auth_method": .string(method),
      "grant_types": .array(grantTypes.map(JSON.string)), "response_types": .array(responseTypes.map(JSON.string)),
      "application_type": .string(application),
    ]
    if let jwks = object["jwks"] { members["jwks"] = jwks }
    if !uris.isEmpty { members["redirect_uris"] = .array(uris.map(JSON.string)) }
    for plain in Self.plainNames { members[plain] = try Self.text(plain, object).map(JSON.string) }
    if let scope = try Self.text("scope", object) {
      guard ScopeSet(scope) != nil else { throw Self.wrong("malformed scope") }
      members["scope"] = .string(scope)
    }
    let bindsTokens = object["dpop_bound_access_tokens"] ?? false
    guard let bindsTokens = bindsTokens.bool else { throw Self.wrong("dpop_bound_access_tokens: true or false") }
    bindsTokensToKey = bindsTokens || mustBindTokens
    if bindsTokensToKey { members["dpop_bound_access_tokens"] = true }
    self.name = name
    self.members = members
  }

  var usesSecret: Bool { method.hasPrefix("client_secret") }

  static func wrong(_ text: String) -> OAuthFailure { OAuthFailure(.invalidClientMetadata, text) }

  /// Not a private one among them, which nobody should have sent (RFC 7517 section 9.2).
  private static func keys(_ object: JSONObject) throws(OAuthFailure) -> JWKSet {
    guard let value = object["jwks"] else { return JWKSet([]) }
    guard let keys = try? JWKSet(parsing: value.serialized()), keys.warnings.isEmpty else {
      throw wrong("jwks has no form that can be read, or a key that is not public")
    }
    return keys
  }

  /// Those that are known here; the answer says which they are (section 3.2.1).
  private static func grantTypes(_ object: JSONObject) throws(OAuthFailure) -> [String] {
    let asked = try list("grant_types", object) ?? [GrantType.authorizationCode]
    let known = GrantType.all.filter(asked.contains)
    guard !known.isEmpty else { throw wrong("no grant type that is known here") }
    return known
  }

  /// OpenID Connect Dynamic Client Registration 1.0 section 2: web clients use https; native ones plain
  /// http to the loopback interface or a scheme of their own, or https that they claim (RFC 8252 section 7).
  private static func rules(
    _ uris: [String], isNative: Bool, isNeeded: Bool
  ) throws(OAuthFailure) -> [RedirectRule] {
    guard uris.count <= redirectLimit, !(uris.isEmpty && isNeeded) else {
      throw OAuthFailure(.invalidRedirectURI, "redirect_uris is missing or has too many")
    }
    var rules: [RedirectRule] = []
    for text in uris {
      guard let uri = try? URI(text), uri.fragment == nil else {
        throw OAuthFailure(.invalidRedirectURI, "a redirect URI is malformed")
      }
      let isLocal = uri.hasScheme("http") && (uri.isHTTPLoopback || uri.host.lowercased() == "localhost")
      guard uri.isHTTPS || (isNative && (isLocal || !uri.hasScheme("http"))) else {
        throw OAuthFailure(.invalidRedirectURI, "a redirect URI does not fit the application type")
      }
      rules.append(isNative && uri.isHTTPLoopback ? .anyPort(of: uri) : .exact(text))
    }
    return rules
  }

  private static func text(_ name: String, _ object: JSONObject) throws(OAuthFailure) -> String? {
    guard let value = object[name] else { return nil }
    guard let text = value.string, (1...textLimit).contains(text.utf8.count) else { throw wrong("\(name): a text") }
    return text
  }

  private static func list(_ name: String, _ object: JSONObject) throws(OAuthFailure) -> [String]? {
    guard let value = object[name] else { return nil }
    guard let list = value.array?.map(\.string), let texts = list as? [String], texts.count <= 64 else {
      throw wrong("\(name): a list of texts")
    }
    return texts
  }
}
