import Platform

/// Idle connections that the server has accepted.
final class IdleConnections {
  private var sockets: [Box] = []

  private final class Box {
    let socket: FileDescriptor

    init(_ socket: consuming FileDescriptor) {
      self.socket = socket
    }
  }

  init(count: Int, port: UInt16) throws {
    for _ in 0..<count {
      var connection = try HTTPConnection(port: port)
      _ = try connection.request("GET", "/")
      sockets.append(Box(connection.takeSocket()))
    }
  }

  var count: Int { sockets.count }
}
