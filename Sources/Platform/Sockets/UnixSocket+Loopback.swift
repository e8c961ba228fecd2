internal import CPlatform
internal import Glibc

// TCP on the loopback interface, for sign-in redirects (RFC 8252 section 7.3) and the development issuer.
extension UnixSocket {
  /// Returns a non-blocking listener on 127.0.0.1 or [::1]. With port 0, the kernel chooses a port; see
  /// ``localPort(_:)``.
  package static func listenLoopback(port: UInt16, ipv6: Bool = false) throws(SystemError) -> FileDescriptor {
    let socket = try makeLoopbackSocket(ipv6: ipv6)
    let number = socket.raw
    try SystemCall.checked(agent_loopback_bind(number, ipv6 ? 1 : 0, Int32(port)), "bind")
    try SystemCall.libc("listen") { Glibc.listen(number, 64) }
    try socket.setNonBlocking(true)
    return socket
  }

  package static func localPort(_ socket: borrowing FileDescriptor) throws(SystemError) -> UInt16 {
    let number = socket.raw
    var (words, count): ([UInt32], Int32) = ([0, 0, 0, 0], 0)
    return UInt16(clamping: try SystemCall.checked(unsafe agent_tcp_end(number, 0, &words, &count), "getsockname"))
  }

  /// Connects to 127.0.0.1 or [::1]. Returns a blocking socket.
  package static func connectLoopback(port: UInt16, ipv6: Bool = false) throws(SystemError) -> FileDescriptor {
    let socket = try makeLoopbackSocket(ipv6: ipv6)
    let number = socket.raw
    try SystemCall.uninterrupted("connect") { agent_loopback_connect(number, ipv6 ? 1 : 0, Int32(port)) }
    return socket
  }

  private static func makeLoopbackSocket(ipv6: Bool) throws(SystemError) -> FileDescriptor {
    FileDescriptor(owning: try SystemCall.checked(agent_loopback_socket(ipv6 ? 1 : 0), "socket"))
  }
}
