import Platform
import TestSupport
import Testing
import Wire

@testable import CommandLine

@Suite struct `A file that a command line names` {
  private static let readers = [
    ["decode", "PATH"], ["request", "https://api.example/", "--data", "@PATH"],
    ["token", "--authorization-details", "@PATH"],
    ["workload", "work", "--issuer", "https://as.example", "--claims", "@PATH"],
    ["account", "set", "work", "--authorization-details", "@PATH"],
  ]

  private static func naming(_ path: String, _ arguments: [String]) -> [String] {
    arguments.map { $0.replacing("PATH", with: path) }
  }

  @Test(arguments: readers) func `is waited for no longer than it may be, where it is a FIFO`(arguments: [String])
    throws
  {
    let program = try AgentProgram()
    try ProcessRunner.shell("mkfifo '\(program.tree.path("fifo"))'")
    let result = try program.run(Self.naming("fifo", arguments) + ["--timeout", "1s"])
    #expect(result.status == .exited(4) && result.output == [])
    #expect(
      result.errorText == "agent: error: no other program opened the FIFO \"fifo\" within 1 s\n")
  }

  @Test(arguments: readers) func `is said to be a directory, where it is one`(arguments: [String]) throws {
    let result = try AgentProgram().run(Self.naming("go", arguments) + ["--timeout", "20s"])
    #expect(result.status == .exited(2) && result.output == [])
    #expect(result.errorText.hasSuffix("\"go\": Is a directory\n"))
  }

  @Test func `is read once the program at the other end of a FIFO writes`() throws {
    let program = try AgentProgram()
    let script = "mkfifo fifo; { printf '%s' \(unsignedToken()) > fifo & }; bin/agent decode fifo --timeout 1m"
    let result = try ProcessRunner.run(
      executable: "/bin/sh", arguments: ["-c", script], environment: program.environment, directory: program.tree.path)
    #expect(result.succeeded && result.outputText.contains("sub  ann"))
  }

  @Test func `must end in the time that it may take`() throws {
    let program = try AgentProgram()
    let script = "mkfifo fifo; exec 3<>fifo; bin/agent token --authorization-details @fifo --timeout 1s"
    let result = try ProcessRunner.run(
      executable: "/bin/sh", arguments: ["-c", script], environment: program.environment, directory: program.tree.path)
    #expect(result.status == .exited(4) && result.output == [])
    #expect(result.errorText == "agent: error: \"fifo\" did not end within 1 s\n")
  }

  @Test func `holds a secret, and is no directory`() throws {
    let line = ["account", "import", "work", "--refresh-token-file", "/"]
    let secret = try NamedSecret(Phrase("refresh token"), .refreshTokenFile, try Parser.parse(line))
    let failure = #expect(throws: Failure.self) { _ = try secret.open() }
    #expect(failure?.message == "cannot read the refresh token file \"/\": Is a directory")
  }
}

@Suite struct `Tokens of standard input` {
  @Test func `are waited for no longer than they may be`() throws {
    let program = try AgentProgram()
    // The pipe is also open for writing, so it never ends.
    let script = "mkfifo tokens; bin/agent decode --timeout 1s <> tokens"
    let result = try ProcessRunner.run(
      executable: "/bin/sh", arguments: ["-c", script], environment: program.environment, directory: program.tree.path)
    #expect(result.status == .exited(4))
    #expect(result.errorText == "agent: error: the tokens did not end within 1 s\n")
  }
}
