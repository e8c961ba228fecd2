import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `Commands with a token` {
  @Test func `the command gets the variables, its arguments and standard input`() throws {
    try Session.with { session in
      let script = "printf '%s|%s|%s|%s|' \"$AGENT_ACCESS_TOKEN\" \"$AGENT_ACCOUNT\" \"$1\" \"$AGENT_TEST\"; cat"
      let result = try session.tree.agent(
        ["exec", "work", "--", "/bin/sh", "-c", script, "name", "two  words"],
        ["AGENT_TEST": "kept", "AGENT_ACCESS_TOKEN": "stale"], input: "typed")
      #expect(result.outputText == "\(try session.tree.token())|work|two  words|kept|typed")
      #expect(result.errorText.isEmpty)
    }
  }

  @Test func `its status is the command's own`() throws {
    try Session.with { session in
      for status in [0, 1, 3, 7, 125, 255] {
        let result = try session.tree.agent("exec", "work", "--", "/bin/sh", "-c", "exit \(status)")
        #expect(result.status == .exited(Int32(status)))
        #expect(result.output.isEmpty && result.error.isEmpty)
      }
    }
  }

  @Test func `a signal that ends the command is seen`() throws {
    try Session.with { session in
      let result = try session.tree.agent("exec", "work", "--", "/bin/sh", "-c", "kill -TERM $$")
      #expect(result.status == .signalled(Signals.SIGTERM))
    }
  }

  @Test func `what cannot be run is 126, what is not there 127`() throws {
    try Session.with { session in
      try session.tree.directory.write("home/data", "no program")
      let refused = try session.tree.agent("exec", "work", "--", session.tree.path("home/data"))
      #expect(refused.failed(126))
      let missing = try session.tree.agent("exec", "work", "--", "no-such-command-anywhere")
      #expect(missing.failed(127))
      #expect(missing.errorText.contains("agent: error: cannot run \"no-such-command-anywhere\": command not found"))
    }
  }

  @Test func `without a session nothing is run`() throws {
    try AgentTree.with { tree in
      let result = try tree.agent("exec", "work", "--", "/bin/sh", "-c", "echo ran; touch \(tree.path("ran"))")
      #expect(result.failed(3))
      #expect(try !tree.directory.open().exists("ran"))
    }
  }

  @Test func `the daemon it starts is no child of the command`() throws {
    try Session.with { session in
      try session.tree.stopDaemon()
      let result = try session.tree.agent(
        "exec", "work", "--", "/bin/sh", "-c", #"read -r c </proc/$$/task/$$/children; echo "[$c]""#)
      #expect(result.outputText == "[]\n", "\(result)")
      #expect(try session.tree.daemons().count == 1)
    }
  }

  @Test func `a command line without a command is a usage error`() throws {
    try AgentTree.with { (tree) throws in
      #expect(try tree.agent("exec", "work").failed(2))
      #expect(try tree.agent("exec", "work", "--").failed(2))
    }
  }
}
