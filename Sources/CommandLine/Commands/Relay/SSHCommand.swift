internal import Encoding
internal import Platform
internal import Wire

/// `agent ssh`: an `ssh` session whose host can use this machine's browser for sign-ins and, with `--lend`, one of its
/// accounts.
struct SSHCommand {
  private let arguments: [[UInt8]]
  private let console: Console
  private let controlPath: String
  private let lease: SSHLease?
  private static let name = "ssh"
  /// How long the connection outlives this process if it is killed.
  private static let persistenceSeconds = 60
  /// The timeout for a command over the connection.
  private static let timeout = Duration.seconds(30)

  static let ssh = Command(
    .ssh,
    summary: "Sign in on another host with this machine's browser",
    options: [Option.lentAccount.declaration] + SSHLease.options,
    shortHelp: ["lend", "only", "method", "for", "times"],
    operands: .sshArguments,
    examples: [
      Example("Sign in on a host with the browser of this machine", "agent ssh host.example.com agent login work"),
      Example("Open a shell there", "agent ssh -p 2222 jo@host.example.com"),
      Example(
        "Let programs there use one API, without a token",
        "agent ssh --lend work --only api.example.com host.example.com"),
    ],
    refusing: [Option.account.declaration, Option.timeout.declaration],
    makeAction: makeAction)

  static func makeAction(_ invocation: Invocation) throws(Failure) -> Action {
    let (words, console) = (invocation.operands, Console(invocation))
    guard let configuration = try SSHLease.configuration(invocation) else {
      return Action { () throws(Failure) in try run(words, console, lending: nil).propagate() }
    }
    return try SignInOffer.action(invocation, configuration.lease.client) { () throws(Failure) in
      try run(words, console, lending: configuration).propagate()
    }
  }

  private static func run(
    _ words: [String], _ console: Console, lending configuration: (lease: LeaseConfiguration, http: LentHTTP)?
  ) throws(Failure) -> ProcessStatus {
    let lease = try configuration.map { (configuration) throws(Failure) in
      try SSHLease(configuration.lease, configuration.http)
    }
    guard let ssh = InstalledProgram(name) else {
      throw Failure(.invalidRequest, "ssh is not installed")
    }
    let target = try SSHTarget(ssh, words)
    if configuration?.http.usesHTTP == true, !target.startsProgram {
      throw Failure(.invalidRequest, "\"--token-as\" sets variables only of a shell or command that ssh starts")
    }
    var socket = try LeaseSocket(at: nil, servesOthers: false)
    let command = SSHCommand(
      arguments: ExecutedCommand.arguments(words), console: console, controlPath: socket.addSocket(named: name),
      lease: lease)
    return try command.connect(ssh, target, socket.path, socket.takeListener())
  }

  /// Connects, runs the session and cleans up. `listener`, at `path`, receives the host's sign-ins.
  private func connect(
    _ ssh: InstalledProgram, _ target: SSHTarget, _ path: String, _ listener: consuming FileDescriptor
  ) throws(Failure) -> ProcessStatus {
    var remotePaths: [String] = []
    do throws(SystemError) {
      // Moves to the background once the user is authenticated.
      let first = try start(["-M", "-S", controlPath, "-f", "-N", "-o", "ControlPersist=\(Self.persistenceSeconds)"])
      let status = try Spawn.wait(first)
      guard status == .exited(0) else { return status }
    } catch {
      throw Failure(error, doing: "cannot run ssh")
    }
    defer { close(ssh, remotePaths) }
    let prepared = prepare(ssh)
    if let relay = prepared.map({
      "\($0.folder)/\(RelayMessage.directoryName)/\(RelayConnection.name(port: $0.port, Self.randomDigits))"
    }
    ),
      forward(ssh, relay, path) != nil
    {
      remotePaths.append(relay)
    } else {
      let host = target.host
      console.note(Phrase("sign-ins on \(host) cannot use the browser of this machine: no socket can be forwarded"))
    }
    let words = try lease.map { (lease) throws(Failure) in
      try provideLease(lease, ssh, target, prepared?.folder) { remotePaths.append($0) }
    }
    do throws(SystemError) { return try serve(ssh, target.host, words ?? self.arguments, listener) } catch {
      throw Failure(error, doing: "cannot run ssh")
    }
  }

