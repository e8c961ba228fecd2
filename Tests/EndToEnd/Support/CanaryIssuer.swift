import Crypto
import Encoding
import Platform
import TestSupport
import Testing

/// A server with secrets that the test searches for. It approves a sign-in at the first poll, and can fail in ways
/// that reveal the secrets.
final class CanaryIssuer: Sendable {
  /// How the server responds.
  enum Mood: Sendable, CaseIterable {
    case good
    /// The user has not approved yet.
    case pending
    /// An error's description contains a secret (RFC 6749 section 5.2).
    case described
    /// Like ``described``, with invisible characters in the secret.
    case hidden
    /// The headers contain all secrets (RFC 6750 section 3).
    case challenged
    case page
    case redirected
    /// A form instead of JSON contains a secret.
    case form
    /// The response contains an error and tokens.
    case mixed
    /// The response is truncated after its tokens.
    case cut

    static let bad: [Mood] = allCases.filter { $0 != .good && $0 != .pending }
  }

  private final class Key: Sendable {
    let key: PrivateKey
    init() throws { key = try .generateEC(.p256) }
  }

  let server: LoopbackServer
  let canaries: Canaries
  private let mood: Monitor<Mood>

  var url: String { "http://127.0.0.1:\(server.port)" }

  static let clientID = "agent-canary"
  /// A client that sends the beginning of its credentials (RFC 7617) and knows only its refresh token.
  static let importingClientID = "agent-import"
  private static let importMark = Base64.encode(Array(importingClientID.utf8))

  init() throws {
    let key = try Key()
    let mood = Monitor(Mood.good)
    let issued = Monitor<Canaries?>(nil)
    self.mood = mood
    let turn = Monitor(0)
    server = try LoopbackServer { conversation in
      guard let canaries = issued.withLock({ $0 }) else { return }
      while let request = try conversation.readRequest() {
        let number = turn.update { (number: inout Int) -> Int in
          number += 1
          return number
        }
        let answer = Self.answer(to: request, canaries, key.key, mood.withLock { $0 }, turn: number)
        try conversation.respond(answer.status, headers: answer.headers, body: answer.body)
      }
    }
    let now = SystemTime().wallSeconds()
    let claims: JSONObject = [
      "iss": .string("http://127.0.0.1:\(server.port)"), "sub": "person-1", "aud": .string(Self.clientID),
      "iat": .int(now), "exp": .int(now + 3600), "name": "A Person",
    ]
    let idToken = try JWSSigner.sign(
      header: ["typ": "JWT", "kid": "k"], payload: JSON.object(claims).serialized(), key: key.key, algorithm: .ES256)
    let canaries = Canaries(idToken: idToken)
    issued.withLock { $0 = canaries }
    self.canaries = canaries
  }

  func become(_ mood: Mood) { self.mood.withLock { $0 = mood } }
}

// MARK: - Answers

extension CanaryIssuer {
  private struct Answer {
    var status = 200
    var headers: [String] = []
    var body: String

    init(_ status: Int, _ type: String, _ body: String, _ headers: String...) {
      self.status = status
      self.headers = ["Content-Type: \(type)"] + headers
      self.body = body
    }

    init(_ json: JSONObject, _ status: Int = 200) {
      self.init(status, "application/json", String(decoding: JSON.object(json).serialized(), as: UTF8.self))
    }
  }

  private static func answer(
    to request: ReceivedRequest, _ canaries: Canaries, _ key: borrowing PrivateKey, _ mood: Mood, turn: Int
  ) -> Answer {
    let path = request.line.split(separator: " ").dropFirst().first.map { $0.prefix { $0 != "?" } } ?? ""
    let url = "http://\(request.values("Host").first ?? "")"
    switch path {
    case "/.well-known/openid-configuration": return Answer(metadata(url))
    case "/keys": return Answer(keySet(key))
    case "/device" where mood == .pending: return Answer(device(canaries, url))
    case "/token" where mood == .pending: return Answer(["error": "authorization_pending"], 400)
    default: break
    }
    guard mood == .good else { return bad(mood, canaries, one(of: request, path, canaries, turn)) }
    return switch path {
    case "/device": Answer(device(canaries, url))
    case "/token": Answer(tokens(canaries))
    case "/userinfo": Answer(["sub": "person-1", "name": "A Person"])
    case "/introspect": Answer(["active": true, "username": .string(canaries.introspection)])
    case "/revoke", "/resource": Answer([:])
    default: Answer(["error": "not_found"], 404)
    }
  }

