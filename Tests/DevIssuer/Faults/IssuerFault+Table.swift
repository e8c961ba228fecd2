import Crypto
import Encoding
import JOSE

/// All faults. Another one is another row.
extension IssuerFault {
  static let table =
    authorization + pushedRequests + registrations + resources + idTokenClaims + idTokenForms + documents + proofs
    + headers + contents + deliveries

  private static let elsewhere = "https://issuer.invalid"

  // MARK: The authorization endpoint

  private static let authorization = [
    // Another issuer's name (RFC 9207 section 2.4).
    redirect("wrong_iss") { query, _ in replace(&query, "iss") { _ in elsewhere } },
    redirect("missing_iss") { query, _ in query.removeAll { $0.0 == "iss" } },
    redirect("wrong_state") { query, _ in replace(&query, "state") { "x" + $0 } },
    redirect("missing_state") { query, _ in query.removeAll { $0.0 == "state" } },
    // A parameter twice in one answer (RFC 6749 section 3.1).
    redirect("duplicate") { query, _ in query += query.filter { ["code", "error"].contains($0.0) } },
    // RFC 9700 section 2.1.2.
    redirect("access_token") { query, _ in query.append(("access_token", "x")) },
    // The code of the answer before.
    redirect("replayed_code") { query, scene in replace(&query, "code") { scene.earlierCode ?? $0 } },
    // The browser brings the whole answer twice.
    IssuerFault(.authorization, "twice") { answer, _ in
      if let location = answer[header: "Location"] { answer = Page.twice(location) }
    },
  ]

  /// A fault of the parameters that the browser takes to the client.
  private static func redirect(
    _ name: String, _ edit: @escaping @Sendable (inout [(String, String)], Scene) -> Void
  ) -> IssuerFault {
    IssuerFault(.authorization, name) { answer, scene in
      guard case let (place, text?)? = answer[header: "Location"].map({ ASCII.halves($0, at: "?") }) else { return }
      var query = try Form.parse(text).map { ($0.name, $0.value) }
      edit(&query, scene)
      answer[header: "Location"] = try URI(place).appendingQuery(query)
    }
  }

  private static func replace(_ query: inout [(String, String)], _ name: String, _ value: (String) -> String) {
    query = query.map { $0.0 == name ? (name, value($0.1)) : $0 }
  }

  // MARK: Pushed requests (RFC 9126 section 2.2) and registrations (RFC 7591 section 3.2.1)

  private static let pushedRequests = [
    IssuerFault(.par, "malformed", "request_uri", "not a URI"),
    // A reference to a web page.
    IssuerFault(.par, "http", "request_uri", "http://issuer.invalid/request"),
    IssuerFault(.par, "missing", "request_uri", nil),
    // One that the authorization endpoint does not know.
    IssuerFault(.par, "unknown") { answer, _ in change("request_uri", of: &answer) { $0 + "x" } },
    IssuerFault(.par, "status") { answer, _ in answer.status = 200 },
  ]

  private static let registrations = [
    IssuerFault(.registration, "no_client_id", "client_id", nil),
    IssuerFault(.registration, "redirect_uris", "redirect_uris", ["https://issuer.invalid/callback"]),
    // Only a grant type that was not asked for.
    IssuerFault(.registration, "grant_types", "grant_types", ["implicit"]),
    IssuerFault(.registration, "method", "token_endpoint_auth_method", "tls_client_auth"),
    // A secret without a word about its end.
    IssuerFault(.registration, "no_expiry", "client_secret_expires_at", nil),
    // The address for the management is at another server (RFC 7592 section 3).
    IssuerFault(.registration, "foreign_uri") { answer, scene in
      change("registration_client_uri", of: &answer) { $0.replacing(scene.url, with: elsewhere) }
    },
  ]

  private static func change(_ member: String, of answer: inout IssuerAnswer, _ change: (String) -> String) {
    answer.members[member] = answer.members[member]?.string.map { .string(change($0)) }
  }

  // MARK: Protected resources (RFC 9728)

  private static let resources = [
    // The metadata are about another resource (section 3.3).
    description("resource", "resource", "https://resource.invalid/"),
    description("server", "authorization_servers", [.string(elsewhere)]),
    description("no_server", "authorization_servers", nil),
    // The server's own metadata spell it without the slash.
    IssuerFault(.resource, "slash") { answer, scene in
      if answer.members["resource_name"] != nil {
        answer.members["authorization_servers"] = [.string(scene.url + "/")]
      }
    },
    // The challenge points to metadata at another place (section 7.3).
    challenge("metadata") { $0.replacing("data=\"\($1.url)", with: "data=\"https://resource.invalid") },
    challenge("no_metadata") { challenge, _ in
      challenge.split(separator: ", ").filter { !$0.hasPrefix("resource_metadata") }.joined(separator: ", ")
    },
  ]

