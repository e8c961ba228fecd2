import Crypto
import Encoding

extension IssuerFault {
  private typealias Row = (name: String, edit: Edit)

  static let table =
    [
      (Place.authorization, authorization), (.par, pushedRequests), (.registration, registrations),
      (.resource, resources), (.idToken, idTokenClaims + idTokenForms), (.metadata, metadata), (.jwks, keySets),
      (.userinfo, userInfo), (.dpop, proofs), (.body, answers + deliveries),
    ].flatMap { place, rows in rows.map { IssuerFault(place: place, name: $0.name, edit: $0.edit) } }

  private static let elsewhere = "https://issuer.invalid"

  private static func row(_ name: String, _ edit: @escaping Edit) -> Row { (name, edit) }

  /// A fault that removes or replaces a member of a JSON response.
  private static func row(_ name: String, _ member: String, _ value: JSON?) -> Row {
    (name, { $0.answer.members[member] = value })
  }

  /// A fault that removes or replaces an ID Token claim.
  private static func row(_ name: String, claim: String, _ value: JSON?) -> Row {
    (name, { $0.claims[claim] = value })
  }

  // MARK: The authorization endpoint

  private static let authorization: [Row] = [
    // RFC 9207 section 2.4.
    row("wrong_iss") { $0[query: "iss"] = elsewhere },
    row("missing_iss") { $0[query: "iss"] = nil },
    row("wrong_state") { $0[query: "state"] = $0[query: "state"].map { "x" + $0 } },
    row("missing_state") { $0[query: "state"] = nil },
    // RFC 6749 section 3.1.
    row("duplicate") { $0.query += $0.query.filter { ["code", "error"].contains($0.name) } },
    // RFC 9700 section 2.1.2.
    row("access_token") { $0.query.append(("access_token", "x")) },
    // From the previous response.
    row("replayed_code") { $0[query: "code"] = $0.earlierCode ?? $0[query: "code"] },
    // The browser delivers the response twice.
    row("twice") { $0.answer = $0.answer[header: "Location"].map(Page.twice) ?? $0.answer },
  ]

  // MARK: Pushed requests (RFC 9126 section 2.2) and registrations (RFC 7591 section 3.2.1)

  private static let pushedRequests: [Row] = [
    row("malformed", "request_uri", "not a URI"),
    row("http", "request_uri", "http://issuer.invalid/request"),
    row("missing", "request_uri", nil),
    // Unknown to the authorization endpoint.
    row("unknown") { $0.change("request_uri") { $0 + "x" } },
    row("status") { $0.answer.status = 200 },
  ]

  private static let registrations: [Row] = [
    row("no_client_id", "client_id", nil),
    row("redirect_uris", "redirect_uris", ["https://issuer.invalid/callback"]),
    // A grant type that was not requested.
    row("grant_types", "grant_types", ["implicit"]),
    row("method", "token_endpoint_auth_method", "tls_client_auth"),
    row("no_expiry", "client_secret_expires_at", nil),
    // At another server (RFC 7592 section 3).
    row("foreign_uri") { try $0.change("registration_client_uri") { elsewhere + (try URI($0)).path } },
  ]

  // MARK: Protected resources (RFC 9728)

