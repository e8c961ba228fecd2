package import Platform
package import Vocabulary

/// One connection to a redirect socket: reads the head of a request and sends a page.
package final class RedirectPeer {
  package let descriptor: FileDescriptor
  package let socket: RedirectSocket
  package let ends: TCPAddressPair
  /// The other end's owner, once known.
  package var owner: TCPAddressPair.Owner?
  /// When to close the connection. While ``loginNumber`` is set, when to send a page without its result.
  package private(set) var deadline: Instant
  /// The number of the sign-in whose result the browser waits for, if any.
  package private(set) var loginNumber: UInt64?
  /// For the result's page.
  package private(set) var pageTexts = Translations.english

  private var head = RequestHead()
  private var headEnd = LoopbackRequest.HeadEnd()
  /// The response, of which ``sent`` bytes were sent.
  private var outbound: [UInt8] = []
  private var sent = 0

  private static let requestTimeout = Duration.seconds(10)
  /// How long a browser waits for the result of a sign-in.
  private static let resultWait = Duration.seconds(10)

  /// Wraps an accepted connection. Nil if it was already reset.
  package init?(_ descriptor: consuming FileDescriptor, at socket: RedirectSocket, now: Instant) {
    guard let ends = try? TCPAddressPair(descriptor) else { return nil }
    self.ends = ends
    self.descriptor = descriptor
    self.socket = socket
    deadline = now.advanced(by: Self.requestTimeout)
  }

  deinit { head.wipe() }

  /// The result of ``read(for:)``.
  package enum Progress: Equatable {
    /// The request is incomplete.
    case waiting
    /// The connection was closed.
    case ended
    /// A request for the redirect URI of the targets with these indices. ``withQuery(_:_:)`` passes the query.
    case redirect(query: Range<Int>, targets: [Int])
    /// A request for the link of the target with this index.
    case link(target: Int)
    /// The beginning of TLS, for example from a browser in https-only mode.
    case tls
    /// The request is invalid, and this page is the response.
    case refused(LoopbackPage)
  }

  /// Whether a response is being sent.
  package var isAnswering: Bool { !outbound.isEmpty }

  /// Whether the other end is known to belong to the current user.
  package var isFromOwnUser: Bool { owner == .user(Machine.userID) }

  /// What a sign-in expects: requests for its redirect URI, and for its link to the authorization server, if any.
  package typealias Targets = (redirect: LoopbackTarget, link: LoopbackTarget?)

  /// Reads the available bytes.
  ///
  /// - Parameter targets: Those of the socket's sign-ins.
  package func read(for targets: [Targets]) -> Progress {
    while true {
      do {
        if try head.fill(from: descriptor) == 0 { return .ended }
      } catch {
        return error.wouldBlock ? .waiting : .ended
      }
      // A full head is never incomplete, so there is space for the next bytes.
      if let progress = parseReceived(for: targets) { return progress }
    }
  }

  /// Nil while the request is incomplete.
  private func parseReceived(for targets: [Targets]) -> Progress? {
    if head.withBytes({ LoopbackRequest.isTLS($0) }) { return .tls }
    var refusal = LoopbackPage.notFound
    var (matching, query): ([Int], Range<Int>?) = ([], nil)
    for (index, target) in targets.enumerated() {
      switch parseRequest(for: target.redirect) {
      case .incomplete: return nil
      case .redirect(let found): (matching, query) = (matching + [index], found)
      case .refused(let page): if page != .notFound { refusal = page }
      }
      if let link = target.link, case .redirect = parseRequest(for: link) { return .link(target: index) }
    }
    return query.map { .redirect(query: $0, targets: matching) } ?? .refused(refusal)
  }

  /// Checks whether the received bytes are the expected request.
  private func parseRequest(for target: LoopbackTarget) -> LoopbackRequest.ParseResult {
    head.withBytes { LoopbackRequest.parse($0, for: target, &headEnd) }
  }

  /// Calls `body` with the query at a range from ``Progress/redirect(query:targets:)``. Returns its result.
  package func withQuery<Result>(_ query: Range<Int>, _ body: (Span<UInt8>) -> Result) -> Result {
    head.withBytes { body($0.extracting(query)) }
  }

  /// Wipes the request. The response will be the result of a sign-in, translated by `pageTexts`.
  package func awaitResult(of loginNumber: UInt64, in pageTexts: Translations, now: Instant) {
    head.wipe()
    (self.loginNumber, self.pageTexts) = (loginNumber, pageTexts)
    deadline = now.advanced(by: Self.resultWait)
  }

  /// Wipes the request and sets the response.
  package func setResponse(_ response: [UInt8]) {
    head.wipe()
    loginNumber = nil
    outbound = response
  }

  /// Writes pending bytes. Returns true once all are sent or the peer has disconnected.
  package func flush() -> Bool {
    let page = outbound
    while sent < page.count {
      do {
        sent += try descriptor.write(page.span.extracting(sent...))
      } catch {
        return !error.wouldBlock
      }
    }
    return true
  }
}
