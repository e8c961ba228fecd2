internal import Encoding
internal import Platform
internal import Wire

/// Connects `agent login` to `agent ssh` on the user's machine, through a socket forwarded by `ssh`.
final class RelayConnection {
  private let socket: FileDescriptor
  private var lines = RelayLines()
  /// The loopback port for the redirect on the user's machine.
  private(set) var port: UInt16

  private static let connectSeconds = 2
  /// The timeout for a port request. `agent ssh` does not reply while asking its user.
  private static let timeout = Duration.seconds(5)

  private static let prefix = "ssh-"

  /// A forwarded socket's name: the SSH connection's client port, and random text.
  static func name(port: String, _ random: String) -> String { "\(prefix)\(port)-\(random)" }

  /// Connects to this SSH connection's machine, otherwise another with `agent ssh`. Nil if none replies.
  static func find(_ console: Console) -> RelayConnection? {
    let words = (Environment.value("SSH_CONNECTION") ?? "").split(separator: " ")
    let own = words.count == 4 ? "\(prefix)\(words[1])-" : nil
    var refusal: RelayRefusal?
    for runtime in UserDirectories.runtimeCandidates() {
      guard let directory = try? PrivateDirectory(opening: "\(runtime)/\(RelayMessage.directoryName)", create: false),
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

  /// Nil if `agent ssh` does not reply. Removes a dead socket.
  private init?(in directory: borrowing PrivateDirectory, _ name: String) throws(RelayRefusal) {
    port = 0
    do throws(SystemError) {
      socket = try UnixSocket.connect(in: directory, name: name, seconds: Self.connectSeconds)
      guard try UnixSocket.peerUserID(socket) == Machine.userID else { return nil }
    } catch {
      if error.isConnectionRefused { try? directory.removeFile(name, isDurable: false) }
      return nil
    }
    do throws(RelayRefusal) { try requestPort(nil) } catch {
      // `ssh` still accepts connections after `agent ssh` has ended.
      if error == .lost { return nil }
      throw error
    }
  }

  private func requestPort(_ wanted: UInt16?) throws(RelayRefusal) {
    send(.port(wanted))
    while true {
      switch try nextMessage() {
      case .port(let number):
        guard wanted == nil || wanted == number else { throw .lost }
        port = number
        return
      case .redirect, .refused: throw .lost
      case nil:
        guard (try? socket.waitUntilReadable(timeout: Self.timeout)) == true else { throw .busy }
        guard lines.fill(from: socket) else { throw .lost }
      }
    }
  }

  var raw: Int32 { socket.raw }

  /// Asks the connected machine's user to open the page.
  func open(_ browser: Event.Browser) throws(RelayRefusal) {
    guard let uri = try? URI(browser.redirectURI), uri.isHTTPLoopback else { throw .notAuthorization }
    // A registered redirect URI includes the port.
    let wanted = uri.port ?? 80
    if wanted != port { try requestPort(wanted) }
    send(.open(url: browser.url, issuer: browser.issuer, account: browser.account))
  }

  /// Returns the redirect URL once received.
  func read() throws(RelayRefusal) -> String? {
    guard lines.fill(from: socket) else { throw .lost }
    switch try nextMessage() {
    case .redirect(let url): return url
    case .port, .refused: throw .lost
    case nil: return nil
    }
  }

  func show(_ outcome: RelayRequest) { send(outcome) }

  private func send(_ request: RelayRequest) { _ = try? socket.writeNow(request.line.span) }

  /// Nil if incomplete. Throws a refusal.
  private func nextMessage() throws(RelayRefusal) -> RelayAnswer? {
    switch lines.nextLine() {
    case .incomplete: return nil
    case .tooLong: throw .lost
    case .line(let line):
      switch RelayAnswer(line) {
      case .refused(let refusal): throw refusal
      case let answer?: return answer
      case nil: throw .lost
      }
    }
  }
}