  // MARK: The lease

  /// Makes the lease available on the host, and returns `ssh` arguments for a session with it. `folder` is the host's
  /// runtime directory. `note` receives the lease's directory.
  private func provideLease(
    _ lease: SSHLease, _ ssh: InstalledProgram, _ target: SSHTarget, _ folder: String?, noting note: (String) -> Void
  ) throws(Failure) -> [[UInt8]] {
    let directory = "\(folder ?? "")/\(WireProtocol.leaseFolder)/\(Self.randomDigits)"
    let script = "\(directory)/run"
    guard folder != nil, run(ssh, remoteScript("umask 077; mkdir -p \(directory) && : > \(script)")) != nil else {
      throw Failure(.invalidConfiguration, "\(target.host) has no private runtime directory for the lease's socket")
    }
    note(directory)
    let variables = try lease.provide(in: directory, on: target.host) { forward(ssh, $0, $1) }
    guard target.startsProgram else { return self.arguments }
    let arguments = SSHArguments(self.arguments)
    // Write the start script to a file, because others can read command lines.
    var lines = Array("rm -f \(script)\n".utf8)
    for variable in variables {
      let name = variable.prefix { $0 != UInt8(ascii: "=") }
      lines += "export ".utf8 + name + "=".utf8 + Self.quoted(variable.dropFirst(name.count + 1)) + "\n".utf8
    }
    let command = Array(arguments.command.joined(separator: " ".utf8))
    lines += "exec \"${SHELL:-/bin/sh}\" ".utf8
    lines += command.isEmpty ? Array("-l".utf8) : "-c ".utf8 + Self.quoted(command[...])
    guard run(ssh, remoteScript("cat > \(script)"), input: lines + "\n".utf8) != nil else {
      throw Failure(.invalidConfiguration, "cannot write to \(directory) on \(target.host)")
    }
    let terminal = command.isEmpty && target.asksForTerminal && Terminal.isTerminal(0) ? [Array("-t".utf8)] : []
    return terminal + arguments.connection + [Array("exec sh \(script)".utf8)]
  }

