import Platform

/// A minimal HTTP client with one connection. Fails if the server is silent for ten seconds.
struct HTTPConnection: ~Copyable {
  enum Failure: Error, Equatable {
    case malformed
  }

  private let socket: FileDescriptor
  private let port: UInt16
  private var buffer: [UInt8] = []

  init(port: UInt16) throws {
    let socket = try UnixSocket.connectLoopback(port: port)
    try UnixSocket.setTimeouts(socket, seconds: 600)
    self.port = port
    self.socket = socket
  }

  mutating func request(
    _ method: String, _ path: String, headers: [String] = [], body: String? = nil
  ) throws -> Reply? {
    var text = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
    for header in headers { text += header + "\r\n" }
    if let body {
      text += "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)\r\n"
    }
    try send(text + "\r\n" + (body ?? ""))
    return try reply(withContent: method != "HEAD")
  }

  func send(_ text: String) throws {
    try socket.writeAll(Array(text.utf8).span)
  }

  /// Nil if the server closed the connection without sending a byte.
  mutating func reply(withContent: Bool = true) throws -> Reply? {
    while true {
      if let end = headEnd() { return try reply(headEnd: end, withContent) }
      guard try fill() else {
        guard buffer.isEmpty else { throw Failure.malformed }
        return nil
      }
    }
  }

  /// The socket without closing it.
  consuming func takeSocket() -> FileDescriptor { socket }

  /// Whether the server closes the connection without another byte.
  mutating func isClosed() throws -> Bool {
    try buffer.isEmpty && !fill()
  }

  private mutating func reply(headEnd end: Int, _ withContent: Bool) throws -> Reply {
    let lines = String(decoding: buffer[..<end], as: UTF8.self).split(separator: "\r\n")
    let parts = lines[0].split(separator: " ")
    guard parts.count >= 2, parts[0] == "HTTP/1.1", let status = Int(parts[1]) else { throw Failure.malformed }
    let headers = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
      let parts = line.split(separator: ": ", maxSplits: 1)
      return parts.count == 2 ? (name: String(parts[0]), value: String(parts[1])) : nil
    }
    let lengthText = headers.first { $0.name == "Content-Length" }?.value
    let length = withContent ? lengthText.flatMap { Int($0) } ?? 0 : 0
    buffer.removeFirst(end + 4)
    while buffer.count < length { if try !fill() { break } }
    let body = Array(buffer.prefix(length))
    buffer.removeFirst(body.count)
    return Reply(status: status, headers: headers, body: body)
  }

  private func headEnd() -> Int? {
    var index = 0
    while index + 3 < buffer.count {
      if buffer[index] == 0x0D, buffer[index + 2] == 0x0D, buffer[index + 3] == 0x0A { return index }
      index += 1
    }
    return nil
  }

  private mutating func fill() throws -> Bool {
    try socket.read(into: &buffer, upTo: 4096) > 0
  }
}
