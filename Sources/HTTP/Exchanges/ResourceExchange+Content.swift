internal import OAuth

/// Request content on its way to the resource.
final class SentContent {
  private let content: any ResourceContent
  private var sentBytes = 0
  private var isPaused = false

  init(_ content: any ResourceContent) { self.content = content }

  /// In bytes; nil if unknown at the start.
  var length: Int? { content.length }

  func read(into space: inout MutableSpan<UInt8>) -> ResourceContentPart {
    let part = content.read(into: &space)
    switch part {
    case .bytes(let count): sentBytes += count
    case .later: isPaused = true
    case .end: if let length = content.length, sentBytes != length { return .failed }
    case .failed: break
    }
    return part
  }

  var awaitedDescriptors: [(descriptor: Int32, isWriting: Bool)] { isPaused ? [(content.descriptor, false)] : [] }

  /// Returns false if not paused.
  func resume() -> Bool {
    defer { isPaused = false }
    return isPaused
  }
}

/// Response content on its way to the receiver.
final class ReceivedContent {
  private let receiver: any ResourceReceiver
  /// The bytes from `start` are not yet accepted by the receiver.
  private var pending: [UInt8] = []
  private var start = 0
  private(set) var isPaused = false
  private(set) var acceptedBytes = 0
  private var screen: TokenScreen?
  private(set) var hasFoundToken = false

  /// - Parameter screen: Searches for the token; nil if the receiver may see it.
  init(_ receiver: any ResourceReceiver, _ screen: TokenScreen? = nil) {
    self.receiver = receiver
    self.screen = screen
  }

  deinit { wipe() }

  /// Returns whether the receiver wants the content.
  func begin(_ head: ResourceHead) -> Bool { receiver.begin(head) }

  /// Accepts all bytes or none.
  func accept(_ bytes: Span<UInt8>) -> ContentReceipt {
    guard flush() else { return .stop }
    guard pending.isEmpty else {
      isPaused = true
      return .pause
    }
    if screen != nil {
      guard let isClear = screen?.pass(bytes, to: &pending), isClear else {
        hasFoundToken = true
        return .stop
      }
      acceptedBytes += pending.count
      return flush() ? .accepted : .stop
    }
    guard let count = receiver.take(bytes) else { return .stop }
    acceptedBytes += bytes.count
    for index in count..<bytes.count { pending.append(bytes[index]) }
    return .accepted
  }

  /// Releases bytes withheld because they could begin the token.
  func end() {
    let count = pending.count
    screen?.finish(to: &pending)
    acceptedBytes += pending.count - count
  }

  var awaitedDescriptors: [(descriptor: Int32, isWriting: Bool)] {
    pending.isEmpty ? [] : [(receiver.descriptor, true)]
  }

  /// Ends a pause once the receiver has accepted all bytes. Returns whether a pause ended.
  func resume() -> Bool {
    guard isPaused, pending.isEmpty else { return false }
    isPaused = false
    return true
  }

  /// Passes on as many pending bytes as possible. Returns false if the receiver is closed.
  func flush() -> Bool {
    while !pending.isEmpty {
      guard let count = receiver.take(pending.span.extracting(start...)) else { return false }
      if count == 0 { return true }
      start += count
      if start == pending.count { wipe() }
    }
    return true
  }

  private func wipe() {
    for index in pending.indices { pending[index] = 0 }
    pending.removeAll(keepingCapacity: true)
    start = 0
  }
}
