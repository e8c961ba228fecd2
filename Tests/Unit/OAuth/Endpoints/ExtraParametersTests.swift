import Encoding
import TestSupport
import Testing
import Vocabulary

@testable import OAuth

@Suite struct `Parameters that an account adds` {
  private func extras(
    _ parameters: [String] = [], claims: String? = nil, details: String? = nil, _ provider: ProviderName? = nil
  ) throws(ExtraParameters.Problem) -> ExtraParameters {
    try ExtraParameters(
      parameters: parameters, claims: claims, authorizationDetails: details,
      provider: provider.map { Provider.named($0) })
  }

  @Test func `are in the authorization request, the pushed one and the one for a device code`() throws {
    let all = try extras(
      ["hd=example.com", "ui.x-y_z=a b=c"], claims: #"{ "id_token": {"email": null} }"#,
      details: #"[{"type": "payment"}]"#)
    let expected = [
      "hd=example.com", "ui.x-y_z=a b=c", #"claims={"id_token":{"email":null}}"#,
      #"authorization_details=[{"type":"payment"}]"#,
    ]
    var options = AuthorizationOptions()
    options.extras = all
    let server = try codeServer()
    let url = try server.requestAuthorizationURL(for: begin(server, options)).text
    #expect(try query(url).suffix(4).map { "\($0.name)=\($0.value)" } == expected)
    let body: JSON = [
      "device_code": "d", "user_code": "u", "verification_uri": "https://as.example/go", "expires_in": 900,
    ]
    let http = ScriptedHTTP(try response(String(decoding: body.serialized(), as: UTF8.self)))
    _ = try testServer(http).requestDeviceAuthorization(scope: Scope("openid"), extras: all)
    #expect(http.requests.map(\.form) == [["scope=openid"] + expected + ["client_id=agent"]])
  }

  /// The parameters of all our requests, and others that would change a request's meaning.
  private static let reserved =
    RequestParameter.allCases.map(\.rawValue) + [
      "request", "request_uri", "response_mode", "registration", "client_id", "client_metadata", "code_challenge",
      "code_challenge_method", "code_challenge_x", "dpop_jkt", "id_token_hint", "REQUEST", "Client_Id", "State",
    ]

  @Test(arguments: reserved) func `are none that the sign-in sets itself`(name: String) {
    #expect(throws: ExtraParameters.Problem.reserved(name)) { try extras(["\(name)=x"]) }
  }

  @Test func `are none that the provider has`() throws {
    #expect(throws: ExtraParameters.Problem.reserved("access_type")) { try extras(["access_type=online"], .google) }
    _ = try extras(["access_type=online"])
  }

  @Test(arguments: [
    "name", "=x", "a b=x", "a%20b=x", "é=x", "a=", "a=b\n", "a=\u{7F}", "\(String(repeating: "a", count: 65))=x",
  ])
  func `have a name and a value`(text: String) {
    #expect(throws: ExtraParameters.Problem.malformed) { try extras([text]) }
  }

  @Test func `are there once, and not too many`() {
    #expect(throws: ExtraParameters.Problem.repeated("a")) { try extras(["a=1", "b=2", "a=3"]) }
    #expect(throws: ExtraParameters.Problem.tooMany) { try extras((0...32).map { "a\($0)=1" }) }
  }

  @Test func `are JSON where they must be`() {
    for text in ["", "x", "[]", "1", "{", #"{"a":1,"a":2}"#, "{\"a\":\"\(String(repeating: "x", count: 4096))\"}"] {
      #expect(throws: ExtraParameters.Problem.claims) { try extras(claims: text) }
    }
    for text in ["", "{}", "[1]", "[{}]", #"[{"type":1}]"#, #"[{"type":""}]"#, #"[{"type":"a"},{}]"#] {
      #expect(throws: ExtraParameters.Problem.authorizationDetails) { try extras(details: text) }
    }
  }

  // OpenID Connect Core 1.0 sections 3.1.2.1 and 11.
  @Test(
    arguments: [
      (nil, "consent"), ("login", "login consent"), ("consent", "consent"), ("consent login", "consent login"),
      ("none", "none"),
    ] as [(String?, String)])
  func `leave the prompt that offline access needs`(asked: String?, sent: String) throws {
    var options = AuthorizationOptions()
    options.prompt = asked
    let server = try codeServer()
    let url = try server.requestAuthorizationURL(for: begin(server, options)).text
    #expect(try query(url).filter { $0.name == "prompt" }.map(\.value) == [sent])
    let online = try server.requestAuthorizationURL(for: begin(server, scope: "openid", options)).text
    #expect(try query(online).filter { $0.name == "prompt" }.map(\.value) == (asked.map { [$0] } ?? []))
  }

  @Test func `get details that the server granted, if they can be read`() throws {
    func granted(_ details: String) throws -> JSON? {
      try TokenResponse.parse(
        response(#"{"access_token":"a","token_type":"Bearer","authorization_details":\#(details)}"#)
      ).authorizationDetails?.json
    }
    #expect(try granted(#"[{"type":"a","x":1}]"#) == [["type": "a", "x": 1]])
    for details in ["null", "{}", "[{}]", "\"x\"", "[{\"type\":\"\(String(repeating: "x", count: 16_384))\"}]"] {
      #expect(try granted(details) == nil)
    }
  }

  // OpenID Connect Core 1.0 section 5.5: one parameter contains the claims of the account and of a resource.
  @Test(
    arguments: [
      (nil, #"{"access_token":{"acrs":{"value":"c1"}}}"#),
      (#"{"id_token":{"email":null}}"#, #"{"id_token":{"email":null},"access_token":{"acrs":{"value":"c1"}}}"#),
      (
        #"{"access_token":{"acrs":{"value":"c0"},"x":null}}"#,
        #"{"access_token":{"acrs":{"value":"c1"},"x":null}}"#
      ),
    ] as [(String?, String)])
  func `take the claims that a resource demands along`(asked: String?, sent: String) throws {
    var options = AuthorizationOptions()
    options.extras = try extras(claims: asked)
    options.challengedClaims = RequestedClaims(challenge: #"{"access_token":{"acrs":{"value":"c1"}}}"#)
    let server = try codeServer()
    let url = try server.requestAuthorizationURL(for: begin(server, options)).text
    #expect(try query(url).filter { $0.name == "claims" }.map(\.value) == [sent])
  }

  @Test func `are claims in base64 in both alphabets, up to 4096 bytes`() throws {
    let text = #"{"a":"???>>>\u00FF"}"#
    let claims = try #require(RequestedClaims(text))
    for challenge in [Base64.encode(Array(text.utf8)), Base64URL.encode(Array(text.utf8)), claims.challenge, text] {
      #expect(RequestedClaims(challenge: challenge) == claims)
    }
    #expect(
      claims.challenge.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D
          || $0 == 0x5F
      })
    let longest = "{\"a\":\"\(String(repeating: "x", count: 4088))\"}"
    #expect(RequestedClaims(challenge: Base64.encode(Array(longest.utf8))) != nil)
    for wrong in ["", "e30!", "W10", Base64.encode(Array((longest + " ").utf8)), Base64URL.encode([0x7B, 0xFF, 0x7D])] {
      #expect(RequestedClaims(challenge: wrong) == nil)
    }
  }
}