  private static let resources: [Row] = [
    // Another resource's metadata (section 3.3).
    row("resource") { $0.describe("resource", "https://resource.invalid/") },
    row("server") { $0.describe("authorization_servers", [.string(elsewhere)]) },
    row("no_server") { $0.describe("authorization_servers", nil) },
    // The server's own metadata have no trailing slash.
    row("slash") { $0.describe("authorization_servers", [.string($0.url + "/")]) },
    // Metadata at another origin (section 7.3).
    row("metadata") {
      $0.challenge = $0.challenge?.replacing("data=\"\($0.url)", with: "data=\"https://resource.invalid")
    },
    row("no_metadata") { $0.challenge = $0.challenge?.replacing(/, resource_metadata="[^"]*"/, with: "") },
  ]

  // MARK: ID Tokens: each violates OpenID Connect Core section 3.1.3.7, RFC 7515 or RFC 7519, unless marked as valid.

  private static let idTokenClaims: [Row] =
    [
      row("missing", "id_token", nil),
      row("iss", claim: "iss", .string(elsewhere)),
      row("aud", claim: "aud", "another-client"),
      row("second_aud") { $0.claims["aud"] = [$0.claims["aud"] ?? "", "another-client"] },
      // An array with one element, which is valid.
      row("aud_array") { $0.claims["aud"] = [$0.claims["aud"] ?? ""] },
      row("azp", claim: "azp", "another-client"),
      row("exp") { $0.move("iat", "exp", by: -7200) },
      row("exp_text") { $0.claims["exp"] = $0.claims["exp"]?.int.map { .string(String($0)) } },
      // A day in the future.
      row("future_iat") { $0.move("iat", "exp", by: 86_400) },
      // Another user than before and than in UserInfo.
      row("sub", claim: "sub", "user-mallory"),
      // One character too long (section 2).
      row("long_sub", claim: "sub", .string(String(repeating: "x", count: 256))),
      // Duplicate members for two users.
      row("two_subs") { spoiled in
        let sign = spoiled.sign
        spoiled.sign = { try sign($0, Array("{\"sub\":\"user-mallory\",".utf8) + $1.dropFirst()) }
      },
      row("at_hash") { $0.claims["at_hash"] = try $0.hash("another token") },
      row("c_hash") { $0.claims["c_hash"] = try $0.hash("another code") },
      // Even if no nonce was sent.
      row("nonce", claim: "nonce", "another nonce"),
      // A day before the sign-in.
      row("auth_time") { $0.move("auth_time", by: -86_400) },
      row("acr") { $0.claims["acr"] = $0.claims["acr"].map { _ in "another context" } },
      // From a logout token (OpenID Connect Back-Channel Logout 1.0 section 2.4).
      row("events", claim: "events", ["http://schemas.openid.net/event/backchannel-logout": [:]]),
    ] + ["iss", "aud", "exp", "iat", "sub", "nonce"].map { row("no_" + $0, claim: $0, nil) }

  private static let idTokenForms: [Row] = [
    // One bit is changed.
    row("signature") {
      $0.changeToken { text in
        let parts = text.split(separator: ".").map(String.init)
        guard var signature = try? Base64URL.decode(parts[2]) else { return text }
        signature[signature.count / 2] ^= 1
        return "\(parts[0]).\(parts[1]).\(Base64URL.encode(signature))"
      }
    },
    // Unsigned (RFC 7519 section 6).
    row("none") {
      $0.header = ["alg": "none", "typ": "JWT"]
      $0.sign = { "\(Base64URL.encode(JSON.object($0).serialized())).\(Base64URL.encode($1))." }
    },
    // An unannounced algorithm. RSA keys support several; other keys have to be replaced.
    row("alg") { spoiled in
      let key = spoiled.key
      switch key.algorithm {
      case .RS256, .RS384, .RS512: spoiled.sign = { try key.sign($0, $1, algorithm: .PS256) }
      case .PS256, .PS384, .PS512: spoiled.sign = { try key.sign($0, $1, algorithm: .RS256) }
      default: try spoiled.signByStranger(key.algorithm == .ES384 ? .ES256 : .ES384)
      }
    },
    // The published key is used as a shared secret (RFC 8725 section 2.1).
    row("hs256") { spoiled in
      let secret = spoiled.key.jwk.serialized()
      spoiled.header["alg"] = "HS256"
      spoiled.sign = { try IssuerKey.authenticate($0, $1, secret: secret) }
    },
    // The `kid` is not in the JWK Set.
    row("kid") { $0.header = try $0.signByStranger().header },
    // No `kid`, which is valid if one key is suitable.
    row("no_kid") { $0.header["kid"] = nil },
    // A key in the header.
    row("jwk") {
      $0.header["jwk"] = try $0.signByStranger().jwk
      $0.header["kid"] = nil
    },
    // The URL of a key in the header.
    row("jku") {
      try $0.signByStranger()
      $0.header["jku"] = .string($0.url + "/echo")
      $0.header["kid"] = nil
    },
    row("crit") {
      $0.header["crit"] = ["https://issuer.invalid/extension"]
      $0.header["https://issuer.invalid/extension"] = true
    },
    // An access token's type (RFC 9068 section 2.1).
    row("typ") { $0.header["typ"] = "at+jwt" },
    row("padded") { $0.changeToken { $0 + "==" } },
    // The format of an encrypted token (RFC 7516 section 3.1).
    row("five_parts") {
      let parts = ["{\"alg\":\"RSA-OAEP-256\",\"enc\":\"A256GCM\"}", "key", "vector", "text", "tag"]
      $0.changeToken { _ in parts.map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".") }
    },
  ]

