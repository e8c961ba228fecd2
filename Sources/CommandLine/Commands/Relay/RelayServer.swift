internal import Encoding
internal import Loopback
internal import Platform
internal import Wire

/// Serves sign-ins on the untrusted host of `agent ssh`: asks the user, opens the browser, and returns an approved
/// redirect.
final class RelayServer {
  private let listener: SharedDescriptor
  private let console: any RelayConsole
  private var peer: Peer?
  private var questionTimes: [Instant] = []
  private var portRequestTimes: [Instant] = []

  private final class Peer {
    let socket: FileDescriptor
    var lines = RelayLines()
    var deadline: Instant
    var port: RelayPort?
    var portCount = 0
    /// The request that the user approved, if any.
    var request: RelayedRequest?
    var claimedNames: (issuer: String, account: String) = ("", "")

    init(_ socket: consuming FileDescriptor, until deadline: Instant) {
      self.deadline = deadline
      self.socket = socket
    }

    func send(_ answer: RelayAnswer) { _ = try? socket.writeNow(answer.line.span) }
  }

  static let maximumQuestionsPerHour = 10
  /// The maximum number of port requests per sign-in.
  private static let maximumPorts = 3
  private static let hour = Duration.seconds(3600)
  /// Timeouts for the host's first message and next request.
  private static let greetingTimeout = Duration.seconds(10), requestTimeout = Duration.seconds(300)
  /// Timeouts for the approval in the browser and the host's report of the result.
  private static let approvalTimeout = Duration.seconds(600), resultTimeout = Duration.seconds(10)

  private enum PollerKey {
    static let listener: UInt64 = 1
    static let peer: UInt64 = 2
  }

  /// `listener` receives the host's connections, forwarded by `ssh`.
  init(_ listener: consuming FileDescriptor, _ console: any RelayConsole) {
    self.listener = SharedDescriptor(listener)
    self.console = console
  }

  func watch(_ poller: borrowing Poller) throws(SystemError) {
    try poller.add(listener.descriptor.raw, interest: .read, key: PollerKey.listener)
    guard let peer else { return }
    try poller.add(peer.socket.raw, interest: .read, key: PollerKey.peer)
    try peer.port?.watch(poller)
  }

  var isBrowserWaiting: Bool { peer?.port?.isBrowserWaiting ?? false }

  /// When to call ``handle(_:now:)`` at the latest.
  var deadline: Instant? { [peer?.deadline, peer?.port?.deadline].compactMap { $0 }.min() }

  func handle(_ keys: Set<UInt64>, now: Instant) {
    if keys.contains(PollerKey.peer) { readRequests() }
    if let peer, let url = peer.port?.serve(keys, now: now) {
      peer.send(.redirect(url))
      peer.deadline = now.advanced(by: Self.resultTimeout)
    }
    if let peer, peer.deadline <= now {
      peer.send(.refused(.late))
      end(peer, LoopbackPage.received.response(in: RelayPort.pageTranslations))
    }
    if keys.contains(PollerKey.listener) { accept(now) }
  }

  private func accept(_ now: Instant) {
    guard let socket = try? UnixSocket.accept(listener.descriptor) else { return }
    let new = Peer(socket, until: now.advanced(by: Self.greetingTimeout))
    guard peer == nil else { return new.send(.refused(.busy)) }
    peer = new
  }

  private func readRequests() {
    guard let peer else { return }
    guard peer.lines.fill(from: peer.socket) else { return fail(peer) }
    while self.peer === peer {
      switch peer.lines.nextLine() {
      case .incomplete: return
      case .tooLong: return fail(peer)
      case .line(let line):
        guard let request = RelayRequest(line) else { return fail(peer) }
        handle(request, peer)
      }
    }
  }

  private func handle(_ request: RelayRequest, _ peer: Peer) {
    switch request {
    case .port(let wanted):
      peer.portCount += 1
      guard peer.request == nil, peer.portCount <= Self.maximumPorts else { return fail(peer) }
      // Otherwise the host could probe which ports are in use.
      if wanted != nil {
        portRequestTimes.removeAll { $0.advanced(by: Self.hour) <= .now }
        guard portRequestTimes.count < Self.maximumQuestionsPerHour else {
          return fail(peer, .limit)
        }
        portRequestTimes.append(.now)
      }
      // Release the old port first, since it may be the same.
      peer.port = nil
      peer.port = try? RelayPort(wanted)
      peer.send(peer.port.map { .port($0.port) } ?? .refused(.portTaken))
      peer.deadline = .now.advanced(by: Self.requestTimeout)
    case .open(let url, let issuer, let account):
      guard peer.request == nil, let port = peer.port else { return fail(peer) }
      peer.claimedNames = (issuer, account)
      do throws(RelayRefusal) { try open(url, at: port, peer) } catch {
        fail(peer, error)
      }
    case .signedIn(let person):
      end(
        peer,
        LoopbackPage.signedInPage(
          to: peer.claimedNames.issuer, as: person, account: peer.claimedNames.account, on: console.host,
          in: RelayPort.pageTranslations))
    case .failed(let reason):
      end(
        peer, LoopbackPage.failed(Phrase(verbatim: TerminalText.clean(reason))).response(in: RelayPort.pageTranslations)
      )
    }
  }

  private func open(_ url: String, at port: RelayPort, _ peer: Peer) throws(RelayRefusal) {
    guard let request = RelayedRequest(url, port: port.port) else { throw .notAuthorization }
    questionTimes.removeAll { $0.advanced(by: Self.hour) <= .now }
    guard questionTimes.count < Self.maximumQuestionsPerHour else { throw .limit }
    questionTimes.append(.now)
    let link = port.expect(request)
    try console.open(request, link, peer.claimedNames)
    peer.request = request
    peer.deadline = .now.advanced(by: Self.approvalTimeout)
  }

  /// Shows a failure page in a waiting browser, and sends the host any `refusal`.
  private func fail(_ peer: Peer, _ refusal: RelayRefusal? = nil) {
    if let refusal { peer.send(.refused(refusal)) }
    end(peer, LoopbackPage.failed().response(in: RelayPort.pageTranslations))
  }

  private func end(_ peer: Peer, _ page: @autoclosure () -> [UInt8]) {
    peer.port?.show(page())
    self.peer = nil
  }
}

protocol RelayConsole: AnyObject {
  /// The user and host, according to `ssh`.
  var host: String { get }
  /// Asks the user, and opens `link` in the browser. The host claims `names`.
  func open(
    _ request: RelayedRequest, _ link: String, _ names: (issuer: String, account: String)
  ) throws(RelayRefusal)
}
