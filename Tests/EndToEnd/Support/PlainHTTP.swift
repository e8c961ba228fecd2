import Platform
import TestSupport

/// A minimal HTTP/1.1 client for servers on 127.0.0.1.
enum PlainHTTP {
  struct Unreadable: Error {}

  struct Answer: Sendable {
    var status: Int
    var body: [UInt8]
  }

  static func get(port: UInt16, _ path: String, bearer token: String? = nil) throws -> Answer {
    let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    return try exchange(port: port, "GET \(path) HTTP/1.1\r\n\(authorization)", body: "")
  }

  /// Posts a form whose names and values need no encoding.
  static func post(port: UInt16, _ path: String, _ fields: [(String, String)]) throws -> Answer {
    let body = fields.map { "\($0)=\($1)" }.joined(separator: "&")
    let head = "POST \(path) HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    return try exchange(port: port, head + "Content-Length: \(body.utf8.count)\r\n", body: body)
  }

  private static func exchange(port: UInt16, _ head: String, body: String) throws -> Answer {
    let socket = try UnixSocket.connectLoopback(port: port)
    let request = head + "Host: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n" + body
    try socket.writeAll(Array(request.utf8).span)
    let answer = try socket.readToEnd(limit: 4 << 20)
    let blank = Array("\r\n\r\n".utf8)
    guard let end = answer.indices.first(where: { answer[$0...].starts(with: blank) }),
      let status = Int(String(decoding: answer.dropFirst(9).prefix(3), as: UTF8.self))
    else { throw Unreadable() }
    return Answer(status: status, body: Array(answer[(end + blank.count)...]))
  }
}
