internal import AgentSocket
internal import Encoding
internal import Platform
internal import Wire

/// The connection of `agent login` to `agent ssh` on the user's own machine, through a socket that `ssh` has forwarded.
final class RelayConnection {
  private let socket: FileDescriptor
  private var lines = RelayLines()
  /// The loopback port of that machine for the redirect.
  private(set) var port: UInt16

  private static let connectSeconds = 2
  /// The wait for a port; the machine may be asking its user something.
  private static let patience = Duration.seconds(5)

  private static let prefix = "ssh-"

  /// The name of a socket: the number of the SSH connection, and random characters.
  static func name(port: String, _ random: String) -> String { "\(prefix)\(port)-\(random)" }

  /// The machine that takes part in a sign-in: that of this SSH connection, or else the last that connected.
  ///
  /// - Returns: Nil if there is none.
  static func find(_ console: Console) -> RelayConnection? {
    let words = (Environment.value("SSH_CONNECTION") ?? "").split(separator: " ")
    let own = words.count == 4 ? "\(prefix)\(words[1])-" : nil
    var refusal: RelayRefusal?
    for runtime in UserDirectories.runtimeCandidates() {
      guard let directory = try? PrivateDirectory(opening: "\(runtime)/\(RelayMessage.folder)", create: false),
        let names = try? directory.ownSockets()
      else { continue }
      let isOwn = { (name: String) in own.map { name.utf8.starts(with: $0.utf8) } ?? false }
      for name in names.filter(isOwn) + names.filter({ !isOwn($0) }) {
        do throws(RelayRefusal) {
          if let found = try RelayConnection(in: directory, name) { return found }
        } catch {
          refusal = refusal ?? error
        }
      }
    }
    if let refusal { console.note(refusal.phrase) }
    return nil
  }

  /// - Returns: Nil if there is no answer. A socket without a server is removed.
  private init?(in directory: borrowing PrivateDirectory, _ name: String) throws(RelayRefusal) {
    port = 0
    do throws(SystemError) {
      socket = try UnixSocket.connect(in: directory, name: name, seconds: Self.connectSeconds)
      guard try UnixSocket.peerUserID(socket) == Machine.userID else { return nil }
    } catch {
      if error.isConnectionRefused { try? directory.removeFile(name, isDurable: false) }
      return nil
    }
    do throws(RelayRefusal) { try askPort(nil) } catch {
      // `ssh` accepts connections although `agent ssh` has ended.
      if error == .lost { return nil }
      throw error
    }
  }

  private func askPort(_ wanted: UInt16?) throws(RelayRefusal) {
    send(.port(wanted))
    while true {
      switch try take() {
      case .port(let number):
        guard wanted == nil || wanted == number else { throw .lost }
        port = number
        return
      case .redirect, .refused: throw .lost
      case nil:
        // `agent ssh` stops the connection while it asks.
        guard (try? socket.waitUntilReadable(timeout: Self.patience)) == true else { throw .busy }
        guard lines.fill(from: socket) else { throw .lost }
      }
    }
  }

  /// The descriptor to poll for reading.
  var raw: Int32 { socket.raw }

  /// Asks the user there to open the page. The answer is ``read()``.
  func open(_ browser: Event.Browser) throws(RelayRefusal) {
    guard let uri = try? URI(browser.redirectURI), uri.isHTTPLoopback else { throw .notAuthorization }
    // The port is part of a registered redirect URI.
    let wanted = uri.port ?? 80
    if wanted != port { try askPort(wanted) }
    send(.open(url: browser.url, issuer: browser.issuer, account: browser.account))
  }

  /// Reads what is there.
  ///
  /// - Returns: The URL of the redirect, once it is there.
  func read() throws(RelayRefusal) -> String? {
    guard lines.fill(from: socket) else { throw .lost }
    switch try take() {
    case .redirect(let url): return url
    case .port, .refused: throw .lost
    case nil: return nil
    }
  }

  /// Tells the browser how the sign-in ended.
  func show(_ outcome: RelayRequest) { send(outcome) }

  private func send(_ request: RelayRequest) { _ = try? socket.writeNow(request.line.span) }

  /// The next message, except a refusal.
  private func take() throws(RelayRefusal) -> RelayAnswer? {
    switch lines.take() {
    case .more: return nil
    case .ended: throw .lost
    case .line(let line):
      switch RelayAnswer(line) {
      case .refused(let refusal): throw refusal
      case let answer?: return answer
      case nil: throw .lost
      }
    }
  }
}
