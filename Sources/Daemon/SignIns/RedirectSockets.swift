internal import OAuth
internal import Platform

/// A socket at which the answers of sign-ins are awaited. It closes when the last sign-in at its port lets go.
final class RedirectSocket: Sendable {
  let descriptor: FileDescriptor
  let port: UInt16

  fileprivate init(_ descriptor: consuming FileDescriptor, port: UInt16) {
    self.descriptor = descriptor
    self.port = port
  }

  // It listens, so that this cannot fail.
  deinit { try? UnixSocket.shutDown(descriptor) }
}

/// The sockets of all sign-ins. Services that know one port only have several sign-ins wait at the same socket.
final class RedirectSockets: Sendable {
  private struct Place: Hashable {
    let port: UInt16
    let isIPv6: Bool
  }

  private struct Entry: Sendable { weak var socket: RedirectSocket? }

  private let open = Monitor<[Place: Entry]>([:])

  /// How often another port is tried if a browser refuses the one that was free.
  private static let tries = 20

  /// Listens at a port, with the other sign-ins that do.
  ///
  /// - Parameter port: 0 for any free one that browsers connect to.
  func listen(port: UInt16, ipv6: Bool = false) throws(SystemError) -> RedirectSocket {
    if port == 0 { return try listenAnywhere(ipv6: ipv6) }
    let place = Place(port: port, isIPv6: ipv6)
    return try open.withLock { (open) throws(SystemError) in
      if let socket = open[place]?.socket { return socket }
      let socket = RedirectSocket(try UnixSocket.listenLoopback(port: port, ipv6: ipv6), port: port)
      open = open.filter { $0.value.socket != nil }
      open[place] = Entry(socket: socket)
      return socket
    }
  }

  /// Such a port is of one sign-in: the kernel gives each another one.
  private func listenAnywhere(ipv6: Bool) throws(SystemError) -> RedirectSocket {
    // All are kept until one is found, or the kernel might give the same again.
    var refused: [RedirectSocket] = []
    while true {
      let descriptor = try UnixSocket.listenLoopback(port: 0, ipv6: ipv6)
      let port = try UnixSocket.localPort(descriptor)
      let socket = RedirectSocket(descriptor, port: port)
      guard RedirectURI.isRefusedByBrowsers(port), refused.count < Self.tries else { return socket }
      refused.append(socket)
    }
  }
}
