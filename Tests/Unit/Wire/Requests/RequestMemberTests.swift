import Encoding
import Testing
import Vocabulary
import Wire
import WireSupport

/// A member of the wrong type is named in the error without its value, which may be a misplaced secret.
@Suite struct `A member of a request` {
  enum Kind: Sendable {
    case text, flag, texts
    case integer(String)

    var expected: String {
      switch self {
      case .text: "a text of at most 4096 bytes"
      case .flag: "true or false"
      case .texts: "a list of at most 64 texts"
      case .integer(let range): "a number from \(range)"
      }
    }
  }

  struct Member: Sendable, CustomTestStringConvertible {
    var request: String
    var name: String
    var kind: Kind
    var testDescription: String { "\(request): \(name)" }
  }

  static let all: [Member] =
    [
      Member(request: "token", name: "account", kind: .text),
      Member(request: "token", name: "min_valid", kind: .integer("0 to 86400")),
      Member(request: "token", name: "wait", kind: .integer("1 to 3600")),
      Member(request: "token", name: "force_refresh", kind: .flag),
      Member(request: "token", name: "id_token", kind: .flag), Member(request: "token", name: "claims", kind: .flag),
      Member(request: "token", name: "timeout", kind: .integer("1 to 3600")),
      Member(request: "token", name: "request", kind: .text),
      Member(request: "logout", name: "account", kind: .text),
      Member(request: "logout", name: "all", kind: .flag),
      Member(request: "logout", name: "local", kind: .flag), Member(request: "logout", name: "browser", kind: .flag),
      Member(request: "status", name: "account", kind: .text),
      Member(request: "whoami", name: "account", kind: .text), Member(request: "whoami", name: "verified", kind: .flag),
      Member(request: "use", name: "account", kind: .text),
      Member(request: "login", name: "scope", kind: .texts),
      Member(request: "login", name: "pins", kind: .texts),
      Member(request: "login", name: "trusted_audiences", kind: .texts),
      Member(request: "login", name: "client_secret_descriptor", kind: .flag),
      Member(request: "login", name: "allow_http_loopback", kind: .flag),
      Member(request: "login", name: "keep", kind: .flag), Member(request: "login", name: "dpop", kind: .flag),
      Member(request: "login", name: "origins", kind: .texts),
      Member(request: "resource", name: "url", kind: .text),
    ]
    + [
      "account", "issuer", "client_id", "token_endpoint_auth_method", "ca_file", "token_endpoint",
      "authorization_endpoint", "device_authorization_endpoint", "userinfo_endpoint", "revocation_endpoint",
      "registration_endpoint", "jwks_uri",
      "proxy", "no_proxy", "proxy_source", "refresh",
    ].map { Member(request: "login", name: $0, kind: .text) }

  static let canary = "tr0ub4dor"

  /// Values of each JSON type; those with the canary must not be repeated.
  static func values(not kind: Kind) -> [JSON] {
    let text: JSON = .string(canary)
    let object: JSON = [canary: text]
    switch kind {
    case .text: return [1, true, [text], object, .string(String(repeating: "x", count: 4097)), "nul\u{0}"]
    case .flag: return [1, text, [text], object]
    case .texts: return [1, true, text, object, .array(Array(repeating: text, count: 65))]
    case .integer: return [text, true, [text], object, -1, 86_401, .int(.max), .int(.min)]
    }
  }

  private func line(_ member: Member, _ value: JSON) -> String {
    var object: JSONObject = ["v": 1, "request": .string(member.request)]
    object[member.name] = value
    return String(decoding: JSON.object(object).serialized(), as: UTF8.self)
  }

  @Test(arguments: all) func `of the wrong kind is named and its value is not repeated`(member: Member) {
    for value in Self.values(not: member.kind) {
      expect(throws: Failure.invalid("\"\(member.name)\" must be \(member.kind.expected)"), "\(value)") {
        try parse(line(member, value))
      }
    }
  }

  @Test(arguments: all.filter { if case .texts = $0.kind { true } else { false } })
  func `that is a list may hold only texts`(member: Member) {
    for value: JSON in [
      [1], [.string(Self.canary), .null], [[]], ["a\u{0}"], [.string(String(repeating: "x", count: 4097))],
    ] {
      expect(throws: Failure.invalid("\"\(member.name)\" must be a list of texts of at most 4096 bytes")) {
        try parse(line(member, value))
      }
    }
  }

  @Test(arguments: all.filter { $0.name != "request" && $0.request != "use" && $0.request != "resource" })
  func `that is null is as if it were not there`(member: Member) throws {
    let bare = try parse(#"{"v":1,"request":"\#(member.request)"}"#)
    #expect(try parse(line(member, .null)) == bare)
  }

  @Test func `may be as large as its limit`() throws {
    let longest = String(repeating: "x", count: 4096)
    #expect(
      try parse(#"{"v":1,"request":"whoami","account":"\#(longest)"}"#)
        == RequestEnvelope(.state(.whoami(account: longest))))
    var login = LoginRequest()
    login.scope = Array(repeating: longest, count: 64)
    let line = RequestEnvelope(.login(login)).serialized()
    #expect(line.count < WireProtocol.maximumLineBytes)
    #expect(try RequestEnvelope(parsing: line.span) == RequestEnvelope(.login(login)))
  }
}
