import OAuth
import Testing

// RFC 9110 section 11.6.1.
@Suite struct `Challenges` {
  private func read(_ fields: String...) -> [(String, [String: String])] {
    AuthenticationChallenge.challenges(in: HTTPHeaders(fields.map { ("WWW-Authenticate", $0) }))
      .map { ($0.scheme, $0.parameters) }
  }

  @Test func `are told apart, with commas in quoted texts`() {
    let found = read(#"Basic realm="a, b", charset=UTF-8, DPoP algs="ES256 PS256", error="x\"y\\z""#, "Bearer")
    #expect(found.map(\.0) == ["Basic", "DPoP", "Bearer"])
    #expect(
      found.map(\.1) == [
        ["realm": "a, b", "charset": "UTF-8"], ["algs": "ES256 PS256", "error": "x\"y\\z"], [:],
      ])
  }

  @Test func `may hold one value in place of parameters`() {
    let found = read("Negotiate YIIabc+/==, Basic realm=x", "NTLM TlRM", ", ,Bearer a=1,, b = 2 ,")
    #expect(found.map(\.0) == ["Negotiate", "Basic", "NTLM", "Bearer"])
    #expect(found.map(\.1) == [[:], ["realm": "x"], [:], ["a": "1", "b": "2"]])
  }

  @Test func `have schemes and names in any case`() {
    let challenge = AuthenticationChallenge.challenges(
      in: HTTPHeaders([("www-authenticate", #"dPOP Error="e", ERROR="second""#)]))
    #expect(challenge.first?.hasScheme("DPoP") == true && challenge.first?.hasScheme("Bearer") == false)
    #expect(challenge.first?.parameters == ["error": "e"])
  }

  @Test(arguments: ["", " ", ",,,", "=", "\"quoted\"", "a=b", "=x Bearer"]) func `that are none are none`(field: String)
  {
    #expect(read(field).isEmpty)
  }

  @Test func `that are cut off count as far as they can be read`() {
    let whole = #"Bearer realm="r", DPoP error="use_dpop_nonce", algs="ES256""#
    for count in 0...whole.utf8.count {
      let found = read(String(whole.prefix(count)))
      // A name whose "=" is missing is a scheme for all that one can tell.
      #expect(found.count <= 3)
      if count == whole.utf8.count { #expect(found.map(\.1.count) == [1, 2]) }
    }
  }

  @Test func `are bounded`() {
    #expect(read(Array(repeating: "A b=c", count: 100).joined(separator: ", ")).count == 16)
    let parameters = (0..<100).map { "n\($0)=v" }.joined(separator: ", ")
    #expect(read("A " + parameters).map(\.1.count) == [32])
  }
}
