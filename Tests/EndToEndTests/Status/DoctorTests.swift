import Encoding
import Platform
import TestSupport
import Testing

/// `agent doctor` with a real issuer, real `git` and what stands in the way of both.
@Suite(.needsPrograms) struct `The doctor` {
  /// The findings of a check, each with its level, message and hint.
  private static func findings(
    _ check: String, _ tree: AgentTree, _ changes: [String: String?] = [:], status: Int32 = 0
  ) throws -> [String] {
    let result = try tree.agent(["doctor", "--json"], changes)
    #expect(result.status == .exited(status), "\(result.outputText) \(result.errorText)")
    let answer = try JSON(parsing: result.output)
    #expect(answer["ok"]?.bool == (status == 0))
    return (answer["findings"]?.array ?? []).filter { $0["check"]?.string == check }.map { finding in
      let hint = finding["hint"]?.string.map { "; try: \($0)" } ?? ""
      return "\(finding["level"]?.string ?? "-") \(finding["message"]?.string ?? "-")\(hint)"
    }
  }

  private static func signedIn(_ body: (AgentTree, Issuer) throws -> Void) throws {
    try Issuer.with([]) { issuer in
      try AgentTree.with { tree in
        try tree.signIn(at: issuer.url)
        try body(tree, issuer)
      }
    }
  }

  @Test func `finds nothing wrong where nothing is, and tells nobody's secrets`() throws {
    try Self.signedIn { tree, issuer in
      let token = try tree.token()
      let result = try tree.agent(["doctor"], ["GOAUTH": "secret-value"])
      #expect(result.succeeded && result.errorText.isEmpty, "\(result.outputText) \(result.errorText)")
      for line in ["ok    daemon ", "ok    vault ", "ok    clock ", "ok    account            work: signed in"] {
        #expect(result.lines.contains { $0.hasPrefix(line) }, "\(line): \(result.outputText)")
      }
      #expect(result.outputText.contains("server             \(issuer.url) answered in "), "\(result.outputText)")
      #expect(result.outputText.contains("warn  variable           GOAUTH is set"))
      for secret in [token, "secret-value", tree.path("home")] { #expect(!result.outputText.contains(secret)) }
      #expect(try tree.agent("doctor", "work").succeeded)
      let unknown = try tree.agent("doctor", "other")
      #expect(unknown.status == .exited(1) && unknown.outputText.contains("FAIL  settings "), "\(unknown.outputText)")
    }
  }

  @Test func `tells a server that is gone, and one that is silent, without waiting for it`() throws {
    let silent = try SilentServers(1)
    try AgentTree.with { tree in
      for (name, url) in [("gone", "http://127.0.0.1:9"), ("silent", silent.urls[0])] {
        let made = try tree.agent(
          "account", "add", name, "--issuer", url, "--client-id", "x", "--allow-http-loopback")
        try #require(made.succeeded)
      }
      let found = try Self.findings("server", tree, status: 1)
      #expect(
        found.contains {
          $0.hasPrefix("fail http://127.0.0.1:9: cannot reach 127.0.0.1:9: connection refused; try: ")
        }, "\(found)")
      #expect(found.contains("fail \(silent.urls[0]): the server did not answer within 2 seconds"), "\(found)")
      // The one that is silent is not asked for another account.
      #expect(try tree.agent("doctor", "gone").outputText.contains("silent") == false)
    }
  }

  @Test func `tells a session that has ended at the server`() throws {
    try Self.signedIn { tree, issuer in
      issuer.stop()
      #expect(try tree.agent("token", "--force-refresh").failed(4))
      let found = try Self.findings("account", tree, status: 1)
      #expect(found.count == 1 && found[0].hasPrefix("warn work: cannot reach "), "\(found)")
      #expect(found.first?.contains(" ago") == true, "\(found)")
    }
  }

