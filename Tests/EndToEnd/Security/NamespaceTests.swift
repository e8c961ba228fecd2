import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `Namespaces and names of the machine` {
  /// The command that creates new namespaces; nil if impossible.
  private static let unshare: [String]? = [["unshare"], ["unshare", "-r"]].first { words in
    (try? ProcessRunner.shell("\(words.joined(separator: " ")) -n -m -u true").succeeded) ?? false
  }

  private static func run(_ tree: AgentTree, _ option: String, _ line: String) throws -> ProcessResult {
    try tree.shell("sh", "\((unshare ?? []).joined(separator: " ")) \(option) sh -c '\(line)'")
  }

  /// A caller that itself has a private mount namespace is not outside.
  private static let options = Namespaces.arePrivate ? ["-n"] : ["-n", "-m"]

  @Test(.enabled(if: unshare != nil, "no namespaces may be made here"), arguments: options)
  func `a daemon that was started inside says so, and callers outside do not use it`(option: String) throws {
    try AgentTree.with { tree in
      let inside = try Self.run(
        tree, option, "agent daemon start --quiet; agent daemon status --json; agent daemon status; agent doctor")
      let status = try JSON(parsing: Array((inside.lines.first ?? "").utf8))
      #expect(status["own_namespaces"] == true, "\(inside.outputText) \(inside.errorText)")
      let told = inside.outputText.split(separator: "\n").filter {
        $0.contains("in its own network or mount namespace")
      }
      #expect(told.count == 2, "\(inside.outputText)")
      let first = try #require(status["pid"]?.int)
      defer { _ = try? ProcessRunner.shell("kill \(first)") }
      // Outside there is no daemon, and a new one has another socket, or ends with its command.
      #expect(try !tree.agent("daemon", "status").succeeded)
      let doctor = try tree.agent("doctor", "--json")
      #expect(doctor.outputText.contains("is in another network or mount namespace"), "\(doctor.outputText)")
      #expect(try tree.agent("list").succeeded)
      let outside = try tree.agent("daemon", "start", "--json")
      if outside.succeeded { #expect(try JSON(parsing: outside.output)["pid"]?.int != first) }
      #expect(try OtherProcess(Int32(clamping: first)).ends(within: .milliseconds(1)) == false)
    }
  }

  @Test(.enabled(if: unshare != nil, "no namespaces may be made here"))
  func `a caller inside uses the daemon outside, as a sandbox does`() throws {
    try AgentTree.with { tree in
      let outside = try tree.json("daemon", "start")
      let inside = try Self.run(tree, "-n", "agent daemon status --json")
      #expect(try JSON(parsing: inside.output)["pid"] == outside["pid"])
      // The next daemon there removes the marker file of an earlier one.
      try tree.stopDaemon()
      _ = try Self.run(tree, "-n", "agent daemon start --quiet; agent daemon stop")
      #expect(try tree.json("daemon", "start")["own_namespaces"] == outside["own_namespaces"])
    }
  }

  /// A new control group with the name of a service, if one can be created. On most machines, root can.
  private static let group: String? = ["/sys/fs/cgroup/unified", "/sys/fs/cgroup"].first { root in
    let trial = "\(root)/agent-trial-\(Machine.processID).service"
    let script = "test -f '\(root)/cgroup.procs' && mkdir '\(trial)' && rmdir '\(trial)'"
    return (try? ProcessRunner.shell(script).succeeded) ?? false
  }

  @Test(.enabled(if: group != nil, "no control groups may be made here"))
  func `a daemon that was started by a service says that it ends with it`() throws {
    let name = "agent-test-\(Machine.processID).service"
    let group = "\(Self.group ?? "")/\(name)"
    try ProcessRunner.shell("mkdir '\(group)'")
    let end = "echo 1 >'\(group)/cgroup.kill'; until rmdir '\(group)'; do sleep 0.05; done"
    defer { _ = try? ProcessRunner.shell(end) }
    try AgentTree.with { tree in
      let started = try tree.shell("sh", "echo $$ >'\(group)/cgroup.procs'; agent daemon start --json")
      #expect(try JSON(parsing: started.output)["service"]?.string == name, "\(started.outputText)")
      for command in [["daemon", "status"], ["doctor"]] {
        #expect(try tree.agent(command).outputText.contains("started by \(name), so it ends"))
      }
      #expect(try tree.agent("daemon", "restart").succeeded)
      #expect(try tree.json("daemon", "status")["service"] == nil)
    }
  }

  @Test(.enabled(if: unshare != nil, "no namespaces may be made here"))
  func `a host name that changes leaves no second daemon`() throws {
    try AgentTree.with { tree in
      let hidden = "unset XDG_RUNTIME_DIR; agent daemon start --json"
      let first = try tree.shell("sh", hidden)
      let second = try Self.run(tree, "-u", "hostname other-name; \(hidden)")
      let pids = try [first, second].map { try JSON(parsing: $0.output)["pid"]?.int }
      #expect(pids[0] != nil && pids[0] == pids[1], "\(first.errorText) \(second.errorText)")
      _ = try tree.shell("sh", "unset XDG_RUNTIME_DIR; agent daemon stop")
    }
  }
}
