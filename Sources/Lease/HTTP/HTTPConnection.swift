internal import Encoding
internal import Platform
internal import Wire

/// A program's HTTP connection to a lease, authorized by the lease's token.
final class HTTPConnection: LentCall.Owner {
  /// As in ``Ticket/connection``.
  let number: UInt64
  private let socket: FileDescriptor
  private let peer: LeaseEntry.Peer
  private let lentOrigin: LentOrigin
  private unowned let loop: any RequestLoop
  private unowned let server: LeaseServer
  /// The current request's number, as in ``Ticket/serial``.
  private var serial: UInt64 = 0
  private var loopKey: UInt64?
  /// Received and not yet parsed.
  private var inbound: [UInt8] = []
  /// Bytes of ``inbound`` searched for a head's end.
  private var searched = 0
  private var outbound: [UInt8] = []
  private var isClosed = false
  /// Whether any event means disconnection, since no input or output is expected.
  private var expectsOnlyDisconnection = false
  private var closesWhenSent = false
  private var lastProgress: Instant
  private var exchange: Exchange?

  private struct Exchange {
    let head: HTTPRequestHead
    var call: LentCall?
    /// Nil once all was received.
    var remainingContent: Content?
    /// Received content not yet accepted by the daemon.
    var unwritten: [UInt8] = []
    /// The loop's key for ``LentCall/requestBodySocket``, while that is full.
    var contentWatch: UInt64?
    /// Nil before the response's head.
    var bodyFraming: Framing?
    var sentBodyBytes = 0
    /// The loop's key for ``LentCall/responseBodySocket``, while that is empty.
    var bodyWatch: UInt64?
    /// Whether the entire body was read from the daemon.
    var isBodyRead = false
    /// Whether the daemon has sent its final line.
    var isAnswered = false
    /// Whether the body is incomplete because the request failed.
    var isTruncated = false
  }

  /// The framing of unread request content, with the remaining bytes.
  private enum Content {
    case length(Int)
    case chunks(HTTPChunks)
  }

  private enum Framing {
    case none
    case length(Int)
    case chunked
  }

  private static let maximumReadBytes = 64 << 10
  /// For a response's head.
  private static let headTimeoutSeconds = 600
  /// At this many unsent bytes, the response's body is not read.
  private static let maximumUnsentBytes = 256 << 10
  /// How long a peer that must send or read may make no progress.
  private static let timeout = Duration.seconds(60)

  init(
    _ socket: consuming FileDescriptor, _ number: UInt64, _ peer: LeaseEntry.Peer, _ lentOrigin: LentOrigin,
    _ loop: any RequestLoop, _ server: LeaseServer
  ) throws(SystemError) {
    self.socket = socket
    (self.number, self.peer, self.lentOrigin, self.loop, self.server) = (number, peer, lentOrigin, loop, server)
    lastProgress = loop.now
    try watch()
    scheduleIdleCheck()
  }

  // MARK: The socket

  private func watch() throws(SystemError) {
    loop.unwatch(&loopKey)
    let interest: Poller.Interest
    switch (mayRead, !outbound.isEmpty) {
    case (true, true): interest = .both
    case (true, false): interest = .read
    case (false, true): interest = .write
    case (false, false): interest = .none
    }
    expectsOnlyDisconnection = !mayRead && outbound.isEmpty
    loopKey = try loop.watch(socket.raw, for: interest) { [unowned self] in serve() }
  }

  /// Whether to read content or the next request.
  private var mayRead: Bool {
    guard !closesWhenSent else { return false }
    guard let exchange else { return inbound.count < HTTPRequestHead.maximumBytes }
    return exchange.remainingContent != nil && exchange.unwritten.isEmpty
  }

  private func serve() {
    flush()
    guard !isClosed else { return }
    if mayRead {
      do throws(SystemError) {
        if try socket.readNow(into: &inbound, upTo: Self.maximumReadBytes) == 0 { return handleEndOfInput() }
        lastProgress = loop.now
      } catch {
        guard error.wouldBlock else { return close() }
      }
    } else if expectsOnlyDisconnection {
      return close()
    }
    processInput()
  }

