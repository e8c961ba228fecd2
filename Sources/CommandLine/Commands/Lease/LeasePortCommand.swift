internal import Platform
internal import Wire

/// `agent lease-port`: recreates a lease's ports in its own network namespace, and copies their traffic to its sockets.
enum LeasePortCommand {
  static let leasePort = Command(
    .leasePort,
    summary: "Use a lease over HTTP from another network namespace",
    operands: .file,
    trailingMetavar: "COMMAND [ARGUMENT]...",
    examples: [
      Example(
        "Run a program that only supports HTTP in a sandbox without a network", "agent lease-port -- ./assistant")
    ],
    makeAction: makeAction)

  private static let maximumConnections = 64
  private static let readBytes = 64 << 10

  static func makeAction(_ invocation: Invocation) throws(Failure) -> Action {
    let command = invocation.trailingArguments ?? []
    let (named, console) = (invocation.operands.first, Console(invocation))
    return Action { () throws(Failure) in
      let paths = try sockets(named)
      let listeners = try paths.map { (path) throws(Failure) in try listen(for: path) }
      return try ExecutedCommand.run(command, Environment.entries(), console) { (child) throws(SystemError) in
        try serve(listeners, paths, until: child)
      }.propagate()
    }
  }

  /// The given socket, or all HTTP sockets next to `AGENT_SOCKET`.
  private static func sockets(_ named: String?) throws(Failure) -> [String] {
    if let named { return [named] }
    let lease = Environment.value("AGENT_SOCKET") ?? ""
    let folder = lease.lastIndex(of: "/").map { String(lease[..<$0]) } ?? ""
    let directory: PrivateDirectory
    do throws(DirectoryError) {
      directory = try PrivateDirectory(opening: folder, create: false, withoutOthersRights: 0o022)
    } catch {
      throw Failure(
        .invalidRequest, "no socket given, and AGENT_SOCKET is not the socket of a lease",
        hint: "agent help exec")
    }
    let names = ((try? directory.fileNames()) ?? []).filter { WireProtocol.leaseHTTPPort(in: $0) != nil }
    guard !names.isEmpty else {
      throw Failure(
        .invalidRequest, "the lease does not serve HTTP", hint: "agent help exec")
    }
    return names.sorted().map { "\(folder)/\($0)" }
  }

  /// Listens on the port in the socket's name.
  private static func listen(for path: String) throws(Failure) -> SharedDescriptor {
    let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
    guard let port = WireProtocol.leaseHTTPPort(in: name) else {
      throw Failure(.invalidRequest, "\(TokenShape.redacted(path)) is not the socket of a lease that serves HTTP")
    }
    do { return SharedDescriptor(try UnixSocket.listenLoopback(port: port)) } catch {
      throw Failure(error, doing: "cannot open port \(port) on this machine")
    }
  }

  private static func serve(
    _ listeners: [SharedDescriptor], _ paths: [String], until child: borrowing SupervisedCommand
  ) throws(SystemError) -> ProcessStatus {
    let poller = try Poller()
    try poller.add(child.raw, interest: .read, key: 0)
    for (index, listener) in listeners.enumerated() {
      try poller.add(listener.descriptor.raw, interest: .read, key: UInt64(index + 1))
    }
    let open = Monitor(0)
    while true {
      let events = try poller.wait(until: nil)
      if let status = try child.handleSignals() { return status }
      for event in events where event.key > 0 {
        let index = Int(event.key) - 1
        guard let connection = try? UnixSocket.accept(listeners[index].descriptor) else { continue }
        guard open.withLock({ $0 }) < 2 * maximumConnections else { continue }
        startCopying(SharedDescriptor(connection), paths[index], open)
      }
    }
  }

  /// Copies between a connection and the lease's socket in two threads, counted by `open`.
  private static func startCopying(_ connection: SharedDescriptor, _ path: String, _ open: Monitor<Int>) {
    guard let socket = try? UnixSocket.connect(path: path), (try? connection.descriptor.setNonBlocking(false)) != nil
    else {
      return
    }
    let server = SharedDescriptor(socket)
    for (source, sink) in [(connection, server), (server, connection)] {
      open.withLock { $0 += 1 }
      do throws(SystemError) {
        try Threads.start(name: "lease-port") {
          copy(source, sink)
          open.withLock { $0 -= 1 }
        }
      } catch {
        open.withLock { $0 -= 1 }
        try? UnixSocket.shutDown(connection.descriptor)
        try? UnixSocket.shutDown(server.descriptor)
      }
    }
  }

  private static func copy(_ source: SharedDescriptor, _ sink: SharedDescriptor) {
    var bytes: [UInt8] = []
    do throws(SystemError) {
      while try source.descriptor.read(into: &bytes, upTo: readBytes) > 0 {
        try UnixSocket.sendAll(bytes.span, over: sink.descriptor)
        bytes.removeAll(keepingCapacity: true)
      }
      try UnixSocket.shutDownWriting(sink.descriptor)
    } catch {
      try? UnixSocket.shutDown(source.descriptor)
      try? UnixSocket.shutDown(sink.descriptor)
    }
  }
}
