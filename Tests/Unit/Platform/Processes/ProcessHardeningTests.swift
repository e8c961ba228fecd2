import Platform
import TestSupport
import Testing

@Suite struct `A hardened process` {
  @Test func `a hardened process has no core, cannot be dumped and makes private files`() async {
    await #expect(processExitsWith: .success) {
      try ProcessHardening.harden()
      #expect(!ProcessHardening.isDumpable)
      let text = try FileDescriptor(opening: "/proc/self/limits", for: .reading).readToEnd(limit: 65_536)
      let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
      let core = lines.first { $0.hasPrefix("Max core file size") }
      #expect(core?.split(separator: " ").suffix(3) == ["0", "0", "bytes"])
      #expect(try StatusFile.ofThisThread()["Umask"] == "0077")
      #expect(try StatusFile.ofThisThread().signals("SigIgn") == [Signals.SIGPIPE, Signals.SIGXFSZ])
    }
  }

  @Test func `a hardened process still reads what it needs about itself`() async {
    await #expect(processExitsWith: .success) {
      let path = Machine.executablePath()
      try ProcessHardening.harden()
      #expect(Machine.executablePath() == path)
      #expect(try MemoryUse.ofThisProcess().pssKiB > 0)
      let scratch = try TemporaryDirectory()
      let directory = try scratch.open(String(repeating: "d", count: 120))
      let listener = try UnixSocket.listen(in: directory, name: "socket", backlog: 1)
      _ = try UnixSocket.connect(in: directory, name: "socket")
      try listener.close()
    }
  }

  @Test func `a hardened process survives a closed pipe`() async {
    await #expect(processExitsWith: .success) {
      try ProcessHardening.harden()
      let pipe = try Pipe()
      let reading = pipe.reading
      let writing = pipe.writing
      try reading.close()
      #expect(throws: SystemError(errno: SystemError.Number.EPIPE, operation: "write")) {
        try writing.writeAll([1].span)
      }
    }
  }
}

@Suite struct `Memory use` {
  @Test func `the numbers are there and make sense`() throws {
    let use = try MemoryUse.ofThisProcess()
    #expect(use.privateDirtyKiB > 0)
    #expect(use.privateDirtyKiB <= use.pssKiB)
    #expect(use.pssKiB <= use.rssKiB)
  }
}
