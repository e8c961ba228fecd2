internal import Loopback
internal import OAuth
internal import Platform

/// All sign-ins' sockets, shared by sign-ins with the same port.
final class RedirectSockets: Sendable {
  private struct LoopbackEndpoint: Hashable {
    let port: UInt16
    let isIPv6: Bool
  }

  /// Weak, so that an unused socket closes.
  private struct Entry: Sendable { weak var socket: RedirectSocket? }

  private let open = Monitor<[LoopbackEndpoint: Entry]>([:])

  /// How many more ports to try if browsers block the first.
  private static let maximumAttempts = 20

  /// Returns the port's socket, new or shared. Port 0 selects any that browsers accept.
  func listen(port: UInt16, ipv6: Bool = false) throws(SystemError) -> RedirectSocket {
    if port == 0 { return try listenAnywhere(ipv6: ipv6) }
    let endpoint = LoopbackEndpoint(port: port, isIPv6: ipv6)
    return try open.withLock { (open) throws(SystemError) in
      if let socket = open[endpoint]?.socket { return socket }
      let socket = try RedirectSocket(port: port, ipv6: ipv6)
      open = open.filter { $0.value.socket != nil }
      open[endpoint] = Entry(socket: socket)
      return socket
    }
  }

  private func listenAnywhere(ipv6: Bool) throws(SystemError) -> RedirectSocket {
    // Keeps refused sockets, since the kernel might return their ports again.
    var refused: [RedirectSocket] = []
    while true {
      let socket = try RedirectSocket(port: 0, ipv6: ipv6)
      guard RedirectURI.isRefusedByBrowsers(socket.port), refused.count < Self.maximumAttempts else { return socket }
      refused.append(socket)
    }
  }
}