  /// A fault of a member of the metadata, and not of the resources' other answers.
  private static func description(_ name: String, _ member: String, _ value: JSON?) -> IssuerFault {
    IssuerFault(.resource, name) { answer, _ in
      if answer.members["resource_name"] != nil { answer.members[member] = value }
    }
  }

  private static func challenge(
    _ name: String, _ change: @escaping @Sendable (String, Scene) -> String
  ) -> IssuerFault {
    IssuerFault(.resource, name) { answer, scene in
      answer[header: "WWW-Authenticate"] = answer[header: "WWW-Authenticate"].map { change($0, scene) }
    }
  }

  // MARK: ID Tokens: each against one rule of OpenID Connect Core 1.0 section 3.1.3.7, RFC 7515 or RFC 7519. Those that
  // are said to be right must be taken.

  private static let idTokenClaims =
    [
      IssuerFault(.idToken, "missing", "id_token", nil),
      IssuerFault(idToken: "iss", "iss", .string(elsewhere)),
      IssuerFault(idToken: "aud", "aud", "another-client"),
      // Ours, and one more.
      IssuerFault(idToken: "second_aud") { $0.claims["aud"] = [$0.claims["aud"] ?? "", "another-client"] },
      // An array of one, which is right.
      IssuerFault(idToken: "aud_array") { $0.claims["aud"] = [$0.claims["aud"] ?? ""] },
      IssuerFault(idToken: "azp", "azp", "another-client"),
      IssuerFault(idToken: "exp") { $0.move("iat", "exp", by: -7200) },
      // The time as a string.
      IssuerFault(idToken: "exp_text") { $0.claims["exp"] = $0.claims["exp"]?.int.map { .string(String($0)) } },
      // A day ahead.
      IssuerFault(idToken: "future_iat") { $0.move("iat", "exp", by: 86_400) },
      // Another user than before and than UserInfo names.
      IssuerFault(idToken: "sub", "sub", "user-mallory"),
      // One character more than allowed (section 2).
      IssuerFault(idToken: "long_sub", "sub", .string(String(repeating: "x", count: 256))),
      // Two of them, for two users.
      IssuerFault(idToken: "two_subs") { draft in
        let sign = draft.sign
        draft.sign = { try sign($0, Array("{\"sub\":\"user-mallory\",".utf8) + $1.dropFirst()) }
      },
      IssuerFault(idToken: "at_hash") { $0.claims["at_hash"] = try $0.hash("another token") },
      IssuerFault(idToken: "c_hash") { $0.claims["c_hash"] = try $0.hash("another code") },
      // There even where none was sent.
      IssuerFault(idToken: "nonce", "nonce", "another nonce"),
      // A day before the sign-in.
      IssuerFault(idToken: "auth_time") { $0.move("auth_time", by: -86_400) },
      IssuerFault(idToken: "acr") { if $0.claims["acr"] != nil { $0.claims["acr"] = "another context" } },
      // Those of a logout token (OpenID Connect Back-Channel Logout 1.0 section 2.4).
      IssuerFault(idToken: "events", "events", ["http://schemas.openid.net/event/backchannel-logout": [:]]),
    ] + ["iss", "aud", "exp", "iat", "sub", "nonce"].map { IssuerFault(idToken: "no_" + $0, $0, nil) }

