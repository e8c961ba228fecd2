import Platform
import TestSupport
import Testing

@Suite struct `Starting programs` {
  private func run(_ arguments: [String], inherits: [(parent: Int32, child: Int32)] = []) throws -> ProcessResult {
    try ProcessRunner.run(executable: arguments[0], arguments: Array(arguments.dropFirst()), inherits: inherits)
  }

  private func start(_ line: String) throws -> Int32 {
    try Spawn.start(
      Spawn.Request(
        executable: "/bin/sh", arguments: ["sh", "-c", line], environment: [], nullStandardStreams: true))
  }

  @Test func `a status and a signal are told apart`() throws {
    #expect(try Spawn.wait(start("exit 0")) == .exited(0))
    #expect(try Spawn.wait(start("exit 255")) == .exited(255))
    #expect(try Spawn.wait(start("exit 137")) == .exited(137))
    #expect(try Spawn.wait(start("kill -9 $$")) == .signalled(9))
    #expect(try Spawn.wait(start("kill -TERM $$")) == .signalled(Signals.SIGTERM))
    #expect([ProcessStatus.exited(3).shellStatus, ProcessStatus.signalled(9).shellStatus] == [3, 137])
  }

  @Test func `a child is waited for once, by its descriptor or without waiting`() throws {
    let process = try start("sleep 60")
    #expect(try Spawn.tryWait(process) == nil)
    let ended = try Spawn.processDescriptor(process)
    #expect(try !ended.waitUntilReadable(timeout: .zero) as Bool)
    try Spawn.kill(process, Signals.SIGKILL)
    #expect(try ended.waitUntilReadable(timeout: .testLimit) as Bool)
    #expect(try Spawn.tryWait(process) == .signalled(Signals.SIGKILL))
    #expect(throws: SystemError(errno: SystemError.Number.ECHILD, operation: "waitpid")) { try Spawn.wait(process) }
    #expect(throws: SystemError(errno: SystemError.Number.ESRCH, operation: "kill")) {
      try Spawn.kill(process, Signals.SIGTERM)
    }
  }

  @Test(arguments: [0, -1, .min] as [Int32]) func `a group of processes is never signalled`(process: Int32) {
    #expect(throws: SystemError(errno: SystemError.Number.ESRCH, operation: "kill")) {
      try Spawn.kill(process, Signals.SIGCONT)
    }
  }

  @Test func `only the listed descriptors reach the child, under their new numbers`() throws {
    // Open here without close-on-exec but not listed: must not be inherited.
    let leaked = try ProcessRunner.run(
      executable: "/bin/sh", arguments: ["-c", "exec 7</dev/null 8</dev/null; exec /bin/ls -l /proc/self/fd"])
    #expect(leaked.outputText.contains(" 7 -> /dev/null"))
    let first = try FileDescriptor(opening: "/dev/null", for: .reading)
    let second = try FileDescriptor(opening: "/dev/zero", for: .reading)
    let result = try run(["/bin/ls", "-l", "/proc/self/fd"], inherits: [(first.raw, 20), (second.raw, 5)])
    var found: [String: String] = [:]
    for line in result.outputText.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 2, words[words.count - 2] == "->" else { continue }
      found[String(words[words.count - 3])] = String(words[words.count - 1])
    }
    // The one that `ls` itself opened is the listed directory.
    let own = found.filter { $0.value.hasPrefix("/proc/") }
    #expect(own.count == 1)
    #expect(Set(found.keys).subtracting(own.keys) == ["0", "1", "2", "5", "20"])
    #expect(found["20"] == "/dev/null")
    #expect(found["5"] == "/dev/zero")
  }

  @Test func `numbers may be exchanged`() throws {
    let one = try FileDescriptor(opening: "/dev/null", for: .reading)
    let two = try FileDescriptor(opening: "/dev/zero", for: .reading)
    let result = try run(
      ["/usr/bin/readlink", "/proc/self/fd/\(one.raw)", "/proc/self/fd/\(two.raw)"],
      inherits: [(one.raw, two.raw), (two.raw, one.raw)])
    #expect(result.outputText == "/dev/zero\n/dev/null\n")
  }

  @Test func `the child has no signal blocked or ignored, whatever its parent has`() async {
    await #expect(processExitsWith: .success) {
      Signals.ignoreFailingWrites()
      Signals.block([Signals.SIGTERM, Signals.SIGINT, Signals.SIGCHLD])
      let own = try StatusFile.ofThisThread()
      #expect(own.signals("SigBlk")?.isSuperset(of: [Signals.SIGTERM, Signals.SIGINT, Signals.SIGCHLD]) == true)
      #expect(own.signals("SigIgn") == [Signals.SIGPIPE, Signals.SIGXFSZ])
      let child = try ProcessRunner.run(executable: "/bin/cat", arguments: ["/proc/self/status"])
      let status = StatusFile(text: child.outputText)
      #expect(status.signals("SigBlk") == [])
      #expect(status.signals("SigIgn") == [])
      let line = "kill -PIPE $$; echo still here"
      #expect(try ProcessRunner.shell(line).status == .signalled(Signals.SIGPIPE))
    }
  }

  @Test func `the environment and arguments are exactly those given`() throws {
    let variables = try ProcessRunner.run(executable: "/usr/bin/env", environment: ["B=1 2", "A=", "é=ß"])
    #expect(variables.outputText == "B=1 2\nA=\né=ß\n")
    let words = try ProcessRunner.run(
      executable: "/bin/sh", arguments: ["-c", "printf '%s|' \"$@\"", "sh", "", "x y", "é\n"])
    #expect(words.outputText == "|x y|é\n|")
  }

  @Test func `standard streams can be null, with single ones replaced`() throws {
    let pipe = try Pipe()
    let process = try Spawn.start(
      Spawn.Request(
        executable: "/usr/bin/readlink", arguments: ["readlink", "/proc/self/fd/0", "/proc/self/fd/2"],
        environment: [], inherits: [(pipe.writing.raw, 1)], nullStandardStreams: true))
    #expect(try Spawn.wait(process) == .exited(0))
    var text: [UInt8] = []
    _ = try pipe.reading.read(into: &text, upTo: 100)
    #expect(String(decoding: text, as: UTF8.self) == "/dev/null\n/dev/null\n")
  }

  @Test func `a new session is led by the child, and a directory can be chosen`() throws {
    let pipe = try Pipe()
    let process = try Spawn.start(
      Spawn.Request(
        executable: "/bin/sh", arguments: ["sh", "-c", "pwd; cut -d' ' -f1,5,6 /proc/$$/stat"], environment: [],
        newSession: true, inherits: [(pipe.writing.raw, 1)], nullStandardStreams: true, directory: "/proc"))
    #expect(try Spawn.wait(process) == .exited(0))
    var text: [UInt8] = []
    _ = try pipe.reading.read(into: &text, upTo: 100)
    #expect(String(decoding: text, as: UTF8.self) == "/proc\n\(process) \(process) \(process)\n")
  }

  @Test func `a program that is missing or may not be run is an error here, not in the child`() throws {
    let scratch = try TemporaryDirectory()
    try scratch.write("plain", "#!/bin/sh\n")
    for (path, number) in [
      ("/nonexistent/x", SystemError.Number.ENOENT), (scratch.path("plain"), SystemError.Number.EACCES),
      ("/bin/sh\0x", SystemError.Number.EINVAL),
    ] {
      #expect(throws: SystemError(errno: number, operation: "posix_spawn")) {
        try Spawn.start(Spawn.Request(executable: path, arguments: ["x"], environment: []))
      }
    }
    #expect(throws: SystemError(errno: SystemError.Number.EBADF, operation: "posix_spawn")) {
      try Spawn.start(
        Spawn.Request(executable: "/bin/true", arguments: ["true"], environment: [], inherits: [(1_000_000, 3)]))
    }
  }

  @Test func `starting leaves no descriptor open here`() async {
    // In a separate process, where no other test opens descriptors; the test library may open one or two.
    await #expect(processExitsWith: .success) {
      func openCount() throws -> Int {
        try PrivateDirectory(opening: "/proc/self/fd", create: false).fileNames().count
      }
      let before = try openCount()
      let starts = 20
      for _ in 0..<starts {
        let request = Spawn.Request(
          executable: "/nonexistent", arguments: ["x"], environment: [], inherits: [(0, 3), (1, 4)])
        #expect(throws: SystemError.self) { try Spawn.start(request) }
      }
      #expect(try openCount() < before + starts)
    }
  }
}