  /// Closes, after sending an already complete response.
  private func handleEndOfInput() {
    if exchange != nil || outbound.isEmpty { return close() }
    closesWhenSent = true
    updateWatch()
  }

  private func processInput() {
    while !isClosed, !closesWhenSent {
      if exchange == nil {
        guard let head = nextHead() else { break }
        begin(head)
      } else if !forwardContent() {
        break
      }
    }
    if !isClosed, (try? watch()) == nil { close() }
  }

  private func send(_ bytes: [UInt8]) {
    if outbound.isEmpty { lastProgress = loop.now }
    outbound += bytes
    flush()
  }

  /// Sends queued bytes as far as possible. Then closes if ``closesWhenSent``.
  private func flush() {
    while !outbound.isEmpty, !isClosed {
      do throws(SystemError) {
        let count = try socket.writeNow(outbound.span)
        outbound.removeFirst(count)
        lastProgress = loop.now
      } catch {
        return error.wouldBlock ? () : close()
      }
    }
    if outbound.isEmpty, closesWhenSent { close() }
  }

  /// Closes the connection if an awaited peer makes no progress for ``timeout``.
  private func scheduleIdleCheck() {
    loop.schedule(at: lastProgress.advanced(by: Self.timeout)) { [weak self] in
      guard let self, !isClosed else { return }
      let waitsForPeer =
        !outbound.isEmpty || exchange == nil || exchange?.remainingContent != nil && exchange?.unwritten == []
      if !waitsForPeer { lastProgress = loop.now }
      if lastProgress.advanced(by: Self.timeout) <= loop.now { close() } else { scheduleIdleCheck() }
    }
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    loop.unwatch(&loopKey)
    unwatchBodies()
    exchange?.call?.peerDidDisconnect()
    exchange = nil
    try? UnixSocket.shutDown(socket)
    server.didDisconnect(self)
  }

  private func unwatchBodies() {
    if let key = exchange?.contentWatch { loop.unwatch(key) }
    if let key = exchange?.bodyWatch { loop.unwatch(key) }
    exchange?.contentWatch = nil
    exchange?.bodyWatch = nil
  }

  // MARK: Requests

  /// The next head. Nil if incomplete or refused.
  private func nextHead() -> HTTPRequestHead? {
    do throws(HTTPRequestHead.Problem) {
      guard let end = try HTTPRequestHead.length(in: inbound, from: searched) else {
        searched = inbound.count
        return nil
      }
      let head = try HTTPRequestHead(inbound[..<end])
      inbound.removeFirst(end)
      searched = 0
      return head
    } catch {
      switch error {
      case .malformed: refuse(400, "the request is not plain HTTP/1.1")
      case .tooLarge: refuse(431, "the head of the request is too large")
      case .unsupported: refuse(501, "a lease supports only HTTP/1.1 without upgrades")
      }
      return nil
    }
  }