  // MARK: Documents

  private static let metadata: [Row] = [
    // RFC 8414 section 3.3.
    row("issuer") { $0.change("issuer") { $0 + "/" } },
    row("other_issuer", "issuer", .string(elsewhere)),
    // Plain http beyond the loopback interface.
    row("http_endpoint", "token_endpoint", "http://issuer.invalid/token"),
    // Not announced (RFC 8414 section 2), although S256 works.
    row("no_s256", "code_challenge_methods_supported", nil),
    row("plain", "code_challenge_methods_supported", ["plain"]),
    // An algorithm that the key does not support.
    row("id_token_algorithms", "id_token_signing_alg_values_supported", ["ES512"]),
    // RFC 9207 section 3.
    row("no_iss_parameter", "authorization_response_iss_parameter_supported", false),
    // Less than the FAPI 2.0 Security Profile requires.
    row("no_par", "pushed_authorization_request_endpoint", nil),
    row("no_dpop", "dpop_signing_alg_values_supported", nil),
    row("secrets_only", "token_endpoint_auth_methods_supported", ["client_secret_basic"]),
    row("rs256_clients", "token_endpoint_auth_signing_alg_values_supported", ["RS256"]),
    row("rs256_id_tokens", "id_token_signing_alg_values_supported", ["RS256"]),
  ]

  private static let keySets: [Row] = [
    row("empty", "keys", []),
    row("many") { $0.publish([JSON](repeating: $0.key.jwk, count: 2000)) },
    // With a shared secret (RFC 7517 section 9.2).
    row("mixed") { $0.publish([$0.key.jwk, ["kty": "oct", "k": .string(try Seal.opaque())]]) },
    // With the private member (RFC 7517 section 9.2).
    row("private") { $0.publish([changed($0.key.jwk, "d", .string(try Seal.opaque()))]) },
    // An RSA key of 1024 bits with unknown factors (RFC 7518 section 3.3).
    row("weak") {
      var modulus = try Random.bytes(128)
      modulus[0] |= 0x80
      modulus[127] |= 1
      let numbers: JSON = ["kty": "RSA", "n": .string(Base64URL.encode(modulus)), "e": "AQAB", "use": "sig"]
      $0.publish([changed(numbers, "kid", .string($0.key.keyID))])
    },
    // Two suitable keys, which is valid.
    row("several") { $0.publish([$0.key.jwk, try IssuerKey($0.key.algorithm).jwk]) },
    // Two keys with the same ID.
    row("duplicate") {
      $0.publish([$0.key.jwk, changed(try IssuerKey($0.key.algorithm).jwk, "kid", .string($0.key.keyID))])
    },
  ]

  private static func changed(_ jwk: JSON, _ name: String, _ value: JSON) -> JSON {
    var members = jwk.object ?? [:]
    members[name] = value
    return .object(members)
  }

