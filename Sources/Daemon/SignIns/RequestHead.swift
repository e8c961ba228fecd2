internal import HTTP
internal import Platform

/// The first bytes that a browser sends. They may hold a code, so they are wiped, in a room that was too small too. Room is
/// made when they come: a connection that sends nothing takes none.
struct RequestHead {
  /// Enough for nearly all requests. More than a head may have is read of none.
  private static let rooms = [16_384, LoopbackRequest.maximumBytes + 1]

  private var storage: [UInt8] = []
  private(set) var count = 0

  func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result { body(storage.span.extracting(..<count)) }

  /// Reads once; returns how many bytes came, 0 at the end.
  mutating func fill(from descriptor: borrowing FileDescriptor) throws(SystemError) -> Int {
    if count == storage.count { grow() }
    let got = try descriptor.read(into: &storage, from: count)
    count += got
    return got
  }

  private mutating func grow() {
    guard let room = Self.rooms.first(where: { $0 > storage.count }) else { return }
    var larger = [UInt8](repeating: 0, count: room)
    for index in 0..<count {
      larger[index] = storage[index]
      storage[index] = 0
    }
    storage = larger
  }

  mutating func wipe() {
    for index in 0..<count { storage[index] = 0 }
    count = 0
  }
}