  /// Forwards a request unless its token is wrong.
  private func begin(_ head: HTTPRequestHead) {
    serial += 1
    guard lentOrigin.isAuthorized(head) else { return refuse(401, "the token of the lease is missing or wrong") }
    var exchange = Exchange(head: head)
    switch head.content {
    case .none: break
    case .length(let length): exchange.remainingContent = .length(length)
    case .chunked: exchange.remainingContent = .chunks(HTTPChunks())
    }
    self.exchange = exchange
    do throws(Failure) {
      let ticket = Ticket(connection: number, serial: serial)
      self.exchange?.call = try server.begin(
        RequestEnvelope(.call(lentOrigin.request(for: head)), timeoutSeconds: Self.headTimeoutSeconds), ticket, .owner,
        for: peer, self)
    } catch {
      return fail(error)
    }
    if head.expectsContinue { send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
  }

  /// Returns false if there is no content to forward now.
  private func forwardContent() -> Bool {
    guard exchange?.remainingContent != nil, exchange?.unwritten == [], !inbound.isEmpty else { return false }
    var piece: [UInt8] = []
    var isWhole = false
    switch exchange?.remainingContent {
    case .length(let left):
      piece = Array(inbound.prefix(left))
      inbound.removeFirst(piece.count)
      isWhole = piece.count == left
      exchange?.remainingContent = .length(left - piece.count)
    case .chunks(var chunks):
      let before = inbound.count
      do { piece = try chunks.consume(&inbound, upTo: Self.maximumReadBytes) } catch {
        refuse(400, "the content of the request is not plain HTTP/1.1")
        return false
      }
      isWhole = chunks.hasEnded
      exchange?.remainingContent = .chunks(chunks)
      if piece.isEmpty, !isWhole, inbound.count == before { return false }
    case nil: return false
    }
    if isWhole { exchange?.remainingContent = nil }
    exchange?.unwritten = piece
    writeContent()
    return true
  }

  /// Writes ``Exchange/unwritten`` to the daemon, now or when its socket has room.
  private func writeContent() {
    guard let end = exchange?.call?.requestBodySocket, let bytes = exchange?.unwritten else { return }
    if let key = exchange?.contentWatch { loop.unwatch(key) }
    exchange?.contentWatch = nil
    var written = 0
    do throws(SystemError) {
      while written < bytes.count { written += try end.descriptor.writeNow(bytes.span.extracting(written...)) }
      exchange?.unwritten = []
    } catch {
      guard error.wouldBlock else {
        // The server responded without reading the content.
        exchange?.unwritten = []
        return
      }
      exchange?.unwritten.removeFirst(written)
      exchange?.contentWatch = try? loop.watch(end.descriptor.raw, for: .write) { [weak self] in
        // Closing the connection may release this object.
        guard let self else { return }
        writeContent()
        processInput()
      }
      if exchange?.contentWatch == nil { close() }
      return
    }
    lastProgress = loop.now
    if exchange?.remainingContent == nil { exchange?.call?.closeRequestBody() }
  }

  // MARK: Answers

  /// Sends the response's head.
  func send(_ event: Event, _ ticket: Ticket) {
    guard case .response(let head) = event, ticket.serial == serial, let exchange, !isClosed else { return }
    let hasBody =
      exchange.head.method != "HEAD" && !(100..<200).contains(head.status)
      && head.status != 204 && head.status != 304
    let length = head.field("Content-Length").flatMap { Int($0) }
    let framing: Framing = !hasBody ? .none : length.map { .length($0) } ?? .chunked
    self.exchange?.bodyFraming = framing
    var lines = "HTTP/1.1 \(head.status) \(Self.reason(head.status))\r\n"
    lines += lentOrigin.headerLines(for: head)
    if !hasBody, let length, head.status != 204 { lines += "Content-Length: \(length)\r\n" }
    if case .length(let length) = framing { lines += "Content-Length: \(length)\r\n" }
    if case .chunked = framing { lines += "Transfer-Encoding: chunked\r\n" }
    // Unread content would be parsed as the next request.
    if exchange.head.closesConnection || exchange.remainingContent != nil { lines += "Connection: close\r\n" }
    send(Array((lines + "\r\n").utf8))
    readBody()
  }

  /// Sends available parts as fast as the peer reads.
  private func readBody() {
    guard let end = exchange?.call?.responseBodySocket, let framing = exchange?.bodyFraming, !isClosed else { return }
    while outbound.count < Self.maximumUnsentBytes, exchange?.isBodyRead == false {
      var piece: [UInt8] = []
      do throws(SystemError) {
        if try end.descriptor.readNow(into: &piece, upTo: Self.maximumReadBytes) == 0 {
          exchange?.isBodyRead = true
          break
        }
      } catch {
        if !error.wouldBlock { return close() }
        break
      }
      exchange?.sentBodyBytes += piece.count
      switch framing {
      case .none: break
      case .length(let length):
        // More bytes would be parsed as the next response.
        guard let sent = exchange?.sentBodyBytes, sent <= length else { return close() }
        send(piece)
      case .chunked: send(Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8))
      }
      if isClosed { return }
    }
    if let key = exchange?.bodyWatch { loop.unwatch(key) }
    exchange?.bodyWatch = nil
    if exchange?.isBodyRead == true { return finishIfComplete() }
    if outbound.count < Self.maximumUnsentBytes {
      exchange?.bodyWatch = try? loop.watch(end.descriptor.raw) { [weak self] in
        guard let self else { return }
        readBody()
        updateWatch()
      }
      if exchange?.bodyWatch == nil { close() }
    } else {
      // Retry when the peer has read some bytes.
      loop.schedule(at: loop.now.advanced(by: .milliseconds(5))) { [weak self] in
        self?.readBody()
        self?.updateWatch()
      }
    }
  }

