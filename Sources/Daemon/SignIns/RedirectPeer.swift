internal import HTTP
internal import Peers
internal import Platform

/// One connection to a redirect listener: a request's head comes in, a page goes out. Used on the loop only.
final class RedirectPeer {
  let descriptor: FileDescriptor
  let login: UInt64
  let ends: TCPEnds
  /// The owner of the other end, once it is known.
  var owner: TCPEnds.Owner?
  private let listener: RedirectListener
  /// When it is let go, whatever it does until then.
  let deadline: Instant

  private var head = RequestHead()
  private var headEnd = LoopbackRequest.HeadEnd()
  private var outbound: [UInt8] = []
  private var sent = 0

  /// A browser that is there answers at once.
  private static let patience = Duration.seconds(10)

  /// Nil for a connection that was reset already.
  init?(_ descriptor: consuming FileDescriptor, login: UInt64, _ listener: RedirectListener, now: Instant) {
    guard let ends = try? TCPEnds(descriptor) else { return nil }
    self.ends = ends
    self.descriptor = descriptor
    self.login = login
    self.listener = listener
    deadline = now.advanced(by: Self.patience)
  }

  deinit { head.wipe() }

  enum Progress: Equatable {
    case waiting
    case ended
    /// The awaited request came; its query is lent by ``withQuery(_:_:)``.
    case redirect(query: Range<Int>)
    /// The link of the sign-in was opened.
    case link
    case refused(LoopbackPage)
  }

  var isAnswering: Bool { !outbound.isEmpty }

  /// Whether the other end is known to be this user's.
  var isTold: Bool { owner == .user(Machine.userID) }

  /// Reads what is there.
  func read() -> Progress {
    while true {
      do {
        if try head.fill(from: descriptor) == 0 { return .ended }
      } catch {
        return error.isAgain ? .waiting : .ended
      }
      // A full head is never incomplete, so there is room for the next bytes.
      switch head.withBytes({ LoopbackRequest.read($0, for: listener.target, &headEnd) }) {
      case .incomplete: continue
      case .redirect(let query): return .redirect(query: query)
      case .refused(.notFound): return isLink ? .link : .refused(.notFound)
      case .refused(let page): return .refused(page)
      }
    }
  }

  private var isLink: Bool {
    guard let link = listener.link else { return false }
    return head.withBytes {
      if case .redirect = LoopbackRequest.read($0, for: link, &headEnd) { true } else { false }
    }
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
