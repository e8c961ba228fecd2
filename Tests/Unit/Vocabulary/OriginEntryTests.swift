import Testing

@testable import Vocabulary

@Suite struct `An entry of the places for a token` {
  @Test(arguments: [
    ("API.example", "https://api.example"), ("https://api.example/", "https://api.example"),
    ("git.example/Team/", "https://git.example/Team"), ("https://a.example:443/x", "https://a.example/x"),
    ("imaps://IMAP.example:993", "imaps://imap.example"),
    ("submission://mail.example:2525", "submission://mail.example:2525"),
    ("submissions://mail.example", "submissions://mail.example"), ("http://127.0.0.1:80/x", "http://127.0.0.1/x"),
    (
      "a.example  header=Basic audience=x scope=a scope=b resource=https://r.example token=id_token user=me",
      "https://a.example user=me token=id_token scope=a scope=b resource=https://r.example audience=x header=Basic"
    ),
    ("a.example header=PRIVATE-TOKEN:", "https://a.example header=PRIVATE-TOKEN:"),
    ("a.example header=X-Key:Token user=<token>", "https://a.example user=<token> header=X-Key:Token"),
    ("a.example header=authorization:token", "https://a.example header=token"),
  ])
  func `has one spelling`(text: String, expected: String) throws {
    let entry = try #require(OriginEntry(text, allowHTTPLoopback: true))
    #expect(entry.text == expected)
    #expect(OriginEntry(expected, allowHTTPLoopback: true) == entry)
  }

  @Test(arguments: [
    "", " ", "http://a.example", "http://localhost.", "ftp://a.example", "imap://a.example", "imaps://a.example/x",
    "a.example/x?y", "a.example#x", "a.example/../x", "a.example/%2E%2e/x", "a.example user", "a.example user=",
    "a.example user=a user=b", "a.example token=refresh_token", "a.example token=", "a.example other=x",
    "a.example header=Host:", "a.example header=a/b", "a.example header=:", "a.example user=a\u{1}b",
    "a.example header=DPoP:", "me@a.example", "a.example user=a\n",
  ])
  func `is nothing else`(text: String) {
    #expect(OriginEntry(text, allowHTTPLoopback: true) == nil)
  }

  @Test(arguments: [
    ("/team", true), ("/team/", true), ("/team/x.git", true), ("/teams", false), ("/", false), ("", false),
    ("/team/../other", false), ("/team/%2e%2E/other", false), ("/team/./x", false), ("/team/..x", true),
    ("/Team", false),
  ])
  func `covers what is below its path`(path: String, isCovered: Bool) throws {
    #expect(try #require(OriginEntry("a.example/team", allowHTTPLoopback: false)).covers(path) == isCovered)
    #expect(try #require(OriginEntry("a.example", allowHTTPLoopback: false)).covers(path))
  }
}
