package import Platform

/// The first bytes of a browser's request. Users must ``wipe()`` them, since they may contain a code.
package struct RequestHead {
  /// Nearly all requests fit the first. The second exceeds the largest head by one byte.
  private static let bufferSizes = [16_384, LoopbackRequest.maximumBytes + 1]

  private var storage: [UInt8] = []
  package private(set) var count = 0

  package init() {}

  package func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result { body(storage.span.extracting(..<count)) }

  /// Reads once. Returns the number of bytes, or 0 at the connection's end.
  package mutating func fill(from descriptor: borrowing FileDescriptor) throws(SystemError) -> Int {
    if count == storage.count { grow() }
    let got = try descriptor.read(into: &storage, from: count)
    count += got
    return got
  }

  /// Wipes the old buffer.
  private mutating func grow() {
    guard let size = Self.bufferSizes.first(where: { $0 > storage.count }) else { return }
    var larger = [UInt8](repeating: 0, count: size)
    for index in 0..<count {
      larger[index] = storage[index]
      storage[index] = 0
    }
    storage = larger
  }

  package mutating func wipe() {
    for index in 0..<count { storage[index] = 0 }
    count = 0
  }
}
