import OAuth
import Platform
import Sessions
import TestSupport
import Testing

@testable import Daemon

@Suite struct `What is sent from a descriptor` {
  private func read(_ content: DescriptorContent, by count: Int = 1000) -> (text: String, end: ResourceContentPart) {
    var bytes: [UInt8] = []
    while true {
      var piece = [UInt8](repeating: 0, count: count)
      var space = piece.mutableSpan
      let part = content.read(into: &space)
      guard case .bytes(let got) = part else { return (String(decoding: bytes, as: UTF8.self), part) }
      bytes += piece.prefix(got)
    }
  }

  @Test func `is a file from its current place, as often as it is wanted`() throws {
    let file = try FileDescriptor.inMemory(Array("0123456789".utf8).span)
    var skipped: [UInt8] = []
    #expect(try file.read(into: &skipped, upTo: 4) == 4)
    let content = try DescriptorContent(SharedDescriptor(file), Cancellation())
    try content.prepare(stallSeconds: 60)
    #expect(content.length == 6)
    for size in [1, 4, 1000] {
      #expect(read(content, by: size) == ("456789", .end))
      #expect(content.canRewind)
      content.rewind()
    }
  }

  @Test func `fails when a file has become shorter`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("file", "0123456789")
    let content = try DescriptorContent(
      SharedDescriptor(try FileDescriptor(opening: directory.path("file"), for: .reading)), Cancellation())
    _ = try FileDescriptor(opening: directory.path("file"), for: .replacing)
    #expect(read(content) == ("", .failed))
  }

  @Test func `is the whole of a short pipe, as often as it is wanted`() throws {
    let pipe = try Pipe()
    try pipe.writing.writeAll(Array("hello".utf8).span)
    try pipe.writing.close()
    let content = try DescriptorContent(SharedDescriptor(pipe.reading), Cancellation())
    try content.prepare(stallSeconds: 60)
    #expect(content.length == 5)
    for _ in 0..<2 {
      #expect(read(content) == ("hello", .end))
      #expect(content.canRewind)
      content.rewind()
    }
  }

  @Test func `ends where a short pipe ended, though another writer comes to it`() throws {
    let pipe = try Pipe()
    try pipe.writing.writeAll(Array("hello".utf8).span)
    try pipe.writing.close()
    let reading = SharedDescriptor(pipe.reading)
    let content = try DescriptorContent(reading, Cancellation())
    try content.prepare(stallSeconds: 60)
    let other = try FileDescriptor(opening: "/proc/self/fd/\(reading.descriptor.raw)", for: .writing)
    try other.writeAll(Array(" again".utf8).span)
    #expect(content.length == 5)
    #expect(read(content) == ("hello", .end))
  }

  @Test func `is a long pipe once, and its beginning again`() throws {
    let pipe = try Pipe()
    let whole = DescriptorContent.maximumKeptBytes + 100_000
    let writing = SharedDescriptor(pipe.writing)
    try Threads.start(name: "writer") {
      try? writing.descriptor.writeAll([UInt8](repeating: 0x78, count: whole).span)
    }
    let content = try DescriptorContent(SharedDescriptor(pipe.reading), Cancellation())
    try content.prepare(stallSeconds: 60)
    #expect(content.length == nil)
    #expect(content.canRewind)
    var got = 0
    while got < whole {
      var piece = [UInt8](repeating: 0, count: 65_536)
      var space = piece.mutableSpan
      if case .bytes(let count) = content.read(into: &space) { got += count }
      #expect(content.canRewind == (got <= DescriptorContent.maximumKeptBytes))
    }
    #expect(got == whole)
  }

  @Test func `is given up while nobody writes`() throws {
    let pipe = try Pipe()
    let cancellation = Cancellation()
    let content = try DescriptorContent(SharedDescriptor(pipe.reading), cancellation)
    cancellation.cancel()
    #expect(throws: SessionError.content) { try content.prepare(stallSeconds: 60) }
    try pipe.writing.close()
  }

  @Test(arguments: [0, DescriptorContent.maximumKeptBytes])
  func `is incomplete when its stream ends after the cancellation`(kept: Int) throws {
    let pair = try SocketPair()
    let writing = SharedDescriptor(pair.first)
    try Threads.start(name: "writer") {
      try? writing.descriptor.writeAll([UInt8](repeating: 0x78, count: kept).span)
    }
    let cancellation = Cancellation()
    let content = try DescriptorContent(SharedDescriptor(pair.second), cancellation)
    if kept > 0 {
      try content.prepare(stallSeconds: 60)
      #expect(read(content, by: kept).end == .later)
    }
    cancellation.cancel()
    try UnixSocket.shutDown(writing.descriptor)
    #expect(read(content) == ("", .failed))
  }

  @Test func `is given up when nothing came for the time that the request allows`() throws {
    let pipe = try Pipe()
    try pipe.writing.writeAll(Array("hello".utf8).span)
    let content = try DescriptorContent(SharedDescriptor(pipe.reading), Cancellation())
    #expect(throws: SessionError.contentTimedOut(seconds: 1)) { try content.prepare(stallSeconds: 1) }
    try pipe.writing.close()
  }
}

@Suite struct `Where an answer goes` {
  @Test func `is a pipe, which is never waited for`() throws {
    let pipe = try Pipe()
    let receiver = try StreamReceiver(SharedDescriptor(try pipe.writing.duplicate())) { _ in }
    let piece = [UInt8](repeating: 0x78, count: 100_000)
    var taken = 0
    while let count = receiver.take(piece.span), count > 0 { taken += count }
    #expect(taken > 0)
    #expect(receiver.take(piece.span) == 0)
    try pipe.reading.close()
    try pipe.writing.awaitClosingOfOtherEnd()
    Signals.ignoreFailingWrites()
    #expect(receiver.take(piece.span) == nil)
  }

  @Test func `is no file`() throws {
    let nothing: [UInt8] = []
    let file = SharedDescriptor(try FileDescriptor.inMemory(nothing.span))
    #expect(throws: SystemError.unsuitable(operation: "write")) { try StreamReceiver(file) { _ in } }
  }
}
