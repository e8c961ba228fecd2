internal import Loopback
internal import Wire
internal import Platform

/// Receives sign-in responses at loopback addresses, without blocking.
///
/// Any user's programs can connect, but other users' data is not read. Only ``RedirectServerDelegate`` ends the wait.
final class RedirectServer {
  /// The limit for connections with a known user.
  static let maximumPeers = 16
  private static let maximumAcceptedAtOnce = 32

  private struct WaitingSignIn {
    let loginNumber: UInt64
    let listener: RedirectListener
    let pageTexts: Translations
  }

  /// The owner of a polled descriptor.
  private enum Source {
    case socket(RedirectSocket, [WaitingSignIn])
    case peer(RedirectPeer)
  }

  private unowned let loop: any RequestLoop
  private unowned let delegate: any RedirectServerDelegate
  private lazy var alarm = Alarm(loop) { [unowned self] in expire(loop.now) }
  private let poller: Poller
  /// Descriptors' owners, by key in the poller.
  private var sources: [UInt64: Source] = [:]
  private var lastKey: UInt64 = 0
  /// Connections with a lookup in progress, by key in the poller.
  private var peersBeingIdentified: [UInt64: TCPAddressPair] = [:]
  /// Whether accepting waits until the users of accepted connections are known.
  private var isPaused = false

  init(_ loop: any RequestLoop, _ delegate: any RedirectServerDelegate) throws(SystemError) {
    self.loop = loop
    self.delegate = delegate
    poller = try Poller()
    _ = try loop.watch(poller.raw) { [unowned self] in handleEvents(loop.now) }
  }

  func open(
    _ listener: RedirectListener, for loginNumber: UInt64, in pageTexts: Translations = .english
  ) throws(SystemError) {
    let new = WaitingSignIn(loginNumber: loginNumber, listener: listener, pageTexts: pageTexts)
    for socket in listener.sockets {
      if let (key, waiting) = entry(of: socket) {
        sources[key] = .socket(socket, waiting + [new])
        continue
      }
      lastKey += 1
      try poller.add(socket.descriptor.raw, interest: isPaused ? .none : .read, key: lastKey)
      sources[lastKey] = .socket(socket, [new])
    }
  }

  private func entry(of socket: RedirectSocket) -> (key: UInt64, waiting: [WaitingSignIn])? {
    for case (let key, .socket(let other, let waiting)) in sources where other === socket { return (key, waiting) }
    return nil
  }

  /// Ends a sign-in's wait, and closes its unshared sockets.
  func close(_ loginNumber: UInt64) {
    for case (let key, .socket(let socket, let waiting)) in sources {
      let others = waiting.filter { $0.loginNumber != loginNumber }
      guard others.isEmpty else {
        sources[key] = .socket(socket, others)
        continue
      }
      remove(key)
      for (key, peer) in peers where peer.socket === socket && !peer.isAnswering && peer.loginNumber == nil {
        remove(key)
      }
    }
  }

  /// Answers the browsers that wait for the sign-in's result.
  func answer(_ loginNumber: UInt64, _ response: [UInt8]) {
    for (key, peer) in peers where peer.loginNumber == loginNumber { answer(key, peer, response) }
    alarm.set(at: nextDeadline)
  }

  var nextDeadline: Instant? { peers.map(\.peer.deadline).min() }

  /// Closes overdue connections. Waiting browsers get a page without a result.
  func expire(_ now: Instant) {
    for (key, peer) in peers where peer.deadline <= now {
      if peer.loginNumber != nil {
        answer(key, peer, LoopbackPage.received.response(in: peer.pageTexts))
      } else {
        remove(key)
      }
    }
    alarm.set(at: nextDeadline)
  }

  func handleEvents(_ now: Instant) {
    guard let events = try? poller.wait(timeoutMilliseconds: 0) else { return }
    for event in events {
      switch sources[event.key] {
      case .socket(let socket, _): accept(socket, now)
      case .peer(let peer): handlePeer(event.key, peer)
      case nil: break
      }
    }
    identify()
    alarm.set(at: nextDeadline)
  }

  // MARK: Peers

  private var peers: [(key: UInt64, peer: RedirectPeer)] {
    sources.compactMap { key, source in
      if case .peer(let peer) = source { (key, peer) } else { nil }
    }
  }

  private func accept(_ socket: RedirectSocket, _ now: Instant) {
    var unknown = peers.count { $0.peer.owner == nil }
    for _ in 0..<Self.maximumAcceptedAtOnce {
      guard unknown < Self.maximumPeers else { return setPaused(true) }
      let descriptor: FileDescriptor
      do { descriptor = try UnixSocket.accept(socket.descriptor) } catch {
        if !error.wouldBlock { removeOldest() }
        return
      }
      guard let peer = RedirectPeer(descriptor, at: socket, now: now) else { continue }
      lastKey += 1
      sources[lastKey] = .peer(peer)
      unknown += 1
    }
  }

  private func setPaused(_ isPaused: Bool) {
    guard isPaused != self.isPaused else { return }
    self.isPaused = isPaused
    for case (let key, .socket(let socket, _)) in sources {
      try? poller.modify(socket.descriptor.raw, interest: isPaused ? .none : .read, key: key)
    }
  }

  /// Looks up new connections' users, one batch at a time.
  private func identify() {
    guard peersBeingIdentified.isEmpty else { return }
    for (key, peer) in peers where peer.owner == nil { peersBeingIdentified[key] = peer.ends }
    guard !peersBeingIdentified.isEmpty else { return }
    delegate.identify(Array(peersBeingIdentified.values)) { [weak self] owners in self?.admit(owners) }
  }

