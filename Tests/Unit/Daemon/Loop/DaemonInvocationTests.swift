import Platform
import TestSupport
import Testing

@testable import Daemon

@Suite struct `The daemon's command line` {
  private static let wrong: [[String]] = [
    [], ["--help"], ["agent.sock"], ["--directory"], ["--connection-fd"], ["--connection-fd", "x"],
    ["--connection-fd", "-1"], ["--connection-fd", "99999999999999999999"], ["--socket-name", "x"],
    ["--ready-fd", "3"],
    ["--directory", "/x", "--ready-fd", "3.5"], ["--foreground", "--ready-fd", ""],
  ]

  @Test(arguments: wrong) func `a wrong one is refused`(arguments: [String]) {
    #expect(throws: DaemonInvocation.Problem.self) {
      _ = try DaemonInvocation(["agentd"] + arguments, environment: [])
    }
  }

  @Test func `the forms that are known`() throws {
    for arguments in [
      ["--foreground"], ["--connection-fd", "3"], ["--directory", "/x"],
      ["--directory", "/x", "--socket-name", "y", "--ready-fd", "3"],
    ] {
      _ = try DaemonInvocation(["agentd"] + arguments, environment: [])
    }
  }

  @Test func `a service manager's socket is for the process it names`() throws {
    // sd_listen_fds(3): LISTEN_PID must be the process itself.
    let own = String(Machine.processID)
    _ = try DaemonInvocation(["agentd"], environment: [("LISTEN_FDS", "1"), ("LISTEN_PID", own)])
    for environment in [
      [("LISTEN_FDS", "1")], [("LISTEN_FDS", "1"), ("LISTEN_PID", "1")], [("LISTEN_FDS", "2"), ("LISTEN_PID", own)],
      [("LISTEN_PID", own)],
    ] {
      #expect(throws: DaemonInvocation.Problem.self) { _ = try DaemonInvocation(["agentd"], environment: environment) }
    }
  }

  @Test func `a named directory is made and served`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("a/b")
    let invocation = try DaemonInvocation(
      ["agentd", "--directory", path, "--socket-name", "own.sock"], environment: [])
    var ready: FileDescriptor?
    guard case .listening(let socket) = try invocation.open(ready: &ready) else {
      Issue.record("it does not listen")
      return
    }
    #expect(socket.path == path + "/own.sock")
    let isAwaited = ready != nil
    #expect(!isAwaited)
    socket.close()
  }
}
