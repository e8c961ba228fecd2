internal import Wire
internal import Encoding
internal import Loopback
internal import Platform

/// The loopback port for the redirect of a host's sign-in. Accepts only this user's connections.
final class RelayPort {
  let port: UInt16
  private let sockets: [SharedDescriptor]
  private var connections: [BrowserConnection] = []
  private var lastKey: UInt64 = 0
  /// The awaited redirect.
  private var expected: ExpectedRequests?

  /// The requests that the browser may send.
  struct ExpectedRequests {
    /// The target of the link that ``expect(_:)`` returned.
    let link: LoopbackTarget
    /// The target of the redirect.
    let redirect: LoopbackTarget
    var isLinkUsed = false
    let request: RelayedRequest
  }

  private final class BrowserConnection {
    let key: UInt64
    let descriptor: FileDescriptor
    let deadline: Instant
    var head = RequestHead()
    /// Detects the end of `head` in received bytes.
    var end = LoopbackRequest.HeadEnd()
    /// Whether the browser waits for the result.
    var waitsForResult = false

    init(_ key: UInt64, _ descriptor: consuming FileDescriptor, until deadline: Instant) {
      (self.key, self.deadline) = (key, deadline)
      self.descriptor = descriptor
    }

    deinit { head.wipe() }

    /// Sends the response and closes.
    func answer(_ response: [UInt8]) {
      // The socket's buffer fits an entire page.
      _ = try? descriptor.writeNow(response.span)
      try? UnixSocket.shutDownWriting(descriptor)
    }
  }

  /// The first of the poller keys for sockets and connections.
  static let firstKey: UInt64 = 16
  private static let maximumConnections = 16
  /// The timeout for a browser's request.
  private static let timeout = Duration.seconds(10)
  /// How many ports to try.
  private static let tries = 10
  static let pages = Language.current.pages ?? .english

  /// Opens a port, or any that is free at both loopback addresses, since `localhost` may be either.
  ///
  /// - Throws: `EADDRINUSE`.
  init(_ wanted: UInt16?) throws(SystemError) {
    var (opened, lastError): ([SharedDescriptor], SystemError?) = ([], nil)
    for _ in 0..<(wanted == nil ? Self.tries : 1) where opened.isEmpty {
      let first = try UnixSocket.listenLoopback(port: wanted ?? 0)
      do throws(SystemError) {
        let second = try UnixSocket.listenLoopback(port: UnixSocket.localPort(first), ipv6: true)
        opened = [SharedDescriptor(first), SharedDescriptor(second)]
      } catch {
        if error.isAddressInUse { lastError = error } else { opened = [SharedDescriptor(first)] }
      }
    }
    if opened.isEmpty, let lastError { throw lastError }
    sockets = opened
    port = try UnixSocket.localPort(opened[0].descriptor)
  }

  // Cannot fail for listening sockets.
  deinit { for socket in sockets { try? UnixSocket.shutDown(socket.descriptor) } }

  /// Starts waiting for the redirect of a request.
  ///
  /// - Returns: A link that redirects to the request's URL once, since other users can read a browser's command line.
  func expect(_ request: RelayedRequest) -> String {
    let host = "127.0.0.1:\(port)"
    let path = "/" + HexDigit.text(Randomness.bytes(16))
    expected = ExpectedRequests(
      link: LoopbackTarget(hosts: [host], path: path),
      redirect: LoopbackTarget(hosts: request.hosts, path: request.path), request: request)
    return "http://\(host)\(path)"
  }

  func watch(_ poller: borrowing Poller) throws(SystemError) {
    for (index, socket) in sockets.enumerated() {
      try poller.add(socket.descriptor.raw, interest: .read, key: Self.firstKey + UInt64(index))
    }
    for connection in connections where !connection.waitsForResult {
      try poller.add(connection.descriptor.raw, interest: .read, key: connection.key)
    }
  }

  /// When the next connection times out.
  var deadline: Instant? { connections.filter { !$0.waitsForResult }.map(\.deadline).min() }

  /// Serves the ready descriptors.
  ///
  /// - Returns: The redirect URL, once received.
  func serve(_ keys: Set<UInt64>, now: Instant) -> String? {
    connections.removeAll { !$0.waitsForResult && $0.deadline <= now }
    for (index, socket) in sockets.enumerated() where keys.contains(Self.firstKey + UInt64(index)) {
      accept(socket.descriptor, now)
    }
    for connection in connections where !connection.waitsForResult && keys.contains(connection.key) {
      if let url = serve(connection) { return url }
    }
    return nil
  }

  private func accept(_ socket: borrowing FileDescriptor, _ now: Instant) {
    guard let descriptor = try? UnixSocket.accept(socket), let ends = try? TCPEnds(descriptor),
      Self.isOwn(TCPEnds.owners(of: [ends])[ends])
    else { return }
    if connections.count >= Self.maximumConnections, let index = connections.firstIndex(where: { !$0.waitsForResult }) {
      connections.remove(at: index)
    }
    lastKey += 1
    connections.append(
      BrowserConnection(
        Self.firstKey + UInt64(sockets.count) + lastKey, descriptor, until: now.advanced(by: Self.timeout)))
  }

  /// Whether the connection belongs to this user.
  private static func isOwn(_ owner: TCPEnds.Owner?) -> Bool {
    switch owner {
    case .user(let user): user == Machine.userID
    // A Windows browser.
    case .unknown: Machine.isWSL
    case .gone, nil: false
    }
  }

  /// Answers a browser's request. Returns the redirect URL, if requested.
  private func serve(_ connection: BrowserConnection) -> String? {
    func answer(_ response: [UInt8]) {
      connection.answer(response)
      connections.removeAll { $0 === connection }
    }
    do throws(SystemError) {
      guard try connection.head.fill(from: connection.descriptor) > 0 else {
        connections.removeAll { $0 === connection }
        return nil
      }
    } catch {
      if !error.isAgain { connections.removeAll { $0 === connection } }
      return nil
    }
    guard !connection.head.withBytes({ LoopbackRequest.isTLS($0) }) else {
      answer(LoopbackPage.tlsRefusal)
      return nil
    }
    guard var expected else {
      answer(LoopbackPage.notFound.response(in: Self.pages))
      return nil
    }
    func read(_ target: LoopbackTarget) -> LoopbackRequest.Reading {
      connection.head.withBytes { LoopbackRequest.read($0, for: target, &connection.end) }
    }
    if case .redirect = read(expected.link) {
      answer(
        expected.isLinkUsed
          ? LoopbackPage.used.response(in: Self.pages) : LoopbackPage.redirect(to: expected.request.url))
      expected.isLinkUsed = true
      self.expected = expected
      return nil
    }
    switch read(expected.redirect) {
    case .incomplete: return nil
    case .refused(let page): answer(page.response(in: Self.pages))
    case .redirect(let range):
      var query = connection.head.withBytes { bytes in range.map { bytes[$0] } }
      defer { query.overwrite() }
      guard !isBrowserWaiting, let url = expected.request.redirect(query) else {
        answer(LoopbackPage.foreign.response(in: Self.pages))
        return nil
      }
      connection.head.wipe()
      connection.waitsForResult = true
      return url
    }
    return nil
  }

  /// Whether a browser is waiting for the result.
  var isBrowserWaiting: Bool { connections.contains(where: \.waitsForResult) }

  /// Shows the result to the waiting browser.
  func show(_ response: [UInt8]) {
    for connection in connections where connection.waitsForResult { connection.answer(response) }
    connections.removeAll(where: \.waitsForResult)
  }
}
