internal import HTTP
internal import Peers
internal import Platform

/// One connection to a redirect socket: a request's head comes in, a page goes out. Used on the loop only.
final class RedirectPeer {
  let descriptor: FileDescriptor
  let socket: RedirectSocket
  let ends: TCPEnds
  /// The owner of the other end, once it is known.
  var owner: TCPEnds.Owner?
  /// When it is let go, whatever it does until then.
  let deadline: Instant

  private var head = RequestHead()
  private var headEnd = LoopbackRequest.HeadEnd()
  private var outbound: [UInt8] = []
  private var sent = 0

  /// A browser that is there answers at once.
  private static let patience = Duration.seconds(10)

  /// Nil for a connection that was reset already.
  init?(_ descriptor: consuming FileDescriptor, at socket: RedirectSocket, now: Instant) {
    guard let ends = try? TCPEnds(descriptor) else { return nil }
    self.ends = ends
    self.descriptor = descriptor
    self.socket = socket
    deadline = now.advanced(by: Self.patience)
  }

  deinit { head.wipe() }

  enum Progress: Equatable {
    case waiting
    case ended
    /// A request for the redirect URI of these listeners came; its query is lent by ``withQuery(_:_:)``.
    case redirect(query: Range<Int>, listeners: [Int])
    /// The link of the sign-in of this listener was opened.
    case link(listener: Int)
    /// The beginning of TLS came, as from a browser that was told to use https only.
    case tls
    case refused(LoopbackPage)
  }

  var isAnswering: Bool { !outbound.isEmpty }

  /// Whether the other end is known to be this user's.
  var isTold: Bool { owner == .user(Machine.userID) }

  /// Reads what is there.
  ///
  /// - Parameter listeners: Those that wait at the socket.
  func read(for listeners: [RedirectListener]) -> Progress {
    while true {
      do {
        if try head.fill(from: descriptor) == 0 { return .ended }
      } catch {
        return error.isAgain ? .waiting : .ended
      }
      // A full head is never incomplete, so there is room for the next bytes.
      if let progress = progress(for: listeners) { return progress }
    }
  }

  /// - Returns: Nil as long as the request is not complete.
  private func progress(for listeners: [RedirectListener]) -> Progress? {
    if head.withBytes({ LoopbackRequest.isTLS($0) }) { return .tls }
    var refusal = LoopbackPage.notFound
    var (matching, query): ([Int], Range<Int>?) = ([], nil)
    for (index, listener) in listeners.enumerated() {
      switch read(listener.target) {
      case .incomplete: return nil
      case .redirect(let found): (matching, query) = (matching + [index], found)
      case .refused(let page): if page != .notFound { refusal = page }
      }
      if let link = listener.link, case .redirect = read(link) { return .link(listener: index) }
    }
    return query.map { .redirect(query: $0, listeners: matching) } ?? .refused(refusal)
  }

  private func read(_ target: LoopbackTarget) -> LoopbackRequest.Reading {
    head.withBytes { LoopbackRequest.read($0, for: target, &headEnd) }
  }

  func withQuery<Result>(_ query: Range<Int>, _ body: (Span<UInt8>) -> Result) -> Result {
    head.withBytes { body($0.extracting(query)) }
  }

  /// Begins to send a response; what came is wiped.
  func answer(_ response: [UInt8]) {
    head.wipe()
    outbound = response
  }

  /// Writes what the kernel takes; true when all is sent or the other end is gone.
  func flush() -> Bool {
    let page = outbound
    while sent < page.count {
      do {
        sent += try descriptor.write(page.span.extracting(sent...))
      } catch {
        return !error.isAgain
      }
    }
    return true
  }
}
