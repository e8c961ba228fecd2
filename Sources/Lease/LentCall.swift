internal import Encoding
internal import Platform
internal import Wire

/// A peer's request, sent over its own connection to the daemon.
final class LentCall {
  enum ResponseLine {
    case reply(Reply)
    /// The daemon's unparsed line with the lent token.
    case token(any SecretLine)
  }

  /// How bodies are transferred between the peer and this process.
  enum Bodies {
    /// Through the peer's descriptors or in lines.
    case peer([SharedDescriptor])
    /// By the ``Owner``, through ``requestBodySocket`` and ``responseBodySocket``.
    case owner
  }

  protocol Owner: AnyObject {
    func send(_ event: Event, _ ticket: Ticket)
    /// Called once with the final line, unless the peer has disconnected.
    func answer(_ last: ResponseLine, _ ticket: Ticket)
    /// Called once, when nothing is left to do.
    func callEnded(_ ticket: Ticket)
  }

  private let ticket: Ticket
  private unowned let loop: any RequestLoop
  // Strong, so a closed connection remains until the daemon has ended its request.
  private let owner: any Owner
  /// The request as sent to the daemon, with all bodies in descriptors.
  private let envelope: RequestEnvelope
  private let connection: Connection
  /// Nil before and after the request.
  private var loopKey: UInt64?
  /// The daemon's end of ``connection``. Nil once passed.
  private var daemonEnd: SharedDescriptor?
  private var descriptorsToSend: [SharedDescriptor] = []
  private var copiers: [DescriptorCopier] = []
  /// For a response body in lines, otherwise nil.
  private var inlineResponseBody: InlineResponseBody?
  /// For a request body in lines, otherwise nil.
  private var inlineRequestBody: InlineRequestBody?
  /// The body in the request's line, if any; nil once forwarded.
  private var contentInRequest: [UInt8]?
  /// Whether the request's body arrives in further lines.
  let expectsBody: Bool
  private var isAnswered = false
  private var isPeerGone = false

  /// For writing the request's body, until it ends. Only for ``Bodies/owner``.
  private(set) var requestBodySocket: SharedDescriptor?
  /// For reading the response's body. Only for ``Bodies/owner``.
  private(set) var responseBodySocket: SharedDescriptor?

  /// Creates the sockets for a request. The `owner` gets the response.
  init(
    _ envelope: RequestEnvelope, _ ticket: Ticket, _ bodies: Bodies, _ loop: any RequestLoop, _ owner: any Owner
  ) throws(Failure) {
    (self.ticket, self.loop, self.owner) = (ticket, loop, owner)
    var (envelope, call) = (envelope, CallRequest?.none)
    envelope.verbose = false
    if case .call(let request) = envelope.request { call = request }
    expectsBody = call?.sendsBodyInLines ?? false
    let pair: (near: SharedDescriptor, far: SharedDescriptor)
    do throws(SystemError) {
      pair = try Self.makePair()
      connection = Connection(id: 0, descriptor: try pair.near.descriptor.duplicate(), mayIdle: true, now: loop.now)
    } catch {
      throw .noDescriptor
    }
    daemonEnd = pair.far
    if var plain = call {
      (plain.isInline, plain.inlineBody, plain.sendsBodyInLines) = (false, nil, false)
      envelope.request = .call(plain)
    }
    self.envelope = envelope
    guard let call else { return }
    switch bodies {
    case .peer(let descriptors): try prepare(call, descriptors)
    case .owner:
      do throws(SystemError) {
        if call.sendsBody { requestBodySocket = try makeBodySocket() }
        responseBodySocket = try makeBodySocket()
      } catch {
        throw .noDescriptor
      }
    }
  }

  /// Connects the bodies to the peer's descriptors or lines.
  private func prepare(_ call: CallRequest, _ descriptors: [SharedDescriptor]) throws(Failure) {
    if !call.isInline {
      guard descriptors.count == (call.sendsBody ? 2 : 1) else {
        throw Failure(
          .descriptorMissing,
          "the request must pass a descriptor for the answer, preceded by one for the body, if any")
      }
      guard !descriptors[descriptors.count - 1].descriptor.isSeekable() else {
        throw Failure(.invalidRequest, "the answer must go to a pipe or a socket")
      }
    }
    if let text = call.inlineBody {
      do { contentInRequest = try Base64.decode(text) } catch {
        throw Failure(.invalidRequest, "\"body\" must be base64")
      }
    }
    do throws(SystemError) {
      if call.sendsBody {
        let end = try makeBodySocket()
        if call.isInline {
          inlineRequestBody = InlineRequestBody(end, ticket, loop)
        } else {
          addCopier(from: descriptors[0], to: end)
        }
      }
      let end = try makeBodySocket()
      if call.isInline {
        inlineResponseBody = InlineResponseBody(end, ticket, loop)
      } else {
        addCopier(from: end, to: descriptors[descriptors.count - 1])
      }
    } catch {
      throw .noDescriptor
    }
  }

  /// The daemon gets the other end.
  private func makeBodySocket() throws(SystemError) -> SharedDescriptor {
    let pair = try Self.makePair()
    descriptorsToSend.append(pair.far)
    return pair.near
  }

  /// With a non-blocking near end.
  private static func makePair() throws(SystemError) -> (near: SharedDescriptor, far: SharedDescriptor) {
    let pair = try SocketPair()
    try pair.first.setNonBlocking(true)
    return (SharedDescriptor(pair.first), SharedDescriptor(pair.second))
  }

