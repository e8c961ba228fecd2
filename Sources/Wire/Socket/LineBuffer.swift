package import Platform

/// Buffers the daemon's lines, and overwrites them after use.
package struct LineBuffer: Sendable {
  /// The bytes from `start` to `end` were received but not used.
  private var storage: [UInt8]
  private var start = 0
  private var end = 0

  /// The index before which there is no newline.
  private var searched = 0

  private static let initialCapacity = 4 << 10

  package init() { storage = [UInt8](repeating: 0, count: Self.initialCapacity) }

  /// Passes the next complete line to `body`, and overwrites it. Returns whether there was one.
  package mutating func passLine(_ body: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) -> Bool {
    while searched < end, storage[searched] != UInt8(ascii: "\n") { searched += 1 }
    guard searched < end else { return false }
    let line = start..<searched
    defer {
      for index in line { storage[index] = 0 }
      searched += 1
      start = searched
    }
    try body(storage.span.extracting(line))
    return true
  }

  /// Reads once, blocking if nothing is available. Returns the number of bytes.
  ///
  /// - Throws: ``LineError/tooLong`` if a line exceeds the protocol's limit.
  package mutating func fill(from socket: borrowing FileDescriptor) throws(LineError) -> Int {
    try makeRoom()
    let count: Int
    do { count = try socket.read(into: &storage, from: end) } catch { throw .system(error) }
    end += count
    return count
  }

  private mutating func makeRoom() throws(LineError) {
    if start == end { (start, end, searched) = (0, 0, 0) }
    guard end == storage.count else { return }
    guard end - start < WireProtocol.maximumLineBytes else { throw .tooLong }
    var larger = [UInt8](repeating: 0, count: max(storage.count, 2 * (end - start)))
    for index in start..<end { larger[index - start] = storage[index] }
    storage.overwrite()
    storage = larger
    (end, searched, start) = (end - start, searched - start, 0)
  }
}

package enum LineError: Error, Hashable {
  case system(SystemError)
  case tooLong
}
