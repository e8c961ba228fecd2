internal import OAuth
internal import Platform

/// Waits for all slow responses on one thread, so no event stream occupies a thread for days.
final class PendingResponses: Sendable {
  private final class ThreadDescriptors: Sendable {
    let poller: Poller
    let wakeup: EventCounter

    init() throws(SystemError) {
      poller = try Poller()
      wakeup = try EventCounter()
      try poller.add(wakeup.raw, interest: .read, key: 0)
    }
  }

  private struct State {
    /// Nil if the thread is not running.
    var descriptors: ThreadDescriptors?
    /// Responses that need the thread.
    var reservations = 0
    /// Not yet picked up by the thread.
    var newResponses: [PendingResponse] = []
  }

  private let state = Monitor(State())

  /// Reserves resources for one response, until ``release()``. Returns false without threads or descriptors.
  func reserve() -> Bool {
    state.withLock { state in
      if state.descriptors == nil {
        guard let descriptors = try? ThreadDescriptors(),
          (try? Threads.start(name: "open answers", { [self] in run(descriptors) })) != nil
        else { return false }
        state.descriptors = descriptors
      }
      state.reservations += 1
      return true
    }
  }

  func release() {
    state.withLock { state in
      state.reservations -= 1
      state.descriptors?.wakeup.signal()
    }
  }

  /// Passes a reserved response to the thread, which continues it.
  func add(_ response: PendingResponse) {
    state.withLock { state in
      state.newResponses.append(response)
      state.descriptors?.wakeup.signal()
    }
  }

  func wake() { state.withLock { $0.descriptors?.wakeup.signal() } }

  /// Waits until no response is left.
  private func run(_ descriptors: ThreadDescriptors) {
    var answers: [UInt64: PendingResponse] = [:]
    var lastKey: UInt64 = 0
    while true {
      let events = try? descriptors.poller.wait(until: answers.values.lazy.map(\.due).min())
      descriptors.wakeup.drain()
      var keys = Set(events?.map(\.key) ?? Array(answers.keys))
      guard let arrived = takeNewResponses() else { return }
      for answer in arrived {
        lastKey += 1
        answers[lastKey] = answer
        keys.insert(lastKey)
      }
      let now = Instant.now
      for (key, answer) in answers where keys.contains(key) || answer.due <= now || answer.isCancelled {
        if events == nil { answer.fail() } else { answer.advance(descriptors.poller, key) }
        if answer.hasEnded { answers[key] = nil }
      }
    }
  }

  /// Nil if the thread must end.
  private func takeNewResponses() -> [PendingResponse]? {
    state.withLock { state in
      defer { state.newResponses = [] }
      if state.reservations > 0 { return state.newResponses }
      state.descriptors = nil
      return nil
    }
  }
}

/// The rest of a slow response. Used only by the thread that began it and, after ``receive(_:)``, by that of
/// ``PendingResponses``.
final class PendingResponse: PendingContent, @unchecked Sendable {
  private let handle: CurlHandle
  private let exchange: ResourceExchange
  private let owner: PendingResponses
  private let keepConnection: () -> Void
  private var finish: (@Sendable (Result<Int, HTTPFailure>) -> Void)?
  /// From ``Cancellation/addWaker(_:)``.
  private var waker: UInt64?
  /// Awaited descriptors, and whether for writing.
  private var watched: [Int32: Bool] = [:]
  /// Whether libcurl has finished, although the receiver may not have.
  private var isTransferDone = false
  private(set) var hasEnded = false
  /// When to continue even if no descriptor is ready.
  private(set) var due = Instant.now

  /// `owner` has a reservation. `keep` is called at the end if the connection is reusable.
  init(_ handle: CurlHandle, _ exchange: ResourceExchange, _ owner: PendingResponses, then keep: @escaping () -> Void) {
    self.handle = handle
    self.exchange = exchange
    self.owner = owner
    self.keepConnection = keep
  }

  deinit {
    if !hasEnded { handle.abandonTransfer() }
    owner.release()
  }

  var isCancelled: Bool { exchange.isCancelled }

  func receive(_ finish: @escaping @Sendable (Result<Int, HTTPFailure>) -> Void) {
    self.finish = finish
    waker = exchange.cancellation?.addWaker { [owner] in owner.wake() }
    owner.add(self)
  }

  func fail() { end(.failure(exchange.progress.failure(.setup))) }

  /// Continues the transfer without blocking.
  func advance(_ poller: borrowing Poller, _ key: UInt64) {
    do throws(HTTPFailure) {
      if !isTransferDone, case .ended(let result) = handle.advance(exchange) {
        watch([:], poller, key)
        try handle.end(exchange, after: result)
        isTransferDone = true
      }
      if isTransferDone, try exchange.passRest() {
        watch([:], poller, key)
        return end(.success(try exchange.response().contentBytes))
      }
    } catch {
      watch([:], poller, key)
      return end(.failure(error))
    }
    var wanted = Dictionary(exchange.awaitedDescriptors.map { ($0.descriptor, $0.isWriting) }) { first, _ in first }
    if !isTransferDone, wanted.isEmpty, let socket = handle.socket { wanted[socket] = false }
    guard watch(wanted, poller, key) else { return fail() }
    let longest = isTransferDone ? CurlHandle.longestWait : exchange.longestWait
    due = .now.advanced(by: min(longest, handle.timeUntilNeeded ?? longest))
  }

  /// Replaces the awaited descriptors. Returns false if one cannot be polled.
  @discardableResult
  private func watch(_ wanted: [Int32: Bool], _ poller: borrowing Poller, _ key: UInt64) -> Bool {
    guard wanted != watched else { return true }
    for descriptor in watched.keys { try? poller.remove(descriptor) }
    watched = wanted
    for (descriptor, isWriting) in wanted {
      guard (try? poller.add(descriptor, interest: isWriting ? .write : .read, key: key)) != nil else { return false }
    }
    return true
  }

  private func end(_ result: Result<Int, HTTPFailure>) {
    hasEnded = true
    if let waker { exchange.cancellation?.removeWaker(waker) }
    handle.abandonTransfer()
    if case .success = result { keepConnection() }
    finish?(result)
    finish = nil
  }
}
