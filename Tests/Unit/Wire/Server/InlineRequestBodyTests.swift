import Platform
import TestSupport
import Testing
@testable import Wire
import WireSupport

@Suite struct `A body in lines` {
  // As in the program.
  init() { Signals.ignoreFailingWrites() }

  @Test func `is asked for part by part, and not before the part before has gone on`() throws {
    let replies = RecordedReplies(ManualTime())
    let pipe = try Pipe()
    let writing = SharedDescriptor(pipe.writing)
    try writing.descriptor.setNonBlocking(true)
    let content = InlineRequestBody(writing, .number(1), replies)
    content.begin()
    #expect(replies.events[1] == [.bodyWanted])
    try content.append(ResourceBodyRequest(bytes: [1], isLast: false))
    #expect(replies.events[1] == [.bodyWanted, .bodyWanted])
    // More than the capacity of the pipe, which is not read.
    try content.append(ResourceBodyRequest(bytes: [UInt8](repeating: 2, count: 100_000), isLast: false))
    #expect(replies.events[1]?.count == 2)
    expect(throws: Failure(.invalidRequest, "unexpected part of a body")) {
      try content.append(ResourceBodyRequest(bytes: [3], isLast: true))
    }
  }

  @Test func `goes on when its reader has made room, and then the next part is asked for`() throws {
    let replies = RecordedReplies(ManualTime())
    var reading: SharedDescriptor?
    let content = try content(replies, into: Pipe(), &reading)
    try content.append(ResourceBodyRequest(bytes: [UInt8](repeating: 2, count: 100_000), isLast: false))
    #expect(replies.events[1] == [.bodyWanted] && replies.watched.count == 1)
    let end = try #require(reading)
    var bytes: [UInt8] = []
    while bytes.count < 100_000 {
      try #require(try end.descriptor.waitUntilReadable(timeout: .zero))
      try #require(try end.descriptor.read(into: &bytes, upTo: 100_000) > 0)
      replies.watched.last?()
    }
    #expect(bytes.count == 100_000 && replies.events[1] == [.bodyWanted, .bodyWanted])
    #expect(replies.watched.count == 1)
  }

  @Test func `that cannot wait for room is given up`() throws {
    let replies = RecordedReplies(ManualTime())
    let pipe = try Pipe()
    let writing = SharedDescriptor(pipe.writing)
    try writing.descriptor.setNonBlocking(true)
    let content = InlineRequestBody(writing, .number(1), replies)
    content.begin()
    replies.isFull = true
    expect(throws: Failure(.internalError, "cannot forward the body")) {
      try content.append(ResourceBodyRequest(bytes: [UInt8](repeating: 2, count: 100_000), isLast: false))
    }
    #expect(replies.events[1] == [.bodyWanted])
  }

  /// A body with the only copy of its pipe.
  private func content(
    _ replies: RecordedReplies, into pipe: consuming Pipe, _ reading: inout SharedDescriptor?
  ) throws -> InlineRequestBody {
    let writing = SharedDescriptor(pipe.writing)
    try writing.descriptor.setNonBlocking(true)
    let end = SharedDescriptor(pipe.reading)
    try end.descriptor.setNonBlocking(true)
    reading = end
    let content = InlineRequestBody(writing, .number(1), replies)
    content.begin()
    return content
  }

  @Test(arguments: [false, true]) func `is whole for its reader after the last part, and not before`(isLast: Bool)
    throws
  {
    let replies = RecordedReplies(ManualTime())
    var reading: SharedDescriptor?
    let content = try content(replies, into: Pipe(), &reading)
    try content.append(ResourceBodyRequest(bytes: [1], isLast: isLast))
    let end = try #require(reading)
    var bytes: [UInt8] = []
    #expect(try end.descriptor.read(into: &bytes, upTo: 10) == 1)
    let isEnded = try end.descriptor.waitUntilReadable(timeout: isLast ? .testLimit : .zero)
    #expect(isEnded == isLast)
    if isEnded { #expect(try end.descriptor.read(into: &bytes, upTo: 10) == 0) }
    withExtendedLifetime(content) {}
  }

  @Test func `that nobody reads any more keeps no pipe, and nothing of it is watched`() throws {
    Signals.ignoreFailingWrites()
    let replies = RecordedReplies(ManualTime())
    let pipe = try Pipe()
    weak var end: SharedDescriptor?
    let content: InlineRequestBody
    do {
      let writing = SharedDescriptor(try pipe.writing.duplicate())
      try writing.descriptor.setNonBlocking(true)
      end = writing
      content = InlineRequestBody(writing, .number(1), replies)
      content.begin()
    }
    #expect(end != nil)
    try pipe.reading.close()
    try pipe.writing.awaitClosingOfOtherEnd()
    try content.append(ResourceBodyRequest(bytes: [1], isLast: false))
    #expect(end == nil && replies.watched.isEmpty)
    #expect(replies.events[1] == [.bodyWanted])
    withExtendedLifetime(content) {}
  }

  @Test func `is over with its last part`() throws {
    let replies = RecordedReplies(ManualTime())
    let pipe = try Pipe()
    let writing = SharedDescriptor(pipe.writing)
    let content = InlineRequestBody(writing, .number(1), replies)
    content.begin()
    try content.append(ResourceBodyRequest(bytes: [1], isLast: true))
    #expect(replies.events[1] == [.bodyWanted])
    expect(throws: Failure(.invalidRequest, "unexpected part of a body")) {
      try content.append(ResourceBodyRequest(bytes: [3], isLast: true))
    }
  }
}
