import Encoding
import Testing
import Vocabulary
import Wire
import WireSupport

@Suite struct `A request to verify tokens` {
  private static let full: VerifyRequest = {
    var request = VerifyRequest()
    request.account = "work"
    request.issuer = "https://id.example.com"
    request.settings.caFile = "/ca.pem"
    request.settings.allowHTTPLoopback = true
    request.settings.proxy = "http://proxy.example:3128"
    request.settings.proxyExclusions = "localhost"
    request.passesKeySet = true
    request.audiences = ["my-cli", "my-other-cli"]
    request.profile = .logoutToken
    request.requiredClaims = ["sub", "jti"]
    request.allowsMissingExpiry = true
    request.claims = ["repository=o/r"]
    request.algorithms = ["RS256", "ES256"]
    request.type = "at+jwt"
    request.signatureOnly = true
    request.clockSkew = 0
    request.brief = true
    return request
  }()

  @Test func `is written and read as it is`() throws {
    for request in [VerifyRequest(), Self.full] {
      let envelope = RequestEnvelope(.verify(request), timeoutSeconds: 9)
      #expect(try RequestEnvelope(parsing: envelope.serialized().span) == envelope)
    }
    #expect(
      RequestEnvelope(.verify(VerifyRequest())).serialized() == Array(#"{"v":1,"request":"verify"}"#.utf8) + [0x0A])
    let line = try JSON(parsing: Array(RequestEnvelope(.verify(Self.full)).serialized().dropLast()))
    #expect(line.object?.count == 19)
  }

  @Test(arguments: [-1, 301, 1 << 40]) func `takes no more than five minutes of clock skew`(seconds: Int) {
    expect(throws: Failure.invalid("\"clock_skew\" must be a number from 0 to 300")) {
      try parse(#"{"v":1,"request":"verify","clock_skew":\#(seconds)}"#)
    }
  }

  @Test func `is answered with codes of their own`() {
    let codes = TokenProblemCode.allCases.map(\.rawValue)
    #expect(Set(codes).count == codes.count)
    #expect(codes.allSatisfy { $0.utf8.allSatisfy { ($0 | 0x20) == $0 || $0 == UInt8(ascii: "_") } })
    #expect(TokenProblemCode.allCases.filter(\.isUndecided) == [.keysUnavailable, .internalError])
    #expect(
      TokenProblem(.expired, "m").json == JSONObject([("valid", false), ("code", "token_expired"), ("message", "m")]))
  }
}
