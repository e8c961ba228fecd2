import Platform
import TestSupport
import Testing
import Wire

@testable import Daemon

@Suite struct `A body in lines` {
  @Test func `is asked for part by part, and not before the part before has gone on`() throws {
    let replies = RecordedReplies(ManualTime())
    let pipe = try Pipe()
    let writing = SharedDescriptor(pipe.writing)
    try writing.descriptor.setNonBlocking(true)
    let content = InlineContent(writing, .number(1), replies)
    #expect(replies.events[1] == [.bodyWanted])
    try content.take(ResourceBodyRequest(bytes: [1], isLast: false))
    #expect(replies.events[1] == [.bodyWanted, .bodyWanted])
    // More than the pipe holds, which nobody reads.
    try content.take(ResourceBodyRequest(bytes: [UInt8](repeating: 2, count: 100_000), isLast: false))
    #expect(replies.events[1]?.count == 2)
    #expect(throws: Failure(.invalidRequest, "a part of the body came unasked")) {
      try content.take(ResourceBodyRequest(bytes: [3], isLast: true))
    }
  }

  @Test func `is over with its last part`() throws {
    let replies = RecordedReplies(ManualTime())
    let pipe = try Pipe()
    let writing = SharedDescriptor(pipe.writing)
    let content = InlineContent(writing, .number(1), replies)
    try content.take(ResourceBodyRequest(bytes: [1], isLast: true))
    #expect(replies.events[1] == [.bodyWanted])
    #expect(throws: Failure(.invalidRequest, "a part of the body came unasked")) {
      try content.take(ResourceBodyRequest(bytes: [3], isLast: true))
    }
  }
}