  /// Quotes a word, which need not be UTF-8, for `sh`.
  private static func quoted(_ word: ArraySlice<UInt8>) -> [UInt8] {
    "'".utf8 + word.flatMap { $0 == UInt8(ascii: "'") ? Array(#"'\''"#.utf8) : [$0] } + "'".utf8
  }

  /// Starts `ssh` with more options; returns its process ID.
  private func start(_ options: [String]) throws(SystemError) -> Int32 {
    try Spawn.startInProcessGroup(
      executable: Self.name, arguments: ([Self.name] + options).map { Array($0.utf8) } + self.arguments,
      environment: Environment.entries())
  }

  // MARK: The session

  private func serve(
    _ ssh: InstalledProgram, _ host: String, _ words: [[UInt8]], _ listener: consuming FileDescriptor
  ) throws(SystemError) -> ProcessStatus {
    let options = [Self.name, "-S", controlPath, "-o", "ControlMaster=no"].map { Array($0.utf8) }
    let session = try SupervisedCommand(Self.name, options + words, Environment.entries())
    let ending = [ssh.path] + connectionArguments + ["-O", "exit", Self.placeholderHost]
    let keeper = try connection(ssh).map { (master) throws(SystemError) in
      try SSHGuard(session.process, master, ending: ending)
    }
    let status = try wait(for: session, RelayServer(listener, RelayQuestion(host) { connection(ssh) }))
    keeper?.finish()
    return status
  }

  private static let sessionKey: UInt64 = 0, leaseKey: UInt64 = 3

  private func wait(
    for session: borrowing SupervisedCommand, _ server: RelayServer
  ) throws(SystemError) -> ProcessStatus {
    var status: ProcessStatus?
    // The browser's result may arrive after the session has ended.
    while status == nil || server.isBrowserWaiting {
      let poller = try Poller()
      if status == nil { try poller.add(session.raw, interest: .read, key: Self.sessionKey) }
      try server.watch(poller)
      try lease?.watch(poller, key: Self.leaseKey)
      let events = try poller.wait(until: [server.deadline, lease?.nextAttempt].compactMap { $0 }.min())
      if status == nil { status = try session.handleSignals() }
      try lease?.handle()
      server.handle(Set(events.map(\.key)), now: .now)
    }
    return status ?? .exited(0)
  }

  /// The process ID of the connection's `ssh`, if running.
  private func connection(_ ssh: InstalledProgram) -> Int32? {
    let words = connectionArguments + ["-O", "check", Self.placeholderHost]
    guard let result = try? ssh.run(words, joinsErrors: true, timeout: Self.timeout), result.succeeded else {
      return nil
    }
    // "Master running (pid=42)"
    let digits = result.output.drop { $0 != UInt8(ascii: "=") }.dropFirst().prefix(while: \.isASCIIDigit)
    return Int32(String(decoding: digits, as: UTF8.self))
  }

  // MARK: The host

  /// `ssh` arguments that use the connection and read no configuration.
  private var connectionArguments: [String] {
    ["-F", "none", "-S", controlPath, "-o", "BatchMode=yes", "-o", "ProxyCommand=false", "-T"]
  }

  /// `ssh` requires a host name, but does not connect to it.
  private static let placeholderHost = "agent.invalid"
  private static let outputPrefix = "agent-relay:"

  /// Prints the client port and this program's runtime directory on the host.
  private static let preparationScript =
    "umask 077; d=${XDG_RUNTIME_DIR:-/run/user/$(id -u)}; test -O \"$d\" || exit; d=$d/agent;"
    + " mkdir -p \"$d/\(RelayMessage.directoryName)\" && set -- $SSH_CONNECTION && echo \"\(outputPrefix)${2:-0}:$d\""

  private static var randomDigits: String { HexDigit.text(Randomness.bytes(16)) }

  /// The connection's client port and the host's directory for sockets, if any.
  private func prepare(_ ssh: InstalledProgram) -> (port: String, folder: String)? {
    guard let output = run(ssh, remoteScript(Self.preparationScript)) else { return nil }
    let line = output.split(separator: UInt8(ascii: "\n")).last { $0.starts(with: Self.outputPrefix.utf8) }
    let parts = line.map {
      String(decoding: $0.dropFirst(Self.outputPrefix.utf8.count), as: UTF8.self).split(separator: ":", maxSplits: 1)
    }
    guard let parts, parts.count == 2, UInt16(parts[0]) != nil, parts[1].utf8.first == UInt8(ascii: "/"),
      Self.isPlain(String(parts[1]))
    else { return nil }
    return (String(parts[0]), String(parts[1]))
  }

  private func remoteScript(_ script: String) -> [String] {
    [Self.placeholderHost, "exec sh -c \(ShellWord.single(script))"]
  }

  /// Forwards a new socket or port on the host to a local socket. Returns the output; nil if the host refuses.
  private func forward(_ ssh: InstalledProgram, _ remote: String, _ local: String) -> [UInt8]? {
    guard Self.isPlain(local) else { return nil }
    return run(ssh, ["-O", "forward", "-R", "\(remote):\(local)", Self.placeholderHost])
  }

  /// Whether `ssh` and shells interpret no character of the path.
  private static func isPlain(_ path: String) -> Bool {
    path.utf8.allSatisfy { $0.isASCIIAlphanumeric || "/._-+@,=".utf8.contains($0) }
  }

  /// The output of `ssh` over the connection; nil after a failure.
  private func run(_ ssh: InstalledProgram, _ words: [String], input: [UInt8] = []) -> [UInt8]? {
    guard let result = try? ssh.run(connectionArguments + words, input: input, timeout: Self.timeout),
      result.succeeded
    else { return nil }
    return result.output
  }

  private func close(_ ssh: InstalledProgram, _ remotePaths: [String]) {
    if !remotePaths.isEmpty { _ = run(ssh, remoteScript("rm -rf \(remotePaths.joined(separator: " "))")) }
    _ = run(ssh, ["-O", "exit", Self.placeholderHost])
  }
}
