internal import AgentSocket
internal import Encoding
internal import Platform
internal import Vocabulary
internal import Wire

/// `agent ssh`: a session of `ssh` in which `agent login` on the host can use this machine's browser.
///
/// One connection serves the session, the preparation before it and the clean-up after it. This process asks no daemon
/// and knows no secret.
struct SSHCommand {
  private let words: [[UInt8]]
  private let console: Console
  /// The control socket of the connection.
  private let control: String
  private static let name = "ssh"
  /// The seconds that the connection outlives this process if that is killed.
  private static let persistence = 60
  /// Enough for a host that is slow to start a shell.
  private static let patience = Duration.seconds(30)

  static let ssh = Command(
    .ssh,
    summary: "Sign in on another host with this machine's browser",
    operands: .sshArguments,
    examples: [
      Example("Sign in on a host with the browser of this machine", "agent ssh host.example.com agent login work"),
      Example("Open a shell there", "agent ssh -p 2222 jo@host.example.com"),
    ],
    refusing: [Option.account.declaration, Option.timeout.declaration],
    run: run)

  static func run(_ invocation: Invocation) throws(Failure) -> Action {
    let (words, console) = (invocation.operands, Console(invocation))
    return Action { () throws(Failure) in
      guard let ssh = InstalledProgram(name) else {
        throw Failure(.invalidRequest, "ssh is not installed")
      }
      let host = try host(ssh, words)
      var socket = try LeaseSocket(at: nil, servesOthers: false)
      let folder = String(socket.path[..<(socket.path.lastIndex(of: "/") ?? socket.path.endIndex)])
      let command = SSHCommand(
        words: ExecutedCommand.arguments(words), console: console, control: "\(folder)/\(name)")
      let path = socket.path
      let listener = socket.takeListener()
      do throws(Failure) {
        let status = try command.connect(ssh, host, path, listener)
        socket.remove()
        if case .signalled(let signal) = status { Signals.raise(signal) }
        return status.shellStatus
      } catch {
        socket.remove()
        throw error
      }
    }
  }

