import Wire
import WireSupport
import Platform
import TestSupport
import Testing

@testable import Lease

@Suite struct `A pump` {
  private let loop = RecordedReplies(ManualTime())

  // As in the program.
  init() { Signals.ignoreFailingWrites() }

  private final class Count { var ends = 0 }

  /// - Returns: The copier, and the number of calls of its end handler.
  private func pump(_ source: SharedDescriptor, _ sink: SharedDescriptor) -> (DescriptorCopier, Count) {
    let count = Count()
    return (DescriptorCopier(from: source, to: sink, loop) { _ in count.ends += 1 }, count)
  }

  private func pipe() throws -> (reading: SharedDescriptor, writing: SharedDescriptor) {
    let pipe = try Pipe()
    return (SharedDescriptor(pipe.reading), SharedDescriptor(pipe.writing))
  }

  @Test func `copies what is there, waits for more, and ends with its source`() throws {
    var (source, sink) = (Optional(try pipe()), try pipe())
    let (pump, count) = pump(source!.reading, sink.writing)
    try source?.writing.descriptor.writeAll(Array("one ".utf8).span)
    pump.copyAvailable()
    #expect(count.ends == 0 && loop.watched.count == 1)
    try source?.writing.descriptor.writeAll(Array("two".utf8).span)
    source = nil
    loop.watched.last?()
    #expect(count.ends == 1)
    var bytes: [UInt8] = []
    #expect(try sink.reading.descriptor.read(into: &bytes, upTo: 100) == 7)
    #expect(bytes == Array("one two".utf8))
  }

  // The peer shares the open file, and may clear O_NONBLOCK.
  @Test func `does not wait for a reader, though its sink is blocking`() throws {
    let (source, sink) = (try pipe(), try pipe())
    try source.reading.descriptor.setNonBlocking(false)
    try sink.writing.descriptor.setNonBlocking(false)
    let (pump, count) = pump(source.reading, sink.writing)
    let piece = [UInt8](repeating: 7, count: 60_000)
    for _ in 1...3 {
      try source.writing.descriptor.writeAll(piece.span)
      pump.copyAvailable()
    }
    #expect(count.ends == 0 && !loop.watched.isEmpty)
  }

  @Test func `ends when nobody takes what it has for two minutes`() throws {
    let time = ManualTime()
    let loop = RecordedReplies(time)
    let (source, sink) = (try pipe(), try pipe())
    let count = Count()
    let pump = DescriptorCopier(from: source.reading, to: sink.writing, loop) { _ in count.ends += 1 }
    let piece = [UInt8](repeating: 7, count: 60_000)
    for _ in 1...3 {
      try source.writing.descriptor.writeAll(piece.span)
      pump.copyAvailable()
    }
    time.advance(seconds: 119)
    loop.runDue()
    #expect(count.ends == 0)
    time.advance(seconds: 2)
    loop.runDue()
    #expect(count.ends == 1)
  }

  @Test func `ends with a reader that has gone, and copies files to their end`() throws {
    let (source, sink) = (try pipe(), try pipe())
    let (gone, count) = pump(source.reading, SharedDescriptor(try FileDescriptor(opening: "/dev/full", for: .writing)))
    try source.writing.descriptor.writeAll([1].span)
    gone.copyAvailable()
    #expect(count.ends == 1)
    let file = SharedDescriptor(try FileDescriptor.inMemory(Array("a file".utf8).span))
    let (whole, end) = pump(file, sink.writing)
    whole.copyAvailable()
    #expect(end.ends == 1)
  }

  @Test func `that was stopped keeps both descriptors open`() throws {
    let source = try pipe()
    let sink = try SocketPair()
    let far = SharedDescriptor(sink.second)
    do {
      let (pump, count) = pump(source.reading, SharedDescriptor(sink.first))
      pump.copyAvailable()
      pump.stop()
      pump.copyAvailable()
      try source.writing.descriptor.writeAll([1].span)
      loop.watched.last?()
      #expect(try !far.descriptor.waitUntilReadable(timeout: .zero), "neither bytes nor an end")
      #expect(count.ends == 0)
      withExtendedLifetime(pump) {}
    }
    #expect(try far.descriptor.waitUntilReadable(timeout: .zero), "the end")
  }
}