  private static func metadata(_ url: String) -> JSONObject {
    [
      "issuer": .string(url), "authorization_endpoint": .string(url + "/authorize"),
      "token_endpoint": .string(url + "/token"), "device_authorization_endpoint": .string(url + "/device"),
      "userinfo_endpoint": .string(url + "/userinfo"), "introspection_endpoint": .string(url + "/introspect"),
      "revocation_endpoint": .string(url + "/revoke"), "jwks_uri": .string(url + "/keys"),
      "response_types_supported": ["code"], "subject_types_supported": ["public"],
      "code_challenge_methods_supported": ["S256"], "id_token_signing_alg_values_supported": ["ES256"],
      "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
      "scopes_supported": ["openid", "offline_access"],
    ]
  }

  private static func keySet(_ key: borrowing PrivateKey) -> JSONObject {
    guard case .ec(_, let x, let y) = key.publicComponents else { return [:] }
    return [
      "keys": [
        [
          "kty": "EC", "crv": "P-256", "kid": "k", "x": .string(Base64URL.encode(x)), "y": .string(Base64URL.encode(y)),
        ]
      ]
    ]
  }

  private static func device(_ canaries: Canaries, _ url: String) -> JSONObject {
    [
      "device_code": .string(canaries.device), "user_code": .string(canaries.userCode),
      "verification_uri": .string(url + "/verify"), "expires_in": 600, "interval": 1,
    ]
  }

  private static func tokens(_ canaries: Canaries) -> JSONObject {
    [
      "access_token": .string(canaries.access), "token_type": "Bearer", "expires_in": 3600,
      "refresh_token": .string(canaries.refresh), "id_token": .string(canaries.idToken),
      "scope": "openid offline_access",
    ]
  }

  /// A secret that the sender of this request knows, in one encoding, so that the client can detect the repetition.
  private static func one(
    of request: ReceivedRequest, _ path: Substring, _ canaries: Canaries, _ turn: Int
  ) -> String {
    let isImport = request.values("Authorization").contains { $0.hasPrefix("Basic \(importMark)") }
    var known = [canaries.clientSecret]
    if request.body.contains("&code=") {
      known.append(canaries.code)
    } else if isImport {
      known.append(canaries.refresh)
    } else if path != "/device" {
      known += [canaries.access, canaries.refresh, canaries.idToken]
    }
    let spellings = Canaries.spellings(of: known)
    return spellings[turn % spellings.count]
  }

  private static func bad(_ mood: Mood, _ canaries: Canaries, _ one: String) -> Answer {
    let told = canaries.spellings.joined(separator: " ")
    switch mood {
    case .good, .pending: return Answer([:])
    case .described: return Answer(["error": "invalid_request", "error_description": .string("no: \(one)")], 400)
    case .hidden:
      let hidden = "\(one.prefix(5))\u{200B}\(one.dropFirst(5).prefix(3))\u{1B}\(one.dropFirst(8))"
      return Answer(["error": "invalid_request", "error_description": .string(hidden)], 400)
    case .challenged:
      let challenge = "WWW-Authenticate: Bearer error=\"invalid_request\", error_description=\"\(told)\""
      return Answer(400, "text/html", "<p>no</p>", challenge, "X-Canary: \(told)", "Server: \(canaries.access)")
    case .page: return Answer(403, "text/html", "<html><title>\(told)</title><body>\(told)</body></html>")
    case .redirected:
      let query = canaries.values.map { Canaries.percentEncoded($0) }.joined(separator: "&t=")
      return Answer(302, "text/html", told, "Location: /elsewhere?t=\(query)#\(query)")
    case .form: return Answer(400, "text/plain", "error=invalid_request&error_description=\(one)")
    case .mixed:
      var both = tokens(canaries)
      both["device_code"] = .string(canaries.device)
      (both["error"], both["error_description"]) = (.string(canaries.access), .string(told))
      return Answer(both, 400)
    case .cut:
      let whole = JSON.object(tokens(canaries)).serialized()
      return Answer(200, "application/json", String(decoding: whole.dropLast(4), as: UTF8.self))
    }
  }
}
