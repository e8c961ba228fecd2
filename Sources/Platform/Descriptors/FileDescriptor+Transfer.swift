internal import CPlatform
internal import Glibc

extension FileDescriptor {
  /// Appends at most `count` bytes and returns their number, 0 at the end. Throws `EAGAIN` if there is nothing to read
  /// or after a socket's timeout.
  package borrowing func read(into buffer: inout [UInt8], upTo count: Int) throws(SystemError) -> Int {
    var got = 0
    let number = raw
    try buffer.append(addingCapacity: count) { (free) throws(SystemError) in
      try unsafe free.withUnsafeMutableBufferPointer { (bytes, filled) throws(SystemError) in
        got = try SystemCall.libc("read") { unsafe Glibc.read(number, bytes.baseAddress, count) }
        filled = got
      }
    }
    return got
  }

  /// Reads once into `buffer` from index `start`. Returns the number of bytes.
  package borrowing func read(into buffer: inout [UInt8], from start: Int) throws(SystemError) -> Int {
    var space = buffer.mutableSpan
    var free = space._mutatingExtracting(start...)
    return try read(into: &free)
  }

  /// Reads once into `buffer`. Returns the number of bytes.
  package borrowing func read(into buffer: inout MutableSpan<UInt8>) throws(SystemError) -> Int {
    let number = raw
    return unsafe try buffer.withUnsafeMutableBytes { (bytes) throws(SystemError) in
      try SystemCall.libc("read") { unsafe Glibc.read(number, bytes.baseAddress, bytes.count) }
    }
  }

  /// Writes once. Returns the number of bytes.
  package borrowing func write(_ bytes: Span<UInt8>) throws(SystemError) -> Int {
    let number = raw
    return try unsafe bytes.withUnsafeBytes { (bytes) throws(SystemError) in
      try SystemCall.libc("write") { unsafe Glibc.write(number, bytes.baseAddress, bytes.count) }
    }
  }

  /// Like ``read(into:)``, but throws `EAGAIN` instead of waiting, even on a blocking descriptor.
  package borrowing func readNow(into buffer: inout MutableSpan<UInt8>) throws(SystemError) -> Int {
    let number = raw
    let got = unsafe buffer.withUnsafeMutableBytes { unsafe agent_read_now(number, $0.baseAddress!, $0.count) }
    guard got >= 0 else { throw SystemError(errno: Int32(-got), operation: "read") }
    return got
  }

  /// Like ``readNow(into:)``, but appends at most `count` bytes.
  package borrowing func readNow(into buffer: inout [UInt8], upTo count: Int) throws(SystemError) -> Int {
    var got = 0
    let number = raw
    try buffer.append(addingCapacity: count) { (free) throws(SystemError) in
      try unsafe free.withUnsafeMutableBufferPointer { (bytes, filled) throws(SystemError) in
        let result = unsafe agent_read_now(number, bytes.baseAddress!, count)
        guard result >= 0 else { throw SystemError(errno: Int32(-result), operation: "read") }
        (got, filled) = (result, result)
      }
    }
    return got
  }

  /// Like ``write(_:)``, but throws `EAGAIN` instead of waiting. Never raises `SIGPIPE`.
  package borrowing func writeNow(_ bytes: Span<UInt8>) throws(SystemError) -> Int {
    let number = raw
    let sent = unsafe bytes.withUnsafeBytes { unsafe agent_write_now(number, $0.baseAddress!, $0.count) }
    guard sent >= 0 else { throw SystemError(errno: Int32(-sent), operation: "write") }
    return sent
  }

  /// Writes everything to a blocking descriptor. Throws `EAGAIN` after a socket's timeout; a part may have been
  /// written.
  package borrowing func writeAll(_ bytes: Span<UInt8>) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      written += try write(bytes.extracting(written..<bytes.count))
    }
  }

  /// Reads to the end. Throws `EFBIG` above `limit` bytes, `ETIMEDOUT` after `timeout`.
  package borrowing func readToEnd(limit: Int, within timeout: Duration? = nil) throws(SystemError) -> [UInt8] {
    let deadline = timeout.map { Instant.now.advanced(by: $0) }
    var buffer: [UInt8] = []
    let most = max(0, min(limit, .max - 1)) + 1
    while true {
      if let deadline, try !waitUntilReadable(timeout: Instant.now.duration(to: deadline)) {
        throw .timedOut(operation: "read")
      }
      let got = try read(into: &buffer, upTo: min(max(buffer.count, 4096), most - buffer.count))
      if got == 0 { return buffer }
      if buffer.count > limit { throw SystemError(errno: EFBIG, operation: "read") }
    }
  }

  /// Reads a file of at most `limit` bytes, following symbolic links.
  package static func content(of path: String, limit: Int) throws(SystemError) -> [UInt8] {
    try FileDescriptor(opening: path, for: .reading).readToEnd(limit: limit)
  }

  /// Returns false after `timeout`.
  package borrowing func waitUntilReadable(timeout: Duration) throws(SystemError) -> Bool {
    try wait(forWriting: false, timeout: timeout)
  }

  /// Returns false after `timeout`.
  package borrowing func waitUntilWritable(timeout: Duration) throws(SystemError) -> Bool {
    try wait(forWriting: true, timeout: timeout)
  }

  private borrowing func wait(forWriting: Bool, timeout: Duration) throws(SystemError) -> Bool {
    let deadline = Instant.now.advanced(by: timeout)
    while true {
      let left = Instant.now.millisecondsUntil(deadline)
      let result = agent_poll_one(raw, forWriting ? 1 : 0, left)
      if result == -EINTR { continue }
      if try SystemCall.checked(result, "poll") > 0 { return true }
      if Instant.now >= deadline { return false }
    }
  }
}
