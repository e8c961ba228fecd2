import Testing
import Wire

@testable import Lease

@Suite struct `An origin that is lent by HTTP` {
  private static let token = String(repeating: "0a", count: 32)
  private static let lent = LentOrigin(
    origin: "https://api.example", localOrigin: "http://127.0.0.1:7", token: Array(token.utf8))

  private static func head(_ fields: [String]) throws -> HTTPRequestHead {
    let text = (["GET /v1/x HTTP/1.1", "Host: a"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
    return try HTTPRequestHead(Array(text.utf8)[...])
  }

  @Test(arguments: [
    "Authorization: Bearer TOKEN", "authorization: token TOKEN", "X-Api-Key: TOKEN", "PRIVATE-TOKEN: TOKEN",
    "X-Vault-Token: TOKEN", "X-Auth: Key TOKEN", "Ocp-Apim-Subscription-Key:TOKEN",
  ])
  func `takes its token in any field, and sends that on in none`(field: String) throws {
    let head = try Self.head([field.replacing("TOKEN", with: Self.token), "Accept: */*"])
    #expect(Self.lent.isAuthorized(head))
    #expect(Self.lent.request(for: head).headers == ["Accept: */*"])
  }

  @Test(arguments: [
    [], ["Authorization: Bearer x"], ["Authorization: TOKEN"], ["Authorization: Digest TOKEN"], ["X-Api-Key: x"],
    ["X-Api-Key: aTOKEN"], ["X: a b TOKEN"], ["X: TOKEN b"], ["Authorization: Bearer TOKEN", "X-Api-Key: TOKEN"],
    ["Authorization: Bearer x", "X: TOKEN"], ["X: TOKEN", "X: TOKEN"], ["X-Api-Key: x", "X: TOKEN"], ["TOKEN: x"],
  ])
  func `takes no other, and not two`(fields: [String]) throws {
    let head = try Self.head(fields.map { $0.replacing("TOKEN", with: Self.token) })
    #expect(!Self.lent.isAuthorized(head))
  }

  @Test(arguments: [
    ("Location", "https://api.example/v1/y?a=b#c", "http://127.0.0.1:7/v1/y?a=b#c"),
    ("location", "HTTPS://API.example:443/v1", "http://127.0.0.1:7/v1"),
    ("Location", "https://api.example", "http://127.0.0.1:7"),
    ("Location", "//api.example/v1", "http://127.0.0.1:7/v1"),
    ("Content-Location", "https://api.example?a", "http://127.0.0.1:7?a"),
    ("Location", "/v1/y", "/v1/y"), ("Location", "https://api.example.evil/v1", "https://api.example.evil/v1"),
    ("Location", "https://api.example:444/v1", "https://api.example:444/v1"),
    ("Location", "http://api.example/v1", "http://api.example/v1"),
    ("Location", "https://api.example@evil/v1", "https://api.example@evil/v1"), ("Location", "//evil/v1", "//evil/v1"),
    (
      "Link", #"<https://api.example/2>; rel="next", <https://b.example/>, <//api.example/3>"#,
      #"<http://127.0.0.1:7/2>; rel="next", <https://b.example/>, <http://127.0.0.1:7/3>"#
    ), ("X-Url", "https://api.example/v1", "https://api.example/v1"),
  ])
  func `names itself where a server names it`(name: String, value: String, local: String) {
    let head = ResponseHead(status: 200, headers: [.init(name, value)])
    #expect(Self.lent.headerLines(for: head) == "\(name): \(local)\r\n")
  }
}
