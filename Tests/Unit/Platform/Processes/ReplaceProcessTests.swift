import Platform
import TestSupport
import Testing

@Suite struct `Replacing this process` {
  @Test func `a program found in the path takes over with the status it has`() async throws {
    await #expect(processExitsWith: .exitCode(7)) {
      _ = Spawn.replaceProcess(executable: "sh", arguments: ["sh", "-c", "exit 7"], environment: [])
    }
  }

  @Test func `it has the default for a closed pipe and nothing blocked`() async {
    await #expect(processExitsWith: .signal(Signals.SIGPIPE)) {
      Signals.ignoreFailingWrites()
      Signals.block([Signals.SIGPIPE])
      let line = "kill -PIPE $$; exit 0"
      _ = Spawn.replaceProcess(executable: "/bin/sh", arguments: ["sh", "-c", line], environment: [])
    }
  }

  @Test func `a script without an interpreter line is run by the shell`() async throws {
    let scratch = try TemporaryDirectory()
    try scratch.open().replaceFile("script", with: Array("exit $1\n".utf8).span, mode: 0o700)
    await #expect(processExitsWith: .exitCode(9)) { [script = scratch.path("script") as String] in
      _ = Spawn.replaceProcess(executable: script, arguments: ["script", "9"], environment: [])
    }
  }

  @Test func `bytes that are no UTF-8 arrive as they are`() async {
    await #expect(processExitsWith: .exitCode(5)) {
      let line = Array("[ \"$1\" = \"$(printf '\\377')\" ] && [ \"$V\" = \"$(printf '\\376')\" ] && exit 5".utf8)
      _ = Spawn.replaceProcess(
        executable: "sh", arguments: [Array("sh".utf8), Array("-c".utf8), line, Array("sh".utf8), [0xff]],
        environment: [Array("V=".utf8) + [0xfe]])
    }
  }

  // A failure has already changed the signals of the process.
  @Test func `missing and forbidden programs are told apart`() async {
    await #expect(processExitsWith: .success) {
      let scratch = try TemporaryDirectory()
      try scratch.write("plain", "exit 0\n")
      func failure(_ name: String) -> SystemError {
        Spawn.replaceProcess(executable: name, arguments: [name], environment: [])
      }
      let missing = SystemError(errno: SystemError.Number.ENOENT, operation: "execve")
      #expect(failure("no-such-program-anywhere") == missing)
      #expect(failure("/nonexistent/program") == missing)
      #expect(failure("") == missing)
      #expect(failure(scratch.path("plain")) == SystemError(errno: SystemError.Number.EACCES, operation: "execve"))
      #expect(failure("/bin/sh\0") == SystemError(errno: SystemError.Number.EINVAL, operation: "execve"))
    }
  }

  @Test func `a search finds what can be run`() throws {
    let scratch = try TemporaryDirectory()
    try scratch.write("plain", "")
    #expect(Spawn.search("sh")?.hasSuffix("/sh") == true)
    #expect(Spawn.search("no-such-program-anywhere") == nil)
    #expect(Spawn.search("/bin/sh") == "/bin/sh")
    #expect(Spawn.search(scratch.path) == nil)
  }
}
