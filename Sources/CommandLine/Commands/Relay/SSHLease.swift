internal import Encoding
internal import Platform
internal import Wire

/// The lease of `agent ssh --lend`, forwarded to the host.
final class SSHLease {
  /// The options that require `--lend`.
  static var options: [OptionDeclaration] {
    // All processes of the host appear as this user.
    Options.lease.filter { $0.name != Option.users.declaration.name } + [
      Option.urlVariables.declaration, Option.tokenVariable.declaration, Option.ask.declaration,
    ]
  }

  /// Reads the lease and its variables; nil without `--lend`.
  static func configuration(_ invocation: Invocation) throws(Failure) -> (lease: LeaseConfiguration, http: LentHTTP)? {
    guard let account = invocation[.lentAccount] else {
      for option in options where invocation.has(option) {
        throw Failure(.invalidRequest, "\"--\(option.name)\" requires \"--lend\"")
      }
      return nil
    }
    return (try LeaseConfiguration(invocation, LeaseRequest(invocation, lending: account)), try LentHTTP(invocation))
  }

  private let request: LeaseRequest
  private let http: LentHTTP
  private let console: Console
  private var keeper: LeaseKeeper
  private var socket: LeaseSocket
  private let poller: Poller

  init(_ configuration: LeaseConfiguration, _ http: LentHTTP) throws(Failure) {
    (request, self.http, console) = (configuration.request, http, configuration.client.console)
    try configuration.requireSession()
    socket = try LeaseSocket(at: nil, servesOthers: false)
    keeper = try LeaseKeeper(configuration, socket.takeListener())
    do throws(SystemError) { poller = try Poller() } catch {
      throw Failure(error, doing: "cannot keep the lease open")
    }
  }

  /// Makes the lease available in a directory of the host. Returns the variables for programs there, as `NAME=VALUE`.
  /// `forward` passes `remote` to `ssh -R` and returns its output.
  func provide(
    in directory: String, on host: String, forwarding forward: (_ remote: String, _ local: String) -> [UInt8]?
  ) throws(Failure) -> [[UInt8]] {
    let refusal = Failure(
      .invalidConfiguration, "\(host) does not let ssh forward the lease's sockets to it",
      hint: "man sshd_config describes AllowStreamLocalForwarding and AllowTcpForwarding")
    let remote = "\(directory)/\(WireProtocol.socketName)"
    let local = socket.path
    guard forward(remote, local) != nil else { throw refusal }
    let opened = try http.open { (index) throws(Failure) in
      // This number is only a local port for `agent lease-port`.
      let number = UInt16(index + 1)
      let listener = try socket.addHTTPSocket(for: number)
      let folder = local.prefix(upTo: local.lastIndex(of: "/") ?? local.endIndex)
      let path = "\(folder)/\(WireProtocol.leaseHTTPName(port: number))"
      // The output is the port that `sshd` chose.
      guard let output = forward("127.0.0.1:0", path),
        let port = UInt16(String(decoding: output.prefix(while: \.isASCIIDigit), as: UTF8.self)), port > 0
      else { throw refusal }
      return (SharedDescriptor(listener), port)
    }
    for served in opened.origins { try keeper.serve(served.request, at: served.listener) }
    do throws(SystemError) { try keeper.watch(poller) } catch {
      throw Failure(error, doing: "cannot keep the lease open")
    }
    LeaseCommand.describeOrigins(request, of: keeper.account, console)
    console.note(Phrase("to use it on \(host): AGENT_SOCKET=\(remote) agent request URL"))
    return [Array("AGENT_SOCKET=\(remote)".utf8)] + opened.variables
  }

  func watch(_ poller: borrowing Poller, key: UInt64) throws(SystemError) {
    try poller.add(self.poller.raw, interest: .read, key: key)
  }

  /// When to call ``handle()`` at the latest; nil if the lease has ended.
  var nextAttempt: Instant? { keeper.endReason == nil ? keeper.nextAttempt : nil }

  /// Handles the lease's events. If it ends, prints why; the ssh session continues.
  func handle() throws(SystemError) {
    try keeper.keepOpen(poller, poller.wait(until: .now))
  }
}
