import WireSupport
import Platform
import TestSupport
import Testing
@testable import Wire

@Suite struct `The body of an answer in lines` {
  // The body notifies its loop when destroyed, so it is destroyed first.
  private let body: InlineResponseBody
  private let replies = RecordedReplies(ManualTime())
  private let writing: SharedDescriptor

  init() throws {
    let pipe = try Pipe()
    try pipe.reading.setNonBlocking(true)
    writing = SharedDescriptor(try pipe.writing.duplicate())
    body = InlineResponseBody(SharedDescriptor(try pipe.reading.duplicate()), .number(1), replies)
    body.begin()
  }

  private func write(_ text: String) throws {
    try writing.descriptor.writeAll(Array(text.utf8).span)
    for serve in replies.watched { serve() }
  }

  private var sent: String {
    let pieces = replies.events[1, default: []].map { event -> [UInt8] in
      if case .body(let piece) = event { piece } else { [] }
    }
    return String(decoding: pieces.joined(), as: UTF8.self)
  }

  @Test func `is sent as it comes, and ends when all of it was sent, not before, and once`() throws {
    var ends = 0
    try write("abc")
    #expect(sent == "abc")
    body.end(after: 6) { ends += 1 }
    #expect(ends == 0, "half of it is still to come")
    try write("def")
    #expect(sent == "abcdef" && ends == 1)
    try write("g")
    #expect(ends == 1)
  }

  // Otherwise a peer that reads at once could make the stack arbitrarily deep.
  @Test func `goes on after a part, not within it, where the peer has read that at once`() throws {
    var (depth, most) = (0, 0)
    replies.whileSending = { [unowned replies] in
      depth += 1
      most = max(most, depth)
      replies.streams[1]?()
      depth -= 1
    }
    let text = String(repeating: "a", count: CallRequest.maximumEventBytes) + "b"
    try write(text)
    #expect(sent == text && replies.events[1]?.count == 2 && most == 1)
  }

  @Test func `is watched once, however often there is nothing to read`() throws {
    for text in ["abc", "", "def"] { try write(text) }
    #expect(sent == "abcdef" && replies.watched.count == 1)
  }

  @Test func `ends at once where all was sent before its length was known`() throws {
    var ends = 0
    try write("abc")
    body.end(after: 3) { ends += 1 }
    #expect(ends == 1)
  }

  @Test func `waits while the peer has not read a mebibyte, and goes on when it reads`() throws {
    replies.unreadBytes = 1 << 20
    try write("abc")
    #expect(sent == "")
    replies.unreadBytes -= 1
    replies.streams[1]?()
    #expect(sent == "abc")
  }
}