  /// The user and the host that `ssh` would connect to.
  private static func host(_ ssh: InstalledProgram, _ words: [String]) throws(Failure) -> String {
    let result: InstalledProgram.Result
    do { result = try ssh.run(["-G"] + words, isHeard: true, directory: nil) } catch {
      throw Failure(error, doing: "cannot run ssh")
    }
    guard result.succeeded else { throw Failure(.invalidRequest, "ssh does not accept these arguments") }
    var (user, host, port) = ("", "", "")
    for line in result.output.split(separator: UInt8(ascii: "\n")) {
      let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1).map { String(decoding: $0, as: UTF8.self) }
      guard parts.count == 2 else { continue }
      switch parts[0] {
      case "user": user = parts[1]
      case "hostname": host = parts[1]
      case "port": port = parts[1] == "22" ? "" : ":\(parts[1])"
      default: break
      }
    }
    return TerminalText.clean("\(user)@\(host)\(port)", limit: 300)
  }

  private func connect(
    _ ssh: InstalledProgram, _ host: String, _ path: String, _ listener: consuming FileDescriptor
  ) throws(Failure) -> ProcessStatus {
    do throws(SystemError) {
      // Ends in the background after the user was authenticated.
      let first = try start(["-M", "-S", control, "-f", "-N", "-o", "ControlPersist=\(Self.persistence)"])
      let status = try Spawn.wait(first)
      guard status == .exited(0) else { return status }
      let place = forward(ssh, to: path)
      if place == nil {
        console.note(Phrase("sign-ins on \(host) cannot use the browser of this machine: no socket can be forwarded"))
      }
      defer { close(ssh, place) }
      return try serve(ssh, host, listener)
    } catch {
      throw Failure(error, doing: "cannot run ssh")
    }
  }

  private func start(_ options: [String]) throws(SystemError) -> Int32 {
    try Spawn.startBeside(
      executable: Self.name, arguments: ([Self.name] + options).map { Array($0.utf8) } + words,
      environment: Environment.entries())
  }

  // MARK: The session

  private func serve(
    _ ssh: InstalledProgram, _ host: String, _ listener: consuming FileDescriptor
  ) throws(SystemError) -> ProcessStatus {
    let options = [Self.name, "-S", control, "-o", "ControlMaster=no"].map { Array($0.utf8) }
    let session = try SupervisedCommand(Self.name, options + words, Environment.entries())
    let server = RelayServer(listener, RelayQuestion(host) { connection(ssh) })
    var status: ProcessStatus?
    // The host's last message, with the result for the browser, may arrive after the session has ended.
    while status == nil || server.owesResult {
      let poller = try Poller()
      if status == nil { try poller.add(session.raw, interest: .read, key: 0) }
      try server.watch(poller)
      let events = try poller.wait(until: server.deadline)
      if status == nil { status = try session.handleSignals() }
      server.handle(Set(events.map(\.key)), now: .now)
    }
    return status ?? .exited(0)
  }

  /// The process of the connection, which has the session's terminal: that is passed to it.
  private func connection(_ ssh: InstalledProgram) -> Int32? {
    let words = throughConnection + ["-O", "check", Self.nobody]
    guard let result = try? ssh.run(words, joinsErrors: true, patience: Self.patience), result.succeeded else {
      return nil
    }
    // "Master running (pid=42)"
    let digits = result.output.drop { $0 != UInt8(ascii: "=") }.dropFirst().prefix(while: \.isASCIIDigit)
    return Int32(String(decoding: digits, as: UTF8.self))
  }

  // MARK: The forwarded socket

  /// Arguments of `ssh` that use the connection, and read no configuration.
  private var throughConnection: [String] {
    ["-F", "none", "-S", control, "-o", "BatchMode=yes", "-o", "ProxyCommand=false", "-T", "-n"]
  }

  /// Never connected to.
  private static let nobody = "agent.invalid"
  private static let mark = "agent-relay:"

  /// Prints the number of the connection and the folder for the socket, in the runtime directory of the user there.
  private static let preparation =
    "umask 077; d=${XDG_RUNTIME_DIR:-/run/user/$(id -u)}; test -O \"$d\" || exit; d=$d/agent/\(RelayMessage.folder);"
    + " mkdir -p \"$d\" && set -- $SSH_CONNECTION && echo \"\(mark)${2:-0}:$d\""

  /// Forwards a new socket of the host to this one.
  ///
  /// - Returns: Its path; nil if the host has no place for it, or does not permit it.
  private func forward(_ ssh: InstalledProgram, to path: String) -> String? {
    guard Self.isPlain(path),
      let prepared = run(ssh, [Self.nobody, "exec sh -c \(ShellWord.single(Self.preparation))"])
    else { return nil }
    let line = prepared.split(separator: UInt8(ascii: "\n")).last { $0.starts(with: Self.mark.utf8) }
    let parts = line.map {
      String(decoding: $0.dropFirst(Self.mark.utf8.count), as: UTF8.self).split(separator: ":", maxSplits: 1)
    }
    guard let parts, parts.count == 2, UInt16(parts[0]) != nil, parts[1].utf8.first == UInt8(ascii: "/"),
      Self.isPlain(String(parts[1]))
    else { return nil }
    let place = "\(parts[1])/\(RelayConnection.name(port: String(parts[0]), HexDigit.text(Randomness.bytes(16))))"
    guard run(ssh, ["-O", "forward", "-R", "\(place):\(path)", Self.nobody]) != nil else { return nil }
    return place
  }

  /// Without a character that `ssh` or a shell interprets.
  private static func isPlain(_ path: String) -> Bool {
    path.utf8.allSatisfy { $0.isASCIIAlphanumeric || "/._-+@,=".utf8.contains($0) }
  }

  /// - Returns: The output; nil after a failure.
  private func run(_ ssh: InstalledProgram, _ words: [String]) -> [UInt8]? {
    guard let result = try? ssh.run(throughConnection + words, patience: Self.patience), result.succeeded else {
      return nil
    }
    return result.output
  }

  /// Removes the socket of the host and ends the connection, if it has not ended.
  private func close(_ ssh: InstalledProgram, _ place: String?) {
    if let place { _ = try? ssh.run(throughConnection + [Self.nobody, "rm -f '\(place)'"], patience: Self.patience) }
    _ = try? ssh.run(throughConnection + ["-O", "exit", Self.nobody], patience: Self.patience)
  }
}