  /// Serves connections of the daemon's user and unknown users. Closes others.
  private func admit(_ owners: [TCPAddressPair: TCPAddressPair.Owner]) {
    let batch = peersBeingIdentified
    peersBeingIdentified = [:]
    for (key, ends) in batch.sorted(by: { $0.key < $1.key }) {
      guard case .peer(let peer) = sources[key] else { continue }
      peer.owner = owners[ends]
      switch owners[ends] {
      case .user(Machine.userID), .unknown:
        while peers.count(where: { $0.peer.owner != nil }) > Self.maximumPeers { removeOldest() }
        guard sources[key] != nil else { continue }
        try? poller.add(peer.descriptor.raw, interest: .read, key: key)
        handlePeer(key, peer)
      case .user(let user):
        remove(key)
        for waiting in entry(of: peer.socket)?.waiting ?? [] {
          delegate.handleOtherUser(waiting.loginNumber, user: user)
        }
      case .gone, nil: remove(key)
      }
    }
    setPaused(false)
    identify()
    alarm.set(at: nextDeadline)
  }

  private func handlePeer(_ key: UInt64, _ peer: RedirectPeer) {
    if peer.isAnswering { return finish(key, peer) }
    if peer.loginNumber != nil { return remove(key) }
    let waiting = entry(of: peer.socket)?.waiting ?? []
    let pageTexts = waiting.first?.pageTexts ?? .english
    switch peer.read(for: waiting.map { ($0.listener.target, $0.listener.link) }) {
    case .waiting: break
    case .ended: remove(key)
    case .refused(let page): answer(key, peer, page.response(in: pageTexts))
    case .tls:
      for waiting in waiting { delegate.handleTLS(waiting.loginNumber) }
      answer(key, peer, LoopbackPage.tlsRefusal)
    case .link(let index):
      let url = delegate.openLink(waiting[index].loginNumber, isFromOwnUser: peer.isFromOwnUser)
      answer(key, peer, url.map { LoopbackPage.redirect(to: $0) } ?? LoopbackPage.linkUsed.response(in: pageTexts))
    case .redirect(let query, let indices):
      // The state in the query identifies the sign-in.
      let named = indices.map { waiting[$0] }
      let (page, found) = peer.withQuery(query) { query -> (LoopbackPage?, WaitingSignIn?) in
        for waiting in named {
          let page = delegate.handleRedirect(waiting.loginNumber, query: query, isFromOwnUser: peer.isFromOwnUser)
          if page != .foreign { return (page, waiting) }
        }
        for waiting in named { delegate.handleForeignRedirect(waiting.loginNumber, query: query) }
        return (.foreign, nil)
      }
      if let page { return answer(key, peer, page.response(in: found?.pageTexts ?? pageTexts)) }
      guard let found else { return }
      peer.awaitResult(of: found.loginNumber, in: found.pageTexts, now: loop.now)
      // The delegate may have removed this peer.
      sources[key] = .peer(peer)
      try? poller.modify(peer.descriptor.raw, interest: .none, key: key)
    }
  }

  private func answer(_ key: UInt64, _ peer: RedirectPeer, _ response: [UInt8]) {
    peer.setResponse(response)
    sources[key] = .peer(peer)
    finish(key, peer)
  }

  /// Sends pending bytes before closing the connection.
  private func finish(_ key: UInt64, _ peer: RedirectPeer) {
    if peer.flush() { return remove(key) }
    try? poller.modify(peer.descriptor.raw, interest: .write, key: key)
  }

  /// Closes the oldest connection, preferably not one known to belong to the daemon's user.
  private func removeOldest() {
    if let key = peers.filter({ $0.peer.owner != nil }).min(by: {
      ($0.peer.isFromOwnUser ? 1 : 0, $0.key) < ($1.peer.isFromOwnUser ? 1 : 0, $1.key)
    })?.key {
      remove(key)
    }
  }

  private func remove(_ key: UInt64) {
    switch sources.removeValue(forKey: key) {
    case .socket(let socket, _): try? poller.remove(socket.descriptor.raw)
    case .peer(let peer): try? poller.remove(peer.descriptor.raw)
    case nil: break
    }
  }
}

/// Answers browser requests to a ``RedirectServer`` and identifies their users. Called on the loop.
protocol RedirectServerDelegate: AnyObject {
  /// Looks up the connections' users. Calls `completion` on the loop.
  func identify(_ ends: [TCPAddressPair], _ completion: @escaping ([TCPAddressPair: TCPAddressPair.Owner]) -> Void)
  /// Returns the URL to which a sign-in's link redirects. Nil if the link was already used. `isFromOwnUser` is true if
  /// the connection is known to belong to the daemon's user.
  func openLink(_ loginNumber: UInt64, isFromOwnUser: Bool) -> String?
  /// Handles a request for the redirect URI. Returns the browser's page, or nil if ``RedirectServer/answer(_:_:)``
  /// sends it later. Only ``LoopbackPage/foreign`` continues the wait.
  func handleRedirect(_ loginNumber: UInt64, query: Span<UInt8>, isFromOwnUser: Bool) -> LoopbackPage?
  /// Called if the query answers no sign-in at the socket.
  func handleForeignRedirect(_ loginNumber: UInt64, query: Span<UInt8>)
  /// Called when a browser starts TLS, which is not supported.
  func handleTLS(_ loginNumber: UInt64)
  /// Called when another user, with ID `user`, connects. No data was read.
  func handleOtherUser(_ loginNumber: UInt64, user: UInt32)
}
