import Platform
import Testing

@Suite struct `Searching bytes` {
  private static func place(of byte: UInt8, in bytes: [UInt8], from start: Int) -> Int? {
    let span = bytes.span
    return span.firstIndex(of: byte, from: start)
  }

  private static func areSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    let (first, second) = (left.span, right.span)
    return first.hasSameBytes(as: second)
  }

  @Test func `the first byte at or after a place is found`() {
    let bytes: [UInt8] = [7, 10, 7, 10]
    #expect((0...4).map { Self.place(of: 10, in: bytes, from: $0) } == [1, 1, 3, 3, nil])
    #expect(Self.place(of: 9, in: bytes, from: 0) == nil)
    #expect(Self.place(of: 10, in: [], from: 0) == nil)
  }

  @Test func `bytes are the same when each is`() {
    #expect(Self.areSame([1, 0, 3], [1, 0, 3]))
    #expect(Self.areSame([], []))
    let others: [[UInt8]] = [[1, 0], [1, 0, 4], [1, 0, 3, 0], [2, 0, 3], []]
    for other in others { #expect(!Self.areSame([1, 0, 3], other)) }
  }
}