  private static let userInfo: [Row] = [
    // Another user than in the ID Token (OpenID Connect Core section 5.3.2).
    row("sub", "sub", "user-mallory"), row("no_sub", "sub", nil),
  ]

  // MARK: DPoP proofs (RFC 9449). The first fault affects issued tokens, the others checked proofs.

  private static let proofs: [Row] = [
    // A Bearer token despite a valid proof.
    row("bearer") { _ in },
    row("missing_nonce") { $0.answer[header: "DPoP-Nonce"] = nil },
    // `use_dpop_nonce` each time, with another nonce.
    row("nonce_storm") { _ in },
  ]

  // MARK: Any response. Those marked as valid must be accepted.

  private static let answers: [Row] = [
    // 307 forwards the content of the request (RFC 9110 section 15.4.8).
    row("redirect") { $0.answer = IssuerAnswer(status: 307, headers: [("Location", $0.redirectTarget)]) },
    row("two_locations") {
      let places = [$0.url + "/jwks", $0.redirectTarget]
      $0.answer = IssuerAnswer(status: 302, headers: places.map { ("Location", $0) })
    },
    row("type") { $0.answer[header: "Content-Type"] = "text/plain" },
    row("two_types") { $0.answer.headers.append(("Content-Type", "text/html")) },
    row("two_lengths") { $0.answer.headers.append(("Content-Length", "1")) },
    row("flood") { $0.answer.headers += (0..<2000).map { ("X-Flood-\($0)", "drip") } },
    row("empty") { $0.answer.body = [] },
    row("html") {
      $0.answer[header: "Content-Type"] = "text/html"
      $0.answer.body = Array("<!DOCTYPE html><title>Welcome</title><p>Please accept the terms of this network.".utf8)
    },
    row("array") { $0.answer.body = Array("[".utf8) + $0.answer.body + Array("]".utf8) },
    // Two mebibytes of JSON before the original members.
    row("huge") { $0.prefix("padding", "\"" + String(repeating: "x", count: 2 << 20) + "\"") },
    // JSON with a hundred thousand levels.
    row("deep") { $0.prefix("deep", ["[", "]"].map { String(repeating: $0, count: 100_000) }.joined()) },
    row("error") {
      $0.answer.status = 200
      $0.answer.members = ["error": "server_error", "error_description": "Not today."]
    },
    // Compressed although not requested, and very large when inflated.
    row("bomb") {
      $0.answer.headers.append(("Content-Encoding", "gzip"))
      $0.answer.body = CompressedBomb.bytes
    },
  ]

  /// Half a response; none; an endless one; one sent byte by byte, which is valid.
  private static let deliveries = IssuerAnswer.Delivery.allCases.filter { $0 != .whole }.map { delivery in
    row(delivery.rawValue) { $0.answer.delivery = delivery }
  }
}

/// Short gzip content (RFC 1952) that is very large when inflated.
enum CompressedBomb {
  /// The number of inflated zeros, 258 for each pair of codes.
  static let inflatedCount = 1 + 258 * pairCount
  private static let pairCount = 131_072

  /// Lacks the final checksum: a reader that gets that far has inflated everything.
  static let bytes: [UInt8] = {
    // One block with the fixed codes (RFC 1951 section 3.2.6): a zero, repeated pairs of the length 258 and the
    // distance 1, the end. Bits fill bytes from the lowest on (section 3.1.1).
    let pairs = String(repeating: "1100010100000", count: pairCount)
    let bits = "110" + "00110000" + pairs + "0000000"
    var packed = [UInt8](repeating: 0, count: (bits.utf8.count + 7) / 8)
    for (place, bit) in bits.utf8.enumerated() where bit == UInt8(ascii: "1") {
      packed[place / 8] |= 1 << UInt8(place % 8)
    }
    // Deflate, no flags, no time, no name.
    return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255] + packed
  }()
}
