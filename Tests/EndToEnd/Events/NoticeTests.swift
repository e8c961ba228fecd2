import Encoding
import Platform
import TestSupport
import Testing

/// `agent events --notify on` adds a command for events.
@Suite(.needsPrograms) struct `A desktop notice` {
  @Test func `is shown when the server ends a session, but not after a sign-out or --notify off`() throws {
    try Session.with { session in
      let tree = session.tree
      let script = """
        #!/bin/sh
        printf '%s\\n' "$@" >>'\(tree.path("all"))'
        : >'\(tree.path("shown"))'
        """
      try tree.directory.open("bin").replaceFile("notify-send", with: Array(script.utf8).span, mode: 0o755)
      let path = tree.environment().first { $0.hasPrefix("PATH=") }?.dropFirst(5) ?? ""
      let desktop: [String: String?] = ["PATH": tree.path("bin") + ":" + path]
      let file = "config/agent/config.json"
      try tree.stopDaemon()
      let on = try tree.agent(["events", "--notify", "on"], desktop)
      #expect(on.errorText == "agent: the desktop shows a notice when a session ends\n")
      #expect(try tree.agent(["events", "--notify", "on", "--json"], desktop).outputText == "{\"notify\":true}\n")
      #expect(try tree.directory.readText(file).components(of: "__notify") == 1)
      #expect(try tree.agent("logout", "work").succeeded)
      try tree.signIn(at: session.issuer.url)
      try session.issuer.control("revoke_all", "1")
      #expect(try tree.agent("token", "work", "--force-refresh").failed(3))
      let deadline = Instant.now.advanced(by: .testLimit)
      while try !tree.directory.open().exists("shown") {
        try #require(Instant.now < deadline, "there is no notice")
        Threads.sleep(for: .milliseconds(10))
      }
      let words = ["--app-name=agent", "The session of work has ended", "to sign in again: agent login work"]
      #expect(try tree.directory.readText("all") == words.joined(separator: "\n") + "\n")
      let off = try tree.agent("events", "--notify", "off")
      #expect(off.errorText == "agent: no more notices when a session ends\n")
      #expect(try tree.directory.readText(file).components(of: "\"on\"") == 0)
      #expect(try tree.agent("events", "--notify", "off", "work").failed(2))
    }
  }
}

extension String {
  fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