  private static let idTokenForms = [
    // One bit is another.
    IssuerFault(idToken: "signature") {
      $0.change { text in
        let parts = text.split(separator: ".").map(String.init)
        guard var signature = try? Base64URL.decode(parts[2]) else { return text }
        signature[signature.count / 2] ^= 1
        return "\(parts[0]).\(parts[1]).\(Base64URL.encode(signature))"
      }
    },
    // Not signed at all (RFC 7519 section 6).
    IssuerFault(idToken: "none") {
      $0.header = ["alg": "none", "typ": "JWT"]
      $0.sign = { "\(Base64URL.encode(JSON.object($0).serialized())).\(Base64URL.encode($1))." }
    },
    // Signed with an algorithm that is not announced. RSA keys serve several; of the others there is one each, so that it
    // must be another key.
    IssuerFault(idToken: "alg") { draft in
      let key = draft.key
      switch key.algorithm {
      case .RS256, .RS384, .RS512: draft.sign = { try key.sign($0, $1, algorithm: .PS256) }
      case .PS256, .PS384, .PS512: draft.sign = { try key.sign($0, $1, algorithm: .RS256) }
      default: try draft.signByStranger(key.algorithm == .ES384 ? .ES256 : .ES384)
      }
    },
    // The published key as if it were a shared secret (RFC 8725 section 2.1).
    IssuerFault(idToken: "hs256") { draft in
      let secret = draft.key.jwk.serialized()
      draft.header["alg"] = "HS256"
      draft.sign = { try IssuerKey.authenticate($0, $1, secret: secret) }
    },
    // By a key that is not in the JWK Set.
    IssuerFault(idToken: "kid") { $0.header = try $0.signByStranger($0.key.algorithm).header },
    // No `kid`, which is right while one key fits.
    IssuerFault(idToken: "no_kid") { $0.header["kid"] = nil },
    // By the key that comes along.
    IssuerFault(idToken: "jwk") {
      $0.header["jwk"] = try $0.signByStranger($0.key.algorithm).jwk
      $0.header["kid"] = nil
    },
    // By a key that is said to be elsewhere.
    IssuerFault(idToken: "jku") {
      try $0.signByStranger($0.key.algorithm)
      $0.header["jku"] = .string($0.url + "/echo")
      $0.header["kid"] = nil
    },
    // An extension that must be understood.
    IssuerFault(idToken: "crit") {
      $0.header["crit"] = ["https://issuer.invalid/extension"]
      $0.header["https://issuer.invalid/extension"] = true
    },
    // The type of an access token (RFC 9068 section 2.1).
    IssuerFault(idToken: "typ") { $0.header["typ"] = "at+jwt" },
    // Base64url with padding.
    IssuerFault(idToken: "padded") { $0.change { $0 + "==" } },
    // The form of an encrypted token (RFC 7516 section 3.1); nothing is in it.
    IssuerFault(idToken: "five_parts") {
      let header = JSON.object(["alg": "RSA-OAEP-256", "enc": "A256GCM"]).serialized()
      let parts = [header] + ["key", "vector", "text", "tag"].map { Array($0.utf8) }
      $0.change { _ in parts.map { Base64URL.encode($0) }.joined(separator: ".") }
    },
  ]

  // MARK: Documents

  private static let documents = [
    // Another issuer than the one asked for (RFC 8414 section 3.3).
    IssuerFault(.metadata, "issuer") { answer, _ in change("issuer", of: &answer) { $0 + "/" } },
    IssuerFault(.metadata, "other_issuer", "issuer", .string(elsewhere)),
    // On plain http, and not on the loopback interface.
    IssuerFault(.metadata, "http_endpoint", "token_endpoint", "http://issuer.invalid/token"),
    // No code challenge method is announced (RFC 8414 section 2), though S256 works.
    IssuerFault(.metadata, "no_s256", "code_challenge_methods_supported", nil),
    IssuerFault(.metadata, "plain", "code_challenge_methods_supported", ["plain"]),
    // An algorithm that the key is not for.
    IssuerFault(.metadata, "id_token_algorithms", "id_token_signing_alg_values_supported", ["ES512"]),
    // RFC 9207 section 3.
    IssuerFault(.metadata, "no_iss_parameter", "authorization_response_iss_parameter_supported", false),
    // Less than the FAPI 2.0 Security Profile demands.
    IssuerFault(.metadata, "no_par", "pushed_authorization_request_endpoint", nil),
    IssuerFault(.metadata, "no_dpop", "dpop_signing_alg_values_supported", nil),
    IssuerFault(.metadata, "secrets_only", "token_endpoint_auth_methods_supported", ["client_secret_basic"]),
    IssuerFault(.metadata, "rs256_clients", "token_endpoint_auth_signing_alg_values_supported", ["RS256"]),
    IssuerFault(.metadata, "rs256_id_tokens", "id_token_signing_alg_values_supported", ["RS256"]),

    IssuerFault(.jwks, "empty", "keys", []),
    // More keys than any issuer signs with.
    keys("many") { [JSON](repeating: $0.jwk, count: 2000) },
    // A shared secret beside the public key (RFC 7517 section 9.2).
    keys("mixed") { [$0.jwk, .object(["kty": "oct", "k": try random(32)])] },
    // The key with its private member (RFC 7517 section 9.2).
    keys("private") { [changed($0.jwk, "d", try random(32))] },
    // Nothing but an RSA key of 1024 bits under the name of the key (RFC 7518 section 3.3), of unknown factors.
    keys("weak") { key in
      var modulus = try Random.bytes(128)
      modulus[0] |= 0x80
      modulus[127] |= 1
      let name = JSON.string(key.keyID)
      return [.object(["kty": "RSA", "n": .string(Base64URL.encode(modulus)), "e": "AQAB", "kid": name, "use": "sig"])]
    },
    // A second key that fits, which is right.
    keys("several") { [$0.jwk, try IssuerKey($0.algorithm).jwk] },
    // The name of the key for two keys.
    keys("duplicate") { [$0.jwk, changed(try IssuerKey($0.algorithm).jwk, "kid", .string($0.keyID))] },

    // Another user than the ID Token names (OpenID Connect Core 1.0 section 5.3.2).
    IssuerFault(.userinfo, "sub", "sub", "user-mallory"),
    IssuerFault(.userinfo, "no_sub", "sub", nil),
  ]

