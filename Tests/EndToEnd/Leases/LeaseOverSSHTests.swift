import Encoding
import Platform
import TestSupport
import Testing

/// `agent ssh --lend`, with real `sshd`.
@Suite(
  .needsPrograms,
  .enabled(if: Recipes.hasSSH, "openssh-server is not installed; \"make deps-check\" installs it"))
struct `A lease for a host of ssh` {
  private static func with(_ body: (Resource, SSHHost) throws -> Void) throws {
    try with { resource, host, _ in try body(resource, host) }
  }

  private static func with(_ body: (Resource, SSHHost, AgentTree) throws -> Void) throws {
    try Resource.answering({ request in
      (200, [], "\(request.line.split(separator: " ")[0]) \(request.values("authorization").count) \(request.body)\n")
    }) { resource in
      try AgentTree.with { far in try body(resource, try SSHHost(near: resource.tree, far: far), far) }
    }
  }

  /// Runs `agent ssh --lend work` for the resource, with a command for the host.
  private static func run(
    _ resource: Resource, _ host: SSHHost, _ options: [String] = [], _ words: String...
  ) throws -> ProcessResult {
    try resource.tree.agent(
      ["ssh", "--lend", "work", "--only", resource.server.url()] + options + ["-F", host.configuration, "there"] + words
    )
  }

  private static func expectNothingLeft(_ host: SSHHost, _ far: AgentTree) throws {
    #expect(try far.directory.open("runtime/agent/leases").fileNames() == [])
    #expect(try host.near.directory.open("runtime/agent/leases").fileNames() == [".lock"])
    #expect(try host.connections().isEmpty)
  }

  @Test func `is used there by agent request, and ends with the session`() throws {
    try Self.with { resource, host, far in
      let agent = try Programs.path("agent")
      let url = resource.server.url()
      let result = try Self.run(
        resource, host, [], "\(agent) request --data 'it'\\''s text' '\(url)'; \(agent) token; echo \"$?\"; exit 5")
      #expect(result.status == .exited(5), "\(result.errorText)")
      #expect(result.outputText == "POST 1 it's text\n6\n", "\(result.errorText)")
      #expect(result.errorText.contains("programs may send requests as work to \(url)"), "\(result.errorText)")
      #expect(try far.directory.open("state").fileNames() == [])
      try Self.expectNothingLeft(host, far)
    }
  }

  @Test func `is used there by programs with a token of its own, which no command line has`() throws {
    try Self.with { resource, host, far in
      let script = """
        curl -qsS --noproxy '*' -H "Authorization: Bearer $KEY" "$API/x"; \
        curl -qsS --noproxy '*' "$API/x" -o /dev/null -w '%{http_code}\\n'; \
        printenv KEY > "$HOME/key"; cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -cFf "$HOME/key"
        """
      let result = try Self.run(resource, host, ["--url-as", "API", "--token-as", "KEY"], script)
      #expect(result.outputText == "GET 1 \n401\n0\n", "\(result.outputText) \(result.errorText)")
      try Self.expectNothingLeft(host, far)
    }
  }

  @Test func `has its limits there, and the session outlives it`() throws {
    try Self.with { resource, host in
      let request = "\(try Programs.path("agent")) request '\(resource.server.url())'"
      let result = try Self.run(resource, host, ["--times", "1"], "\(request); \(request); echo \"$?\"")
      #expect(result.outputText == "GET 1 \n6\n", "\(result.errorText)")
      #expect(resource.server.requests.count == 1)
    }
  }

  @Test func `is for the shell of a session, too`() throws {
    try Self.with { resource, host, far in
      let program = try WatchedProgram(
        resource.tree, columns: 200, [:],
        [Programs.path("agent"), "ssh", "--lend", "work", "-F", host.configuration, "there"])
      try program.until("to use it on ")
      try program.type("\(Programs.path("agent")) request \(resource.server.url()); tty; exit 3\r")
      let end = try program.end()
      #expect(end.status == 3 && end.rows.contains("GET 1") && end.raw.contains("/dev/pts/"), "\(end.rows)")
      try Self.expectNothingLeft(host, far)
    }
  }

  @Test func `connects to no host if it cannot be opened`() throws {
    try Self.with { resource, host in
      let config = ["-F", host.configuration, "there", "true"]
      let unlisted = try resource.tree.agent(["ssh", "--lend", "work", "--only", "https://other.example"] + config)
      #expect(!unlisted.succeeded && unlisted.errorText.contains("https://other.example"), "\(unlisted.errorText)")
      let idle = try resource.tree.agent(
        ["ssh", "--lend", "work", "--only", resource.server.url(), "--url-as", "A", "--token-as", "B", "-N"] + config)
      #expect(idle.failed(2), "\(idle.errorText)")
      try #require(resource.tree.agent("logout", "work").succeeded)
      let signedOut = try Self.run(resource, host, [], "true")
      #expect(signedOut.failed(3) && signedOut.errorText.contains("agent login work"), "\(signedOut.errorText)")
      #expect(!host.wasReached)
    }
  }

  @Test func `is refused by a host that forwards nothing`() throws {
    try Self.with { resource, host, far in
      try host.configure("AllowStreamLocalForwarding no")
      let result = try Self.run(resource, host, [], "echo started")
      #expect(result.failed(1) && result.output.isEmpty, "\(result.outputText)")
      #expect(result.errorText.contains("does not let ssh forward the lease's sockets to it"), "\(result.errorText)")
      try Self.expectNothingLeft(host, far)
    }
  }

  @Test(.enabled(if: Machine.userID == 0, "only root can be two users")) func `is used there by another user`() throws {
    try Resource.answering({ _ in (200, [], "answer") }) { resource in
      try OtherUser.with(userID: 65_533) { user in
        let host = try SSHHost(near: resource.tree, user: user)
        let command = "id -u; \(user.folder)/bin/agent request '\(resource.server.url())'"
        let result = try Self.run(resource, host, [], command)
        #expect(result.outputText == "65533\nanswer", "\(result.errorText)")
      }
    }
  }
}
