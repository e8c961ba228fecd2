internal import Wire
internal import Encoding
internal import Loopback
internal import Platform

/// A loopback port for the redirect of a sign-in on the host of `agent ssh`. Accepts only this user's processes.
final class RelayPort {
  let port: UInt16
  private let sockets: [RedirectSocket]
  private var peers: [(key: UInt64, peer: RedirectPeer)] = []
  private var connectionCount: UInt64 = 0
  private var expected: ExpectedRequests?

  private struct ExpectedRequests {
    /// The targets of the redirect and of the one-time link.
    let targets: RedirectPeer.Targets
    /// The URL that the one-time link redirects to; nil once used.
    var linkedURL: String?
    let request: RelayedRequest
  }

  /// The first poller key for sockets and connections.
  static let firstKey: UInt64 = 16
  private static let maximumPeers = 16
  static let pageTranslations = Language.current.pageTranslations ?? .english

  /// Opens `wanted`, or if nil a port free at both loopback addresses. Throws `EADDRINUSE` if in use.
  init(_ wanted: UInt16?) throws(SystemError) {
    sockets = try RedirectSocket.listenOnBothAddresses(port: wanted, by: RedirectSocket.init)
    port = sockets[0].port
  }

  /// Starts waiting for a request's redirect. Returns a one-time link to its URL, since other users can read a
  /// browser's command line.
  func expect(_ request: RelayedRequest) -> String {
    let host = "127.0.0.1:\(port)"
    let path = "/" + HexDigit.text(Randomness.bytes(16))
    let redirect = LoopbackTarget(hosts: request.hosts, path: request.path)
    expected = ExpectedRequests(
      targets: (redirect, LoopbackTarget(hosts: [host], path: path)), linkedURL: request.url, request: request)
    return "http://\(host)\(path)"
  }

  func watch(_ poller: borrowing Poller) throws(SystemError) {
    for (index, socket) in sockets.enumerated() {
      try poller.add(socket.descriptor.raw, interest: .read, key: Self.firstKey + UInt64(index))
    }
    for (key, peer) in peers where peer.loginNumber == nil {
      try poller.add(peer.descriptor.raw, interest: .read, key: key)
    }
  }

  /// When the next connection times out.
  var deadline: Instant? { peers.filter { $0.peer.loginNumber == nil }.map(\.peer.deadline).min() }

  /// Returns the redirect URL once received.
  func serve(_ keys: Set<UInt64>, now: Instant) -> String? {
    peers.removeAll { $0.peer.loginNumber == nil && $0.peer.deadline <= now }
    for (index, socket) in sockets.enumerated() where keys.contains(Self.firstKey + UInt64(index)) {
      accept(socket, now)
    }
    for (key, peer) in peers where peer.loginNumber == nil && keys.contains(key) {
      if let url = serve(peer, now) { return url }
    }
    return nil
  }

  private func accept(_ socket: RedirectSocket, _ now: Instant) {
    guard let descriptor = try? UnixSocket.accept(socket.descriptor),
      let peer = RedirectPeer(descriptor, at: socket, now: now),
      Self.isOwnUser(TCPAddressPair.owners(of: [peer.ends])[peer.ends])
    else { return }
    if peers.count >= Self.maximumPeers, let index = peers.firstIndex(where: { $0.peer.loginNumber == nil }) {
      peers.remove(at: index)
    }
    connectionCount += 1
    peers.append((Self.firstKey + UInt64(sockets.count) + connectionCount, peer))
  }

  private static func isOwnUser(_ owner: TCPAddressPair.Owner?) -> Bool {
    switch owner {
    case .user(let user): user == Machine.userID
    // A Windows browser.
    case .unknown: Machine.isWSL
    case .gone, nil: false
    }
  }

  /// Handles what a peer sent. Returns the redirect URL if the peer requested it.
  private func serve(_ peer: RedirectPeer, _ now: Instant) -> String? {
    switch peer.read(for: expected.map { [$0.targets] } ?? []) {
    case .waiting: break
    case .ended: peers.removeAll { $0.peer === peer }
    case .tls: answer(peer, LoopbackPage.tlsRefusal)
    case .refused(let page): answer(peer, page.response(in: Self.pageTranslations))
    case .link:
      let url = expected?.linkedURL.take()
      answer(
        peer, url.map { LoopbackPage.redirect(to: $0) } ?? LoopbackPage.linkUsed.response(in: Self.pageTranslations))
    case .redirect(let range, _):
      var query = peer.withQuery(range) { bytes in bytes.indices.map { bytes[$0] } }
      defer { query.overwrite() }
      guard !isBrowserWaiting, let url = expected?.request.redirectURL(for: query) else {
        answer(peer, LoopbackPage.foreign.response(in: Self.pageTranslations))
        break
      }
      peer.awaitResult(of: 0, in: Self.pageTranslations, now: now)
      return url
    }
    return nil
  }

  private func answer(_ peer: RedirectPeer, _ response: [UInt8]) {
    peer.setResponse(response)
    // The socket's buffer fits an entire page.
    _ = peer.flush()
    try? UnixSocket.shutDownWriting(peer.descriptor)
    peers.removeAll { $0.peer === peer }
  }

  var isBrowserWaiting: Bool { peers.contains { $0.peer.loginNumber != nil } }

  func show(_ response: [UInt8]) { for (_, peer) in peers where peer.loginNumber != nil { answer(peer, response) } }
}
