import TestSupport
import Testing

@Suite(.needsPrograms) struct `The settings file` {
  @Test(arguments: [
    (
      "{\"version\": 2,\n  \"accounts\": {\"work\": {\"issuer\": 7}}}",
      ":2:35: accounts.work.issuer must be a text of at most"
    ),
    (
      "{\"version\": 2,\n  \"accounts\": {\"work\": {\"client_id\": \"c\"}}}",
      ":2:24: accounts.work.issuer is missing; it must be "
    ),
    ("{\"version\": 2,\n}", ":2:1: expected a value, a quoted name, a comma or a bracket"),
    (
      "{\"version\": 2, \"accounts\": {\"work\": {\"issuer\": \"https://id.example\", \"client_id\": \"c\", \"refresh\": \"allways\"}}}",
      "accounts.work.refresh must be one of "
    ),
    ("{\"version\": 2, \"on\": [{\"run\": [\"/bin/true\"], \"tiemout\": 3}]}", "unknown setting on[0].tiemout"),
  ]) func `settings with an error are named by file, line and column, with what was expected`(
    text: String, expected: String
  ) throws {
    try AgentTree.with { tree in
      _ = try tree.directory.open("config/agent")
      try tree.directory.write("config/agent/config.json", text)
      let listed = try tree.agent("list")
      #expect(listed.failed(1) && listed.errorText.contains(expected), "\(listed.errorText)")
      #expect(listed.errorText.contains(tree.path("config/agent/config.json:")), "\(listed.errorText)")
    }
  }

  @Test func `members of the settings that do not exist are reported with what was meant`() throws {
    try AgentTree.with { tree in
      _ = try tree.directory.open("config/agent")
      try tree.directory.write(
        "config/agent/config.json",
        "{\"version\": 2, \"accounts\": {\"work\": {\"issuer\": \"https://id.example\",\n\"client_id\": \"c\", \"scoope\": [\"openid\"]}}}"
      )
      let doctor = try tree.agent("doctor")
      #expect(
        doctor.outputText.contains("config.json:2:29: unknown setting \"scoope\", ignored"),
        "\(doctor.outputText)")
      #expect(doctor.outputText.contains("did you mean \"scope\"?"), "\(doctor.outputText)")
    }
  }
}
