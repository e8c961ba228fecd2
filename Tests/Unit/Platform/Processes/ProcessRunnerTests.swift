import Platform
import TestSupport
import Testing

@Suite struct `Processes for tests` {
  @Test func `both streams and the input flow at once without getting stuck`() throws {
    let input = [UInt8](repeating: UInt8(ascii: "i"), count: 1 << 20)
    let result = try ProcessRunner.run(
      executable: "/bin/sh", arguments: ["-c", "head -c 1000000 /dev/zero >&2; cat; exit 3"], input: input)
    #expect(result.status == .exited(3))
    #expect(result.output == input)
    #expect(result.error.count == 1_000_000)
  }

  @Test func `a program that does not read its input is no error`() throws {
    let result = try ProcessRunner.run(executable: "/bin/true", input: [UInt8](repeating: 0, count: 1 << 20))
    #expect(result.succeeded)
  }

  @Test func `a program that takes too long is ended`() throws {
    let scratch = try TemporaryDirectory()
    let program = "echo $$ >'\(scratch.path("process"))'; echo out; echo err >&2; exec sleep 3600"
    let failure = #expect(throws: ProcessFailure.self) {
      try ProcessRunner.shell(program, timeout: .milliseconds(500))
    }
    // The command's output depends on its progress.
    guard case .timedOut? = failure else { throw failure ?? .ended(error: "") }
    guard let process = (try? scratch.readText("process")).flatMap({ Int32($0.dropLast()) }) else { return }
    #expect(throws: SystemError.self) { _ = try Spawn.processDescriptor(process) }
  }

  @Test func `a grandchild that keeps the streams open does not hold us`() throws {
    let result = try ProcessRunner.shell("sleep 3600 & echo $!")
    let grandchild = try #require(Int32(result.outputText.dropLast()))
    try Spawn.kill(grandchild, Signals.SIGKILL)
  }

  @Test func `a program in the background is spoken with line by line`() throws {
    let process = try RunningProcess(
      executable: "/bin/sh", arguments: ["-c", "read a; echo got $a; echo e >&2; exec cat"])
    #expect(throws: ProcessFailure.timedOut(output: "", error: "")) {
      try process.readLine(timeout: .milliseconds(30))
    }
    try process.send("one\n")
    #expect(try process.readLine() == "got one")
    try process.send("two\nthree\n")
    #expect(try process.readLine() == "two")
    #expect(try process.readLine() == "three")
    process.closeInput()
    #expect(throws: ProcessFailure.ended(error: "e\n")) { try process.readLine() }
    #expect(try process.wait() == .exited(0))
    #expect(try process.terminate() == .exited(0))
  }

  @Test func `one that does not heed a signal is killed`() throws {
    let process = try RunningProcess(
      executable: "/bin/sh", arguments: ["-c", "trap '' TERM; echo ready; while :; do sleep 0.05; done"])
    #expect(try process.readLine() == "ready")
    #expect(try process.terminate(timeout: .milliseconds(100)) == .signalled(Signals.SIGKILL))
  }

  @Test func `a temporary directory is private and goes away`() throws {
    var scratch: TemporaryDirectory? = try TemporaryDirectory()
    let path = try #require(scratch?.path)
    try scratch?.write("file", "x")
    _ = try scratch?.open("a/b")
    #expect(try ProcessRunner.shell("stat -c %a \(path)").outputText == "700\n")
    scratch = nil
    #expect(try !ProcessRunner.shell("test -e \(path)").succeeded)
  }
}