  private static func keys(_ name: String, _ keys: @escaping @Sendable (IssuerKey) throws -> [JSON]) -> IssuerFault {
    IssuerFault(.jwks, name) { answer, scene in answer.members["keys"] = .array(try keys(scene.key)) }
  }

  private static func random(_ count: Int) throws -> JSON { .string(Base64URL.encode(try Random.bytes(count))) }

  private static func changed(_ jwk: JSON, _ name: String, _ value: JSON) -> JSON {
    var members = jwk.object ?? [:]
    members[name] = value
    return .object(members)
  }

  // MARK: Proofs of possession (RFC 9449). The first is made where tokens are, the others begin where proofs are checked:
  // before anything else is carried out.

  private static let proofs = [
    // A Bearer token although a key was proven.
    IssuerFault(.dpop, "bearer") { _, _ in },
    // `use_dpop_nonce` without a nonce to use.
    IssuerFault(.dpop, "missing_nonce") { answer, _ in answer[header: "DPoP-Nonce"] = nil },
    // `use_dpop_nonce` each time, with another nonce.
    IssuerFault(.dpop, "nonce_storm") { _, _ in },
  ]

  // MARK: Any answer. Those that are said to be right must be taken.

  private static let headers = [
    // 307 takes the content of the request along (RFC 9110 section 15.4.8).
    IssuerFault(.body, "redirect") { $0 = IssuerAnswer(status: 307, headers: [("Location", $1.redirectTarget)]) },
    // To two places, of which one is at this issuer.
    IssuerFault(.body, "two_locations") { answer, scene in
      let places = [scene.url + "/jwks", scene.redirectTarget]
      answer = IssuerAnswer(status: 302, headers: places.map { ("Location", $0) })
    },
    // JSON that is said to be plain text.
    IssuerFault(.body, "type") { answer, _ in answer[header: "Content-Type"] = "text/plain" },
    IssuerFault(.body, "two_types") { answer, _ in answer.headers.append(("Content-Type", "text/html")) },
    IssuerFault(.body, "two_lengths") { answer, _ in answer.headers.append(("Content-Length", "1")) },
    // More fields than any answer needs.
    IssuerFault(.body, "flood") { answer, _ in answer.headers += (0..<2000).map { ("X-Flood-\($0)", "drip") } },
  ]

  private static let contents = [
    IssuerFault(.body, "empty") { answer, _ in answer.body = [] },
    IssuerFault(.body, "html") { answer, _ in
      answer[header: "Content-Type"] = "text/html"
      answer.body = Array("<!DOCTYPE html><title>Welcome</title><p>Please accept the terms of this network.".utf8)
    },
    // JSON, but no object.
    IssuerFault(.body, "array") { answer, _ in answer.body = Array("[".utf8) + answer.body + Array("]".utf8) },
    // Two mebibytes of JSON: the members that were there, after a long one.
    prefixed("huge", "padding", "\"" + String(repeating: "x", count: 2 << 20) + "\""),
    // JSON in JSON in JSON, a hundred thousand times.
    prefixed("deep", "deep", String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)),
    // 200, and an error for its content.
    IssuerFault(.body, "error") { answer, _ in
      answer.status = 200
      answer.members = ["error": "server_error", "error_description": "Not today."]
    },
    // Compressed, which was not asked for, and very large then.
    IssuerFault(.body, "bomb") { answer, _ in
      answer.headers.append(("Content-Encoding", "gzip"))
      answer.body = CompressedBomb.bytes
    },
  ]

  /// A fault that puts a member in front of those of a JSON object.
  private static func prefixed(
    _ name: String, _ member: String, _ value: @autoclosure @escaping @Sendable () -> String
  ) -> IssuerFault {
    IssuerFault(.body, name) { answer, _ in
      answer.body = Array("{\"\(member)\":\(value()),".utf8) + answer.body.dropFirst()
    }
  }

  /// Half an answer; none; one that goes on for as long as the client reads; one that comes a byte at a time, which is
  /// right.
  private static let deliveries = IssuerAnswer.Delivery.allCases.filter { $0 != .whole }.map { delivery in
    IssuerFault(.body, delivery.rawValue) { answer, _ in answer.delivery = delivery }
  }
}

/// A little content in the gzip format (RFC 1952) that is a lot when it is inflated.
enum CompressedBomb {
  /// Of zeros; each pair of codes stands for 258 of them.
  static let inflatedCount = 1 + 258 * pairCount
  private static let pairCount = 131_072

  /// The check value at the end is left out: a reader that came that far has inflated it all.
  static let bytes: [UInt8] = {
    // The last block, with the fixed codes (RFC 1951 section 3.2.6): a zero, so often the length 258 and the distance 1,
    // the end. Bits fill bytes from the lowest on (section 3.1.1).
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
