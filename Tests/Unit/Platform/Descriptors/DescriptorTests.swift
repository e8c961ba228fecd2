import Platform
import TestSupport
import Testing

@Suite struct `File descriptor` {
  @Test func `a full device is an error`() throws {
    let full = try FileDescriptor(opening: "/dev/full", for: .writing)
    #expect(throws: SystemError(errno: SystemError.Number.ENOSPC, operation: "write")) {
      try full.writeAll(Array("token".utf8).span)
    }
  }

  @Test func `reading up to the end stops at the limit`() throws {
    let scratch = try TemporaryDirectory()
    for size in [0, 1, 4095, 4096, 4097, 100_000] {
      let content = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
      try scratch.write("file", content)
      let path = scratch.path("file")
      #expect(try FileDescriptor(opening: path, for: .reading).readToEnd(limit: size) == content)
      #expect(try FileDescriptor(opening: path, for: .reading).readToEnd(limit: .max) == content)
      if size > 0 {
        #expect(throws: SystemError(errno: SystemError.Number.EFBIG, operation: "read")) {
          try FileDescriptor(opening: path, for: .reading).readToEnd(limit: size - 1)
        }
      }
    }
  }

  @Test func `a read appends, and one that fails leaves the buffer alone`() throws {
    let pipe = try Pipe()
    try pipe.reading.setNonBlocking(true)
    var buffer: [UInt8] = [1]
    #expect(throws: SystemError(errno: SystemError.Number.EAGAIN, operation: "read")) {
      try pipe.reading.read(into: &buffer, upTo: 10)
    }
    #expect(buffer == [1])
    try pipe.writing.writeAll([2, 3].span)
    #expect(try pipe.reading.read(into: &buffer, upTo: 10) == 2)
    #expect(buffer == [1, 2, 3])
    #expect(try pipe.reading.read(into: &buffer, upTo: 0) == 0)
  }

  @Test func `a read fills memory of the caller`() throws {
    let pipe = try Pipe()
    try pipe.writing.writeAll([5, 6].span)
    var memory = [UInt8](repeating: 0, count: 4)
    var space = memory.mutableSpan
    #expect(try pipe.reading.read(into: &space) == 2)
    #expect(memory == [5, 6, 0, 0])
  }

  @Test func `the end is 0 bytes, and a duplicate keeps the other end open`() throws {
    let pipe = try Pipe()
    let reading = pipe.reading
    let writing = pipe.writing
    let copy = try writing.duplicate()
    try writing.close()
    try copy.writeAll([1].span)
    try copy.close()
    var buffer: [UInt8] = []
    #expect(try reading.read(into: &buffer, upTo: 10) == 1)
    #expect(try reading.read(into: &buffer, upTo: 10) == 0)
  }

  @Test func `a wait for bytes has an end`() throws {
    let pipe = try Pipe()
    #expect(try !pipe.reading.waitUntilReadable(timeout: .milliseconds(20)) as Bool)
    #expect(try pipe.writing.waitUntilWritable(timeout: .zero) as Bool)
    try pipe.writing.writeAll([1].span)
    #expect(try pipe.reading.waitUntilReadable(timeout: .seconds(1 << 60)) as Bool)
  }

  @Test func `the open of a FIFO waits for the program at its other end, and no longer than it may`() throws {
    let directory = try TemporaryDirectory()
    // One for each: an abandoned thread keeps its end open.
    try ProcessRunner.shell("cd '\(directory.path)' && mkfifo unread unwritten fifo")
    for (name, access) in [("unwritten", FileDescriptor.Access.reading), ("unread", .replacing)] {
      #expect(throws: SystemError.timedOut(operation: "open"), "\(name)") {
        _ = try FileDescriptor.opening(directory.path(name), for: access, within: .milliseconds(50))
      }
    }
    let path = directory.path("fifo")
    try Threads.start(name: "writer") {
      try? FileDescriptor(opening: path, for: .writing).writeAll(Array("hello".utf8).span)
    }
    let file = try FileDescriptor.opening(path, for: .reading, within: .testLimit)
    #expect(try file.readToEnd(limit: 10) == Array("hello".utf8))
    let missing = SystemError(errno: SystemError.Number.ENOENT, operation: "open")
    #expect(throws: missing) {
      _ = try FileDescriptor.opening(directory.path("none"), for: .reading, within: .testLimit)
    }
  }

  @Test func `a regular file is opened, and nothing else, for which no program is waited for`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("file", "hello")
    try ProcessRunner.shell("cd '\(directory.path)' && ln -s file link && mkfifo fifo && mkdir folder")
    for name in ["file", "link"] {
      let file = try FileDescriptor.openingRegularFile(directory.path(name))
      #expect(try file.readToEnd(limit: 10) == Array("hello".utf8))
    }
    for (name, number) in [
      ("fifo", SystemError.Number.EINVAL), ("folder", SystemError.Number.EISDIR), ("none", SystemError.Number.ENOENT),
    ] {
      #expect(throws: SystemError(errno: number, operation: "open"), "\(name)") {
        _ = try FileDescriptor.openingRegularFile(directory.path(name))
      }
    }
  }

  @Test func `a descriptor is closed with its owner`() throws {
    let pipe = try Pipe()
    let reading = pipe.reading
    func letGo(_ descriptor: consuming FileDescriptor) {}
    letGo(pipe.writing)
    var buffer: [UInt8] = []
    #expect(try reading.read(into: &buffer, upTo: 1) == 0)
  }
}

@Suite struct `Output of text` {
  @Test func `text reaches the stream whole, also one that does not block`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try Output.write("hello ", to: .standardError)
      try FileDescriptor(opening: "/dev/null", for: .reading).setNonBlocking(true)
      try Output.write([UInt8](repeating: UInt8(ascii: "x"), count: 10).span, to: .standardError)
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("hello xxxxxxxxxx"))
  }
}