  @Test func `tells a socket that cannot be, an open directory and a second daemon`() throws {
    try AgentTree.with { tree in
      let wrong = try Self.findings("socket", tree, ["AGENT_SOCKET": "here"], status: 1)
      #expect(wrong == ["fail AGENT_SOCKET must be the absolute path of a socket; try: unset AGENT_SOCKET"])
      try #require(tree.agent("daemon", "start").succeeded)
      #expect(try Self.findings("socket", tree) == ["ok \(tree.socketPath)"])
      let unused = tree.path("runtime/other/none.sock")
      #expect(
        try Self.findings("socket", tree, ["AGENT_SOCKET": unused], status: 1)
          == ["warn AGENT_SOCKET is \(unused), where no daemon listened; try: unset AGENT_SOCKET"])
      // As cron has it, which knows no directory of the session.
      try #require(tree.agent(["daemon", "start"], ["XDG_RUNTIME_DIR": nil]).succeeded)
      let two = try Self.findings("socket", tree)
      #expect(two.count == 2 && two[1].hasPrefix("warn a second daemon runs, process "), "\(two)")
      #expect(two.last?.hasSuffix(" agent daemon stop") == true, "\(two)")
      #expect(try tree.agent(["daemon", "stop"], ["XDG_RUNTIME_DIR": nil]).succeeded)
      #expect(try tree.agent("daemon", "stop").succeeded)
      #expect(try tree.shell("sh", "chmod 755 \"$XDG_RUNTIME_DIR/agent\"").succeeded)
      let open = try Self.findings("socket", tree, status: 1)
      #expect(open.count == 1 && open[0].contains("may be used by other users"), "\(open)")
    }
  }

  @Test func `tells another helper of git that comes first, or gets the tokens too, without its words`() throws {
    try AgentTree.with { tree in
      let ours = "!agent helper git"
      for (helpers, line) in [
        (["", ours], "ok git asks this program for https://git.example.com"),
        (
          ["store --file=secret", ours],
          "warn git asks another helper first for https://git.example.com: store; try: agent setup git"
        ),
        (
          [ours, "/usr/bin/cache --x=secret"],
          "warn git gives the tokens for https://git.example.com to another helper too: cache; try: agent setup git"
        ),
        (
          ["", "/nowhere/git-credential-agent"],
          "fail git is to run /nowhere/git-credential-agent for https://git.example.com, which is not there;"
            + " try: agent setup git"
        ),
      ] {
        let lines = helpers.map { "git config --global --add credential.https://git.example.com.helper '\($0)'" }
        try #require(
          tree.shell("sh", "set -e; rm -f .gitconfig; " + lines.joined(separator: "; ")).succeeded)
        let found = try Self.findings("helper", tree, status: line.hasPrefix("fail") ? 1 : 0)
        #expect(found == [line])
      }
    }
  }

  @Test(arguments: [("2.39.5", "warn"), ("2.46.0", "ok"), ("3.0", "ok")])
  func `tells a version that is too old for its helper`(version: String, level: String) throws {
    try AgentTree.with { tree in
      try tree.directory.write(
        "home/git",
        "#!/bin/sh\n[ \"$1\" = --version ] && { echo git version \(version); exit; }\nexec /usr/bin/git \"$@\"\n")
      let path = "\(tree.path("home")):\(try #require(Programs.folder)):/usr/bin:/bin"
      try #require(
        tree.shell("sh", "chmod +x git; /usr/bin/git config --global credential.helper '!agent helper git'").succeeded)
      let found = try Self.findings("program", tree, ["PATH": path])
      #expect(found.count == 1 && found[0].hasPrefix("\(level) ~/git"), "\(found)")
      #expect(found.first?.contains(level == "ok" ? ", version " : "it takes tokens as passwords only") == true)
    }
  }

  @Test func `tells what was changed since setup wrote it`() throws {
    try AgentTree.with { tree in
      try #require(
        tree.agent(
          "account", "add", "work", "--issuer", "https://id.example", "--client-id", "x", "--host", "git.example.com"
        )
        .succeeded)
      try #require(tree.agent("setup", "docker", "--yes").succeeded)
      let good = try Self.findings("setup", tree, status: 1)
      #expect(good == ["ok docker https://git.example.com is set up: ~/.docker/config.json"])
      try tree.directory.write("home/.docker/config.json", "{}")
      let changed = try Self.findings("setup", tree, status: 1)
      #expect(
        changed == [
          "warn docker https://git.example.com was changed since, in ~/.docker/config.json;"
            + " try: agent setup docker --host https://git.example.com"
        ])
    }
  }
}
