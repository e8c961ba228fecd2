import Encoding
import Testing

@testable import devissuer

/// RFC 6749 section 2.3.
@Suite struct `Client authentication` {
  private func basic(_ text: String) -> String {
    "Authorization: Basic " + Base64.encode(Array(text.utf8))
  }

  private func status(_ form: String, headers: [String] = []) throws -> String {
    let issuer = try TestIssuer()
    return try issuer.post("/device_authorization", form, headers: headers).failure
  }

  @Test func `a public client names itself`() throws {
    #expect(try status("client_id=agent-cli") == "200 -")
    #expect(try status("client_id=agent-cli&client_secret=x") == "401 invalid_client")
    #expect(try status("client_id=other") == "401 invalid_client")
    #expect(try status("scope=openid") == "401 invalid_client")
  }

  @Test func `a confidential client proves itself in the form`() throws {
    #expect(try status("client_id=agent-confidential&client_secret=s3cret%3Awith%2Bsigns") == "200 -")
    #expect(try status("client_id=agent-confidential&client_secret=wrong") == "401 invalid_client")
    #expect(try status("client_id=agent-confidential") == "401 invalid_client")
  }

  @Test func `a confidential client proves itself in the header, form-encoded first`() throws {
    let right = basic("agent-confidential:s3cret%3Awith%2Bsigns")
    #expect(try status("", headers: [right]) == "200 -")
    #expect(try status("client_id=agent-confidential", headers: [right]) == "200 -")
    #expect(try status("", headers: [right.replacing("Basic", with: "bASIC")]) == "200 -")
    // An unencoded "+" is a space (RFC 6749 section 2.3.1 and appendix B).
    #expect(try status("", headers: [basic("agent-confidential:s3cret:with+signs")]) == "401 invalid_client")
    #expect(try status("", headers: [basic("agent-confidential:")]) == "401 invalid_client")
    #expect(try status("", headers: [basic("agent-confidential")]) == "401 invalid_client")
    #expect(try status("", headers: ["Authorization: Basic ***"]) == "401 invalid_client")
    #expect(try status("", headers: ["Authorization: Bearer x"]) == "401 invalid_client")
  }

  @Test func `two methods in one request are refused`() throws {
    let right = basic("agent-confidential:s3cret%3Awith%2Bsigns")
    #expect(try status("client_secret=s3cret%3Awith%2Bsigns", headers: [right]) == "400 invalid_request")
    #expect(try status("client_id=agent-cli", headers: [right]) == "400 invalid_request")
  }

  @Test func `a failure has a challenge (section 5.2)`() throws {
    let issuer = try TestIssuer()
    let reply = try issuer.post("/token", "client_id=other&grant_type=refresh_token")
    #expect(reply[header: "WWW-Authenticate"] == "Basic realm=\"devissuer\"")
    #expect(try issuer.counter("client_failures") == 1)
  }

  @Test func `content that is no form is refused`() throws {
    let issuer = try TestIssuer()
    var connection = try HTTPConnection(port: issuer.port)
    let reply = try connection.request(
      "POST", "/token", headers: ["Content-Type: application/json", "Content-Length: 2", "", "{}"])
    #expect(reply?.failure == "400 invalid_request")
  }
}
