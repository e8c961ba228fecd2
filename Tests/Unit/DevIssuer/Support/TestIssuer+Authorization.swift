import Encoding
import Testing

@testable import devissuer

extension TestIssuer {
  /// The example in RFC 7636 appendix B.
  static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
  static let redirectURI = "http://127.0.0.1:51004/callback/x"
  static let confidential = "client_id=agent-confidential&client_secret=s3cret%3Awith%2Bsigns"

  static let goodRequest = [
    "response_type": "code", "client_id": "agent-cli", "redirect_uri": redirectURI, "scope": "openid",
    "state": "s t&=", "nonce": "n-0S6", "code_challenge": challenge, "code_challenge_method": "S256",
  ]

  static func form(_ parameters: [String: String]) -> String {
    var bytes: [UInt8] = []
    var isFirst = true
    for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
      Form.append(name: name, value: value, to: &bytes, isFirst: &isFirst)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// - Parameter changes: Nil removes a parameter.
  func authorize(_ changes: [String: String?] = [:], headers: [String] = []) throws -> Reply {
    var parameters = Self.goodRequest
    for (name, value) in changes { parameters[name] = value }
    return try get("/authorize?" + Self.form(parameters), headers: headers)
  }

  /// The parameters of a redirect to the client.
  func answer(_ reply: Reply, at redirectURI: String = redirectURI) throws -> [String: String] {
    #expect(reply.status == 303, "\(reply.text)")
    let location = try #require(reply[header: "Location"])
    try #require(location.hasPrefix(redirectURI + "?"), "\(location)")
    let fields = try Form.parse(String(location.dropFirst(redirectURI.utf8.count + 1)))
    return Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value) })
  }

  /// A code for the valid request with changes. The issuer must approve automatically.
  func code(_ changes: [String: String?] = [:]) throws -> String {
    try #require(try answer(try authorize(changes), at: (changes["redirect_uri"] ?? nil) ?? Self.redirectURI)["code"])
  }

  func redeem(_ code: String, _ changes: [String: String?] = [:], headers: [String] = []) throws -> Reply {
    var parameters = [
      "grant_type": "authorization_code", "code": code, "redirect_uri": Self.redirectURI, "client_id": "agent-cli",
      "code_verifier": Self.verifier,
    ]
    for (name, value) in changes { parameters[name] = value }
    return try post("/token", Self.form(parameters), headers: headers)
  }

  static func approving(_ options: String...) throws -> TestIssuer {
    try TestIssuer("--approve=always", more: options)
  }
}
