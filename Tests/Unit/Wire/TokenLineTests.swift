import Encoding
import Testing
import Wire

/// The fast path to a cached token writes and parses lines without the general writer and parser.
@Suite struct `The lines of a token` {
  @Test func `begin as the general writer begins a request`() {
    func line(_ account: String?) -> String {
      String(decoding: RequestEnvelope(.token(TokenRequest(account: account))).serialized(), as: UTF8.self)
    }
    #expect(line(nil) == WireProtocol.tokenRequestStart + "}\n")
    #expect(line("work") == WireProtocol.tokenRequestStart + ",\"account\":\"work\"}\n")
  }

  @Test func `begin as the general writer begins a result, and name the token alike`() throws {
    let reply = String(decoding: Reply.result(JSONObject([("account", "work")])).serialized(), as: UTF8.self)
    #expect(reply == WireProtocol.resultStart + "\"account\":\"work\"}}\n")
    var line: [UInt8] = []
    `A token answer`.bare.appendAnswer(accessToken: [0x61].span, to: &line)
    #expect(line.starts(with: WireProtocol.resultStart.utf8))
    #expect(try JSON(parsing: line)["result"]?[WireProtocol.accessTokenMember] == "a")
  }

  @Test(arguments: [
    ("work", true), ("_1.b-c", true), (String(repeating: "a", count: 64), true), ("", false), (".x", false),
    ("-x", false), ("a b", false), ("a\"b", false), ("é", false), (String(repeating: "a", count: 65), false),
  ]) func `hold names of accounts that need no escape`(name: String, isName: Bool) {
    #expect(WireProtocol.isAccountName(name) == isName)
  }
}
