import Encoding
import Testing
import Vault

@testable import Sessions
import Vocabulary

@Suite struct `Commands of the settings` {
  private static func settings(_ on: String) throws(ConfigurationError) -> Settings {
    try Settings(parsing: Array(#"{"version":2,"on":\#(on)}"#.utf8))
  }

  @Test func `are read with their program, events, account and time`() throws {
    let commands = try Self.settings(
      #"[{"run":["/bin/a","b c"]},{"run":["/d"],"events":["signed_out","expired"],"account":"work","timeout":300}]"#
    ).commands
    try #require(commands.count == 2)
    #expect(commands[0].arguments == ["/bin/a", "b c"] && commands[0].timeoutSeconds == 30)
    #expect(commands[0].events.isEmpty && commands[0].account == nil)
    #expect(commands[1].events == [.signedOut, .expired] && commands[1].timeoutSeconds == 300)
    #expect(commands[1].account == (try AccountName("work")))
    #expect(try Settings(parsing: Array(#"{"version":2}"#.utf8)).commands == [])
  }

  @Test(arguments: [
    ("{}", "on"), ("[1]", "on[0]"), ("[{}]", "on[0].run"), (#"[{"run":[]}]"#, "on[0].run"),
    (#"[{"run":"/bin/a"}]"#, "on[0].run"), (#"[{"run":["a"]}]"#, "on[0].run"), (#"[{"run":[""]}]"#, "on[0].run"),
    (#"[{"run":["/a\u0000"]}]"#, "on[0].run"), (#"[{"run":["/a"]},{"run":["./a"]}]"#, "on[1].run"),
    (#"[{"run":["/a"],"events":[]}]"#, "on[0].events"), (#"[{"run":["/a"],"events":["no"]}]"#, "on[0].events"),
    (#"[{"run":["/a"],"events":"expired"}]"#, "on[0].events"),
    (#"[{"run":["/a"],"account":"../x"}]"#, "on[0].account"), (#"[{"run":["/a"],"timeout":0}]"#, "on[0].timeout"),
    (#"[{"run":["/a"],"timeout":301}]"#, "on[0].timeout"), (#"[{"run":["/a"],"timeout":"1"}]"#, "on[0].timeout"),
    (#"[{"run":["/a"],"event":["expired"]}]"#, "on[0].event"),
    ("[" + Array(repeating: #"{"run":["/a"]}"#, count: 33).joined(separator: ",") + "]", "on"),
    (#"[{"run":["/a"\#(String(repeating: ",\"b\"", count: 32))]}]"#, "on[0].run"),
  ]) func `are refused by the member at fault`(on: String, place: String) {
    let error = #expect(throws: ConfigurationError.self) { try Self.settings(on) }
    #expect(error?.path == place)
  }

  @Test func `are for what they name`() throws {
    let commands = try Self.settings(
      #"[{"run":["/a"]},{"run":["/a"],"events":["signed_out"]},{"run":["/a"],"account":"work"}]"#
    ).commands
    func those(_ event: SessionEventName, _ account: String?) -> [Bool] {
      commands.map { $0.matches(event, of: account) }
    }
    #expect(those(.signedOut, "work") == [true, true, true])
    #expect(those(.online, "work") == [true, false, true])
    #expect(those(.online, "home") == [true, false, false])
    #expect(those(.locked, nil) == [true, false, true])
  }

  @Test func `stay in the file as they are`() throws {
    var settings = try Self.settings(#"[{"run":["/bin/a"],"timeout":5}]"#)
    settings.activate(try AccountName("work"))
    #expect(String(decoding: settings.serialized(), as: UTF8.self).contains(#""on":[{"run":["/bin/a"],"timeout":5}]"#))
  }
}
