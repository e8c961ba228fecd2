import Encoding
import Platform
import TestSupport
import Testing

/// A lease in its intended environment: a sandbox without the user's other files.
@Suite(.needsPrograms) struct `A lease elsewhere` {
  /// A lease for the resource, in an otherwise empty directory.
  private static func served(_ resource: Resource, _ options: String...) throws -> (RunningProcess, String) {
    let process = try resource.tree.start(["serve", "work", "--only", resource.server.url()] + options)
    return (process, try process.readLine())
  }

  private static func with(_ body: (Resource, RunningProcess, String) throws -> Void) throws {
    try Resource.answering({ _ in (200, [], "answer") }) { resource in
      let (process, path) = try served(resource)
      try body(resource, process, path)
      #expect(try process.terminate() == .exited(0))
    }
  }

  private static func folder(_ path: String) -> String {
    String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex))
  }

  @Test(
    .enabled(if: Recipes.hasBubblewrap, "bubblewrap is not installed; \"make deps-check\" installs it"),
    .disabled(if: Programs.areSanitized, "the sanitizer's library is not there"))
  func `is all that a program in bubblewrap reaches`() throws {
    try Self.with { resource, _, path in
      let agent = try Programs.path("agent")
      func inside(_ words: [String], _ socket: String?) throws -> ProcessResult {
        let variables = socket.map { ["--setenv", "AGENT_SOCKET", $0] } ?? []
        return try ProcessRunner.run(
          executable: "/usr/bin/bwrap",
          arguments: [
            "--ro-bind", agent, "/agent", "--bind", Self.folder(path), "/lease", "--unshare-pid", "--unshare-ipc",
            "--clearenv",
          ] + variables + ["/agent"] + words)
      }
      // Neither a shell nor /proc is available.
      let answer = try inside(["request", resource.server.url()], "/lease/agent.sock")
      #expect(answer.outputText == "answer", "\(answer.errorText)")
      for words in [["token"], ["list"], ["daemon", "stop"]] {
        #expect(try inside(words, "/lease/agent.sock").failed(6), "\(words)")
        #expect(try inside(words, nil).output.isEmpty, "\(words)")
      }
      let events = try resource.tree.agent("events", "--lease", "--json").lines
      #expect(events.contains { $0.contains("lease_used") && $0.contains(#""pid":"#) }, "\(events)")
    }
  }

  @Test(
    .enabled(if: Machine.userID == 0, "only root can change the root directory"),
    .disabled(if: Programs.areSanitized, "the sanitizer's library is not there"))
  func `works in an empty root directory with the one static program`() throws {
    try Resource.answering({ _ in (200, [], "answer") }) { resource in
      let root = resource.tree.path("root")
      #expect(try ProcessRunner.shell("umask 077; mkdir -p '\(root)/lease'").succeeded)
      let (process, _) = try Self.served(resource, "--socket", "\(root)/lease/agent.sock")
      #expect(try ProcessRunner.shell("cp '\(Programs.path("agent"))' '\(root)/agent'").succeeded)
      let answer = try ProcessRunner.run(
        executable: "/usr/sbin/chroot", arguments: [root, "/agent", "request", resource.server.url()],
        environment: ["AGENT_SOCKET=/lease/agent.sock"])
      #expect(answer.outputText == "answer", "\(answer.errorText)")
      #expect(try process.terminate() == .exited(0))
      #expect(try ProcessRunner.shell("ls -A '\(root)/lease'").outputText.isEmpty)
    }
  }

  @Test(
    .enabled(if: Machine.userID == 0, "only root can change the root directory"),
    .disabled(if: Programs.areSanitized, "the sanitizer's library is not there"))
  func `is not needed where the directory of the daemon's socket is mounted in an empty root directory`() throws {
    try Resource.answering({ _ in (200, [], "answer") }) { resource in
      let root = resource.tree.path("root")
      let token = try resource.tree.agent("token", "work").outputText
      #expect(!token.isEmpty)
      let answer = try ProcessRunner.run(
        executable: "/usr/bin/unshare",
        arguments: [
          "--mount", "/bin/sh", "-ec",
          #"mkdir -p "$1/run"; cp "$3" "$1/agent"; mount --bind "$2" "$1/run"; exec chroot "$1" /agent token work"#,
          "sh", root, Self.folder(resource.tree.socketPath), Programs.path("agent"),
        ], environment: ["AGENT_SOCKET=/run/agent.sock", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"])
      #expect(answer.outputText == token, "\(answer.errorText)")
    }
  }

  @Test(.enabled(if: Recipes.hasProcessNamespaces, "no process namespace can be made here"))
  func `and the daemon itself are known by their user from another process namespace`() throws {
    try Self.with { resource, _, path in
      let arguments =
        Recipes.processNamespace + [try Programs.path("agent"), "request", resource.server.url()]
      for changes in [[:], ["AGENT_SOCKET": Optional(path)]] {
        let result = try ProcessRunner.run(
          executable: "/usr/bin/unshare", arguments: arguments, environment: resource.tree.environment(changes))
        #expect(result.outputText == "answer", "\(result.errorText)")
      }
    }
  }

  /// A directory that other users can traverse, with a lease's socket.
  private static func withOpenFolder(_ user: String, _ body: (Resource, RunningProcess, String) throws -> Void) throws {
    let directory = try TemporaryDirectory()
    let folder = directory.path
    try #require(try ProcessRunner.shell("chmod 755 '\(folder)'").succeeded)
    try Resource.answering({ (200, [], "answer \($0.body)") }) { resource in
      let path = "\(folder)/agent.sock"
      let (process, _) = try served(resource, "--socket", path, "--user", user)
      try body(resource, process, path)
      #expect(try process.terminate() == .exited(0))
    }
  }

  @Test(.enabled(if: Machine.userID == 0, "only root can be two users"))
  func `is for the other users that it names, who name its own`() throws {
    try Self.withOpenFolder("65534") { resource, _, path in
      let url = resource.server.url()
      try OtherUser.with { user in
        let request = ["request", "--data", "text", url]
        let answer = try user.agent(request, variables: ["AGENT_SOCKET=\(path)", "AGENT_SOCKET_USER=0"])
        #expect(answer.outputText == "answer text", "\(answer.errorText)")
        for (variables, words) in [([], "AGENT_SOCKET_USER=UID"), (["AGENT_SOCKET_USER=1"], "another user's process")] {
          let refused = try user.agent(request, variables: ["AGENT_SOCKET=\(path)"] + variables)
          #expect(refused.failed(4) && refused.errorText.contains(words), "\(refused.errorText)")
        }
        let wrong = try user.agent(request, variables: ["AGENT_SOCKET=\(path)", "AGENT_SOCKET_USER=root"])
        #expect(wrong.failed(1) && wrong.errorText.contains("AGENT_SOCKET_USER"), "\(wrong.errorText)")
        let other = try user.agent(["token"], variables: ["AGENT_SOCKET=\(path)", "AGENT_SOCKET_USER=0"])
        #expect(other.failed(6), "\(other.errorText)")
      }
      try OtherUser.with(userID: 65_533) { user in
        let answer = try user.agent(["request", url], variables: ["AGENT_SOCKET=\(path)", "AGENT_SOCKET_USER=0"])
        #expect(answer.failed(4) && answer.output.isEmpty, "\(answer.errorText)")
      }
      let events = try resource.tree.agent("events", "--lease", "--json").lines
      #expect(events.contains { $0.contains("lease_used") && $0.contains(#""uid":65534"#) }, "\(events)")
      #expect(events.contains { $0.contains("lease_refused") && $0.contains(#""uid":65533"#) }, "\(events)")
    }
  }

  @Test(.enabled(if: Machine.userID == 0, "only root can be two users"))
  func `gets no variable of another user, whatever it asks for`() throws {
    let directory = try TemporaryDirectory()
    let listener = SharedDescriptor(try UnixSocket.listen(in: try directory.open(), name: "agent.sock", backlog: 1))
    let open = "chmod 755 '\(directory.path)' && chmod 666 '\(directory.path("agent.sock"))'"
    try #require(try ProcessRunner.shell(open).succeeded)
    let lack = #"{"v":1,"error":{"code":"assertion_needed","message":"not set","variables":["JWT"]}}"# + "\n"
    let received = try Pipe()
    let report = SharedDescriptor(try received.writing.duplicate())
    try received.writing.close()
    try Threads.start(name: "test-server") {
      guard (try? listener.descriptor.waitUntilReadable(timeout: .testLimit)) == true,
        let peer = try? UnixSocket.accept(listener.descriptor), (try? peer.setNonBlocking(false)) != nil
      else { return }
      var bytes: [UInt8] = []
      while bytes.last != 0x0A, let count = try? peer.read(into: &bytes, upTo: 4096), count > 0 {}
      _ = try? peer.writeAll(Array(lack.utf8).span)
      while let count = try? peer.read(into: &bytes, upTo: 4096), count > 0 {}
      _ = try? report.descriptor.writeAll(bytes.span)
      _ = try? report.descriptor.writeAll(Array("end\n".utf8).span)
    }
    try OtherUser.with { user in
      let variables = ["AGENT_SOCKET=\(directory.path("agent.sock"))", "AGENT_SOCKET_USER=0", "JWT=aaaa.bbbb.cccc"]
      let answer = try user.agent(["token", "work"], variables: variables)
      #expect(answer.failed(3) && answer.errorText.contains("not set"), "\(answer.status) \(answer.errorText)")
    }
    var bytes: [UInt8] = []
    while !bytes.suffix(4).elementsEqual("end\n".utf8), try received.reading.read(into: &bytes, upTo: 4096) > 0 {}
    let lines = bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    #expect(lines.count == 2 && lines[0].contains(#""request":"token""#), "\(lines)")
  }

  @Test(.enabled(if: Recipes.hasUserNamespaces, "no user namespace can be made here as another user"))
  func `is used from a container with users of its own`() throws {
    try Self.withOpenFolder("165534") { resource, _, path in
      try OtherUser.with(userID: 165_534) { user in
        let answer = try user.agent(
          ["request", resource.server.url()], variables: ["AGENT_SOCKET=\(path)", "AGENT_SOCKET_USER=65534"],
          in: ["/usr/bin/unshare", "--user", "--map-root-user"])
        #expect(answer.outputText == "answer ", "\(answer.errorText)")
      }
    }
  }

  @Test(.enabled(if: Recipes.hasSSH, "openssh-server is not installed; \"make deps-check\" installs it"))
  func `is used at the other end of ssh`() throws {
    try Self.with { resource, _, path in
      let folder = resource.tree.path("ssh")
      let script = """
        set -e; umask 077; mkdir -p '\(folder)'; cd '\(folder)'
        ssh-keygen -q -t ed25519 -N '' -f host; ssh-keygen -q -t ed25519 -N '' -f key; cp key.pub authorized
        printf '%s\\n' "HostKey $PWD/host" "AuthorizedKeysFile $PWD/authorized" 'StrictModes no' 'UsePAM no' \
          'PidFile none' > conf
        server='exec /usr/sbin/sshd -i -f $PWD/conf 2> log'
        [ "$(id -u)" -ne 0 ] || server="mount -t tmpfs tmpfs /run && mkdir /run/sshd && $server"
        printf '#!/bin/sh\\ncd "%s" && exec \(Recipes.ownMounts) sh -c "%s"\\n' "$PWD" "$server" > serve
        chmod +x serve
        exec ssh -F none -o ProxyCommand="$PWD/serve" -i key -o IdentitiesOnly=yes -o UserKnownHostsFile="$PWD/known" \
          -o StrictHostKeyChecking=no -o BatchMode=yes -o LogLevel=ERROR -o ExitOnForwardFailure=yes \
          -R "$PWD/far.sock:\(path)" "$(id -un)@there" \
          "chmod 700 '$PWD' && AGENT_SOCKET='$PWD/far.sock' '\(try Programs.path("agent"))' request --data text \
          '\(resource.server.url())'"
        """
      let result = try resource.tree.shell("sh", script)
      #expect(
        result.outputText == "answer", "\(result.errorText) \((try? resource.tree.directory.readText("ssh/log")) ?? "")"
      )
      #expect(resource.server.requests.map(\.body) == ["text"])
    }
  }
}

enum Recipes {
  static let hasBubblewrap = succeeds("bwrap --ro-bind / / --unshare-pid --unshare-ipc true")
  static let processNamespace =
    Machine.userID == 0 ? ["--pid", "--fork"] : ["--user", "--map-current-user", "--pid", "--fork"]
  static let hasProcessNamespaces = succeeds("unshare \(processNamespace.joined(separator: " ")) true")
  static let hasUserNamespaces =
    Machine.userID == 0
    && succeeds("setpriv --reuid=165534 --regid=165534 --clear-groups unshare --user --map-root-user true")
  /// Gives root's server its own directory below /run.
  static let ownMounts = Machine.userID == 0 ? "unshare -m" : ""
  static let hasSSH = succeeds(
    "test -x /usr/sbin/sshd && command -v ssh ssh-keygen \(ownMounts.isEmpty ? "" : "&& unshare -m true")")

  private static func succeeds(_ line: String) -> Bool { (try? ProcessRunner.shell(line))?.succeeded ?? false }
}
