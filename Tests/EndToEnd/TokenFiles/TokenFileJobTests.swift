import Platform
import TestSupport
import Testing

/// The command is a job of its shell, as without `agent`.
@Suite(.needsPrograms) struct `A command with a token file, on a terminal` {
  private static func run(_ script: String, _ body: (WatchedProgram) throws -> Void) throws {
    try Session.with { session in
      let command = "'\(try Programs.path("agent"))' exec --token-file --"
      let lines =
        "set -m\n" + script.split(separator: "$exec", omittingEmptySubsequences: false).joined(separator: command)
      try body(try WatchedProgram(session.tree, columns: 80, ["HISTFILE": nil], ["/bin/bash", "--norc", "-c", lines]))
    }
  }

  @Test func `is ended by Ctrl-C alone, once`() throws {
    try Self.run(
      """
      $exec sh -c 'trap "echo one-\\$((n=n+1)); exit 3" INT; echo ready; while :; do sleep 0.05; done'
      echo "status: $?"
      """
    ) { program in
      try program.until("ready")
      try program.type("^C")
      let screen = try program.until("status: 3")
      #expect(screen.rows.filter { $0.contains("one-") }.count == 1)
      _ = try program.end()
    }
  }

  @Test func `is ended by Ctrl-C as a shell sees it`() throws {
    try Self.run("$exec sh -c 'echo ready; exec sleep 1000'; echo \"status: $?\"") { program in
      try program.until("ready")
      try program.type("^C")
      // The shell ends with its child.
      #expect(try program.end().status == 130)
    }
  }

  @Test func `lives on when it does not mind Ctrl-C`() throws {
    try Self.run(
      "$exec sh -c 'trap \"\" INT; echo ready; read -r line; echo \"read: $line\"; exit 6'; echo \"status: $?\""
    ) { program in
      try program.until("ready")
      try program.type("^C")
      try program.type("typed\r")
      try program.until("read: typed")
      try program.until("status: 6")
      _ = try program.end()
    }
  }

  @Test func `is stopped by Ctrl-Z, and goes on in the foreground`() throws {
    try Self.run(
      """
      $exec sh -c 'echo ready; read -r line; echo "read: $line"; exit 6'
      echo "stopped: $?"
      read -r line
      echo "shell: $line"
      fg >/dev/null
      echo "status: $?"
      """
    ) { program in
      try program.until("ready")
      try program.type("^Z")
      try program.until("stopped: 148")
      try program.type("first\r")
      try program.until("shell: first")
      try program.type("second\r")
      try program.until("read: second")
      try program.until("status: 6")
      _ = try program.end()
    }
  }

  @Test func `that stops itself is seen to be stopped`() throws {
    try Self.run(
      """
      $exec sh -c 'kill -STOP $$; echo on; exit 6'
      echo "stopped: $?"
      fg >/dev/null
      echo "status: $?"
      """
    ) { program in
      try program.until("stopped: 147")
      try program.until("status: 6")
      _ = try program.end()
    }
  }

  @Test func `waits in the background for the terminal`() throws {
    try Self.run(
      """
      $exec sh -c 'read -r line; echo "read: $line"; exit 6' &
      while ! jobs | grep -q Stopped; do sleep 0.1; done
      echo "waiting"
      fg >/dev/null
      echo "status: $?"
      """
    ) { program in
      try program.until("waiting")
      try program.type("typed\r")
      try program.until("read: typed")
      try program.until("status: 6")
      _ = try program.end()
    }
  }
}