  private func updateWatch() { if !isClosed, (try? watch()) == nil { close() } }

  func answer(_ last: LentCall.ResponseLine, _ ticket: Ticket) {
    guard ticket.serial == serial, exchange != nil, !isClosed, case .reply(let reply) = last else { return }
    server.countFailure(reply)
    switch reply {
    case .failure(let failure) where exchange?.bodyFraming == nil: fail(failure)
    case .failure, .result, .event:
      exchange?.isAnswered = true
      // After the head, only closing the connection marks the body as incomplete.
      if case .failure = reply { exchange?.isTruncated = true }
      readBody()
      finishIfComplete()
    }
    updateWatch()
  }

  /// Ends the response once its body and the daemon's final line have arrived.
  private func finishIfComplete() {
    guard let exchange, exchange.isAnswered, exchange.isBodyRead, let framing = exchange.bodyFraming else { return }
    guard !exchange.isTruncated else { return endExchange(closing: true) }
    switch framing {
    case .none: break
    case .length(let length): if exchange.sentBodyBytes != length { return close() }
    case .chunked: send(Array("0\r\n\r\n".utf8))
    }
    endExchange(closing: exchange.head.closesConnection || exchange.remainingContent != nil)
  }

  /// Serves the next request unless `closing`, which closes once everything was sent.
  private func endExchange(closing: Bool) {
    unwatchBodies()
    exchange = nil
    closesWhenSent = closing
    if outbound.isEmpty, closing { return close() }
    // The next request may have arrived.
    loop.schedule(at: loop.now) { [weak self] in if let self, !isClosed { processInput() } }
  }

  func callEnded(_ ticket: Ticket) { server.callEnded(ticket) }

  // MARK: Refusals

  private func fail(_ failure: Failure) {
    let status =
      switch failure.code {
      case .notPermitted, .leaseEnded, .originNotAllowed: 403
      case .invalidRequest: 400
      case .tooBusy: 429
      case .timeout: 504
      default: failure.code.exitStatus == .signInNeeded || failure.code.exitStatus == .locked ? 503 : 502
      }
    respond(status, failure)
    endExchange(closing: exchange?.remainingContent != nil || exchange?.head.closesConnection ?? true)
  }

  /// Responds with an error, then closes the connection.
  private func refuse(_ status: Int, _ text: Phrase) {
    respond(status, Failure(status == 401 ? .notPermitted : .invalidRequest, text))
    endExchange(closing: true)
  }

  /// Cancels the request and responds with an error.
  private func respond(_ status: Int, _ failure: Failure) {
    exchange?.call?.peerDidDisconnect()
    let closes = exchange == nil || exchange?.remainingContent != nil || exchange?.head.closesConnection == true
    let isHead = exchange?.head.method == "HEAD"
    send(Self.errorResponse(status, failure, closes: closes, hasBody: !isHead))
  }

  /// The response to a connection beyond the lease's limit.
  static var tooManyConnectionsResponse: [UInt8] {
    errorResponse(429, .tooManyConnections, closes: true, hasBody: true)
  }

  /// An error response, with JSON content if `hasBody`.
  private static func errorResponse(_ status: Int, _ failure: Failure, closes: Bool, hasBody: Bool) -> [UInt8] {
    let body = JSON.object(JSONObject([("error", failure.json)])).serialized() + [0x0A]
    var lines = "HTTP/1.1 \(status) \(reason(status))\r\nContent-Type: application/json\r\n"
    // Git answers only a Basic challenge.
    if status == 401 { lines += "WWW-Authenticate: Bearer\r\nWWW-Authenticate: Basic realm=\"lease\"\r\n" }
    lines += "Content-Length: \(body.count)\r\n"
    if closes { lines += "Connection: close\r\n" }
    return Array((lines + "\r\n").utf8) + (hasBody ? body : [])
  }

  private static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    default: "-"
    }
  }
}
