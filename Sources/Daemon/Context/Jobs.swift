internal import OAuth
internal import Wire
internal import Platform
internal import Sessions

/// Runs blocking work on threads, and handles the results on the loop (invariant: the loop never blocks).
///
/// Work on local files uses a few threads. Work that waits for servers, locks or peers uses as many as the system and
/// ``WaitShare`` allow.
final class Jobs {
  private static let maximumLocalThreads = 16
  private static let maximumWaitingThreads = 2048
  /// Needed for an exchange with a server.
  private static let descriptorsForWait = 6
  /// Reserved for local connections and files, at most half of all.
  private static let descriptorsForLocal = 512

  private let localPool: WorkerPool
  private let waitPool: WorkerPool
  private let maximumThreadsPerServer: Int
  private let inbox: Inbox
  /// The files to check before handling a result.
  let files: WatchedFiles
  private var shares: [WaitShare: Share] = [:]
  /// Waits in progress, by number.
  private var waits: [UInt64: (cancellation: Cancellation, share: WaitShare?)] = [:]
  private var lastWaitNumber: UInt64 = 0
  /// The error for new work and cancelled waits during shutdown. Nil before it.
  private(set) var stopError: SessionError?
  /// The number of local jobs with unhandled results.
  private(set) var localJobCount = 0

  private struct Share {
    var running = 0
    var queue: [() -> Void] = []
  }

  /// Throws `EAGAIN` if the system allows no thread.
  init(
    _ inbox: Inbox, _ files: WatchedFiles = WatchedFiles(),
    maximumDescriptors: Int = ResourceLimit.descriptors.soft ?? .max
  ) throws(SystemError) {
    self.inbox = inbox
    self.files = files
    localPool = try WorkerPool(keepingOneThreadOf: Self.maximumLocalThreads)
    let local = min(Self.descriptorsForLocal, maximumDescriptors / 2)
    let most = min(Self.maximumWaitingThreads, max(16, (maximumDescriptors - local) / Self.descriptorsForWait))
    waitPool = WorkerPool(maximumThreads: most)
    maximumThreadsPerServer = most / 2
  }

  /// The number of waits with unhandled results.
  var waitCount: Int { waits.count }

  /// Whether any wait is spending a single-use token or code.
  var isSpending: Bool { waits.values.contains { $0.cancellation.isSpending } }

  var spendingAccounts: [AccountName] {
    Set(waits.values.filter(\.cancellation.isSpending).compactMap(\.share?.account)).sorted()
  }

  /// A value used on the loop only, though a worker passes it there.
  private struct LoopBound<Value>: @unchecked Sendable { let value: Value }

  /// Runs `body`, which waits only for the file system, then `finish` on the loop.
  func run<Value: Sendable, Problem>(
    _ body: @escaping @Sendable () throws(Problem) -> Value,
    then finish: @escaping (Result<Value, Problem>) -> Void
  ) {
    localJobCount += 1
    let back = LoopBound(value: { [unowned self] (result: Result<Value, Problem>) in
      files.poll()
      localJobCount -= 1
      finish(result)
    })
    _ = localPool.submit {
      do throws(Problem) { return Result<Value, Problem>.success(try body()) } catch { return .failure(error) }
    } then: { [inbox] result in
      inbox.post { back.value(result) }
    }
  }

  /// Runs `body`, which may wait for servers or processes, once `share` permits. Then calls `finish` on the loop, with
  /// `tooBusy` if there is no thread, or `cancelled` if cancelled before `body` began.
  ///
  /// - Parameter server: The server that `body` waits for, if many accounts may share it.
  func runWaiting<Value: Sendable>(
    as share: WaitShare, at server: String? = nil, _ cancellation: Cancellation,
    _ body: @escaping @Sendable () throws(SessionError) -> Value,
    then finish: @escaping (Result<Value, SessionError>) -> Void
  ) {
    let ended = registerWait(cancellation, as: share) { [unowned self] (result: Result<Value, SessionError>) in
      if let server { recordEnd(in: .server(server)) }
      recordEnd(in: share)
      finish(result)
    }
    let begin = { [unowned self] in
      let back = LoopBound(value: ended)
      let isTaken = waitPool.submit {
        do throws(SessionError) {
          if cancellation.isCancelled { throw .cancelled }
          return Result<Value, SessionError>.success(try body())
        } catch {
          return .failure(error)
        }
      } then: { [inbox] result in
        inbox.post { back.value(result) }
      }
      // `finish` is never called before this function returns.
      if !isTaken { inbox.post { [count = waitCount - 1] in back.value(.failure(.tooBusy(underWay: count))) } }
    }
    beginOrQueue(share) { [unowned self] in
      if let server { beginOrQueue(.server(server), begin) } else { begin() }
    }
  }

  /// Waits without a thread, then calls `finish` on the loop. `begin` starts the wait, and calls its argument once, on
  /// any thread, at the end.
  func wait<Value: Sendable>(
    _ cancellation: Cancellation, _ begin: (@escaping @Sendable (Result<Value, SessionError>) -> Void) -> Void,
    then finish: @escaping (Result<Value, SessionError>) -> Void
  ) {
    let back = LoopBound(value: registerWait(cancellation, finish))
    begin { [inbox] result in inbox.post { back.value(result) } }
  }

  /// Returns a function, to call on the loop, that ends the wait and passes the result to `finish`.
  private func registerWait<Value>(
    _ cancellation: Cancellation, as share: WaitShare? = nil, _ finish: @escaping (Result<Value, SessionError>) -> Void
  ) -> (Result<Value, SessionError>) -> Void {
    lastWaitNumber += 1
    let number = lastWaitNumber
    waits[number] = (cancellation, share)
    if stopError != nil, share?.hasShortTimeLimit != true { cancellation.cancel() }
    return { [unowned self] result in
      files.poll()
      waits[number] = nil
      finish(result.mapError { [unowned self] in replaceCancellation($0) })
    }
  }

  private func limit(of share: WaitShare) -> Int {
    if case .server = share { maximumThreadsPerServer } else { share.limit }
  }

  private func beginOrQueue(_ name: WaitShare, _ begin: @escaping () -> Void) {
    var share = shares[name] ?? Share()
    let mayBegin = share.running < limit(of: name)
    if mayBegin { share.running += 1 } else { share.queue.append(begin) }
    shares[name] = share
    if mayBegin { begin() }
  }

  /// Begins the share's next job.
  private func recordEnd(in name: WaitShare) {
    guard var share = shares[name] else { return }
    let next = share.queue.isEmpty ? nil : share.queue.removeFirst()
    if next == nil { share.running -= 1 }
    shares[name] = share.running == 0 ? nil : share
    next?()
  }

  /// Cancels current and future waits, except sign-outs and those spending a token or code. If `isPermanent`, clients
  /// must not start another daemon.
  func endWaits(isPermanent: Bool = false) {
    stopError = .stopping(isPermanent: isPermanent)
    for wait in waits.values where wait.share?.hasShortTimeLimit != true { wait.cancellation.cancel() }
  }

  /// During shutdown, replaces a cancellation error with ``stopError``.
  func replaceCancellation(_ error: SessionError) -> SessionError {
    stopError.flatMap { error.isCancellation ? $0 : nil } ?? error
  }

  /// Returns a function that sends a running job's messages to `receive` on the loop, before its result.
  func messageSender<Message: Sendable>(_ receive: @escaping (Message) -> Void) -> @Sendable (Message) -> Void {
    let back = LoopBound(value: receive)
    return { [inbox] message in inbox.post { back.value(message) } }
  }
}
