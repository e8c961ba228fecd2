internal import HTTP
internal import Platform

/// The first bytes that a browser sends. They may hold a code, so the room is made once at full size, no copy
/// stays behind when it would grow, and it is wiped.
struct RequestHead {
  private var storage = [UInt8](repeating: 0, count: LoopbackRequest.maximumBytes + 1)
  private(set) var count = 0

  func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result { body(storage.span.extracting(..<count)) }

  /// Reads once; returns how many bytes came, 0 at the end.
  mutating func fill(from descriptor: borrowing FileDescriptor) throws(SystemError) -> Int {
    let got = try Self.read(descriptor, into: &storage, after: count)
    count += got
    return got
  }

  mutating func wipe() {
    for index in 0..<count { storage[index] = 0 }
    count = 0
  }

  private static func read(
    _ descriptor: borrowing FileDescriptor, into storage: inout [UInt8], after end: Int
  ) throws(SystemError) -> Int {
    var space = storage.mutableSpan
    var free = space._mutatingExtracting(end...)
    return try descriptor.read(into: &free)
  }
}
