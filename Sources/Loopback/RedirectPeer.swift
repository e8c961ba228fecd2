package import Platform
package import Vocabulary

/// A connection to a redirect socket. Reads a request's head and sends a page.
package final class RedirectPeer {
  package let descriptor: FileDescriptor
  package let socket: RedirectSocket
  package let ends: TCPAddressPair
  /// Nil until the other end's owner is known.
  package var owner: TCPAddressPair.Owner?
  /// When to close or, while ``loginNumber`` is set, send a page without its result.
  package private(set) var deadline: Instant
  /// The sign-in whose result the browser waits for, if any.
  package private(set) var loginNumber: UInt64?
  /// Translates the result's page.
  package private(set) var pageTexts = Translations.english

  private var head = RequestHead()
  private var headEnd = LoopbackRequest.HeadEnd()
  /// The response; ``sent`` bytes are sent.
  private var outbound: [UInt8] = []
  private var sent = 0

  private static let requestTimeout = Duration.seconds(10)
  /// How long a browser waits for a sign-in's result.
  private static let resultWait = Duration.seconds(10)

  /// Nil if the accepted connection was already reset.
  package init?(_ descriptor: consuming FileDescriptor, at socket: RedirectSocket, now: Instant) {
    guard let ends = try? TCPAddressPair(descriptor) else { return nil }
    self.ends = ends
    self.descriptor = descriptor
    self.socket = socket
    deadline = now.advanced(by: Self.requestTimeout)
  }

  deinit { head.wipe() }

  package enum Progress: Equatable {
    /// The request is incomplete.
    case waiting
    /// The connection was closed.
    case ended
    /// A request for the redirect URI of the targets with these indices. ``withQuery(_:_:)`` passes the query.
    case redirect(query: Range<Int>, targets: [Int])
    /// A request for the link of the target with this index.
    case link(target: Int)
    /// TLS, such as from a browser in https-only mode.
    case tls
    /// The request is invalid. Respond with this page.
    case refused(LoopbackPage)
  }

  package var isAnswering: Bool { !outbound.isEmpty }

  /// Whether the other end is known to belong to the current user.
  package var isFromOwnUser: Bool { owner == .user(Machine.userID) }

  /// A sign-in's redirect URI, and its link to the authorization server, if any.
  package typealias Targets = (redirect: LoopbackTarget, link: LoopbackTarget?)

  /// Reads what is available. `targets` are those of the socket's sign-ins.
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

  private func parseRequest(for target: LoopbackTarget) -> LoopbackRequest.ParseResult {
    head.withBytes { LoopbackRequest.parse($0, for: target, &headEnd) }
  }

  /// Passes the query of ``Progress/redirect(query:targets:)`` to `body`.
  package func withQuery<Result>(_ query: Range<Int>, _ body: (Span<UInt8>) -> Result) -> Result {
    head.withBytes { body($0.extracting(query)) }
  }

  /// Wipes the request. The response will be a sign-in's result, translated by `pageTexts`.
  package func awaitResult(of loginNumber: UInt64, in pageTexts: Translations, now: Instant) {
    head.wipe()
    (self.loginNumber, self.pageTexts) = (loginNumber, pageTexts)
    deadline = now.advanced(by: Self.resultWait)
  }

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