  private func addCopier(from source: SharedDescriptor, to sink: SharedDescriptor) {
    copiers.append(
      DescriptorCopier(from: source, to: sink, loop) { [unowned self] copier in
        copiers.removeAll { $0 === copier }
        reportEndIfDone()
      })
  }

  /// Sends the request to the daemon over a new connection.
  func begin(over daemon: DaemonChannel, for peer: LeaseEntry.Peer) throws(SystemError) {
    if let daemonEnd { daemon.connect(LeasePeerRequest(userID: peer.userID, processID: peer.processID), daemonEnd) }
    daemonEnd = nil
    let line = envelope.serialized()
    var sent = 0
    for (index, shared) in descriptorsToSend.enumerated() {
      // A message carries one descriptor, so the line is sent in parts.
      let part = line.span.extracting(sent..<(index < descriptorsToSend.count - 1 ? sent + 1 : line.count))
      sent += try UnixSocket.send(part, passing: shared.descriptor.raw, over: connection.descriptor)
    }
    descriptorsToSend = []
    if sent < line.count { _ = connection.enqueue(.plain(Array(line[sent...]))) }
    guard connection.flush() else { throw .unsuitable(operation: "write") }
    try watch()
    for copier in copiers { copier.copyAvailable() }
    if expectsBody { inlineRequestBody?.begin() }
    if let bytes = contentInRequest { try? inlineRequestBody?.append(ResourceBodyRequest(bytes: bytes, isLast: true)) }
    contentInRequest = nil
  }

  func closeRequestBody() { requestBodySocket = nil }

  func append(_ part: ResourceBodyRequest) throws(Failure) { try inlineRequestBody?.append(part) }

  /// Watches the connection, for input only if no output is pending.
  private func watch() throws(SystemError) {
    loop.unwatch(&loopKey)
    let interest: Poller.Interest = connection.hasOutput ? .write : .read
    loopKey = try loop.watch(connection.descriptor.raw, for: interest) { [unowned self] in serve() }
  }

  private func serve() {
    if connection.hasOutput {
      guard connection.flush(), (try? watch()) != nil else { return close() }
      return
    }
    let result = connection.read()
    while loopKey != nil, let line = takeLine() { sendLine(line) }
    if loopKey != nil, result == .end || result == .tooLong { close() }
  }

  /// Nil if the line is incomplete.
  private func takeLine() -> ResponseLine? {
    let hidesLine = envelope.request.has(.allowedForTokenPeers)
    return connection.takeLine { line in
      let reply = Result { () throws(Failure) in try Reply(parsing: line) }
      if hidesLine, case .success(.result) = reply { return .token(TokenLine(line)) }
      return .reply((try? reply.get()) ?? .failure(Reply.unreadable))
    }
  }

  /// Passes a line to the owner. Delays a result until the peer has the entire body.
  private func sendLine(_ line: ResponseLine) {
    guard !isPeerGone else { return }
    if case .reply(let reply) = line {
      if case .event(let event) = reply {
        owner.send(event, ticket)
        if case .response = event { inlineResponseBody?.begin() }
        return
      }
      if case .result(let result) = reply, let inlineResponseBody {
        // The peer must get the complete body first.
        return inlineResponseBody.end(after: result["body_bytes"]?.int ?? 0) { [unowned self] in finish(line) }
      }
    }
    finish(line)
  }

  /// Passes the final line to the owner.
  private func finish(_ last: ResponseLine) {
    guard !isAnswered, !isPeerGone else { return }
    isAnswered = true
    if case .reply(.failure) = last { inlineResponseBody?.drain() }
    inlineResponseBody = nil
    loop.unwatch(&loopKey)
    owner.answer(last, ticket)
    close()
  }

  /// Shuts down the connection to the daemon. Fails the request unless it is answered or the peer has disconnected.
  private func close() {
    loop.unwatch(&loopKey)
    try? UnixSocket.shutDown(connection.descriptor)
    if isPeerGone { (copiers, inlineRequestBody, requestBodySocket) = ([], nil, nil) }
    if !isAnswered, !isPeerGone { return finish(.reply(.failure(.noDaemon))) }
    inlineRequestBody = nil
    reportEndIfDone()
  }

  /// An incomplete request body stays open until the daemon has ended the request, since closing would mark it as
  /// complete.
  func peerDidDisconnect() {
    guard !isAnswered else { return (copiers, inlineResponseBody) = ([], nil) }
    isPeerGone = true
    for copier in copiers { copier.stop() }
    (inlineResponseBody, responseBodySocket) = (nil, nil)
    inlineRequestBody?.stop()
    if loopKey == nil || (try? UnixSocket.shutDownWriting(connection.descriptor)) == nil { close() }
  }

  private var hasReportedEnd = false

  private func reportEndIfDone() {
    guard !hasReportedEnd, loopKey == nil, copiers.isEmpty, isAnswered || isPeerGone else { return }
    hasReportedEnd = true
    owner.callEnded(ticket)
  }

  deinit { loop.unwatch(&loopKey) }

  /// A line with a token, wiped at the end.
  private final class TokenLine: SecretLine {
    private var bytes: [UInt8] = []

    init(_ line: Span<UInt8>) {
      bytes.reserveCapacity(line.count + 1)
      bytes.append(contentsOf: line)
      bytes.append(UInt8(ascii: "\n"))
    }

    deinit { for index in bytes.indices { bytes[index] = 0 } }

    var count: Int { bytes.count }

    func write(from start: Int, to descriptor: borrowing FileDescriptor) throws(SystemError) -> Int {
      let bytes = bytes
      return try descriptor.writeNow(bytes.span.extracting(start...))
    }
  }
}
