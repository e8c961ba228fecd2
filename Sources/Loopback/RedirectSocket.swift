package import Platform

/// A listening loopback socket for redirects. Closes when no sign-in uses it.
package final class RedirectSocket: Sendable {
  package let descriptor: FileDescriptor
  package let port: UInt16

  /// Listens at `127.0.0.1` or `::1`. Port 0 means any free port.
  package init(port: UInt16, ipv6: Bool) throws(SystemError) {
    let descriptor = try UnixSocket.listenLoopback(port: port, ipv6: ipv6)
    self.port = try UnixSocket.localPort(descriptor)
    self.descriptor = descriptor
  }

  // Cannot fail, since the socket listens.
  deinit { try? UnixSocket.shutDown(descriptor) }

  /// How many ports to try for one free at both IPv4 and IPv6.
  private static let maximumAttempts = 10

  /// Listens at both addresses of `localhost`, so no other program receives the response (RFC 8252 section 8.3). If
  /// `port` is nil, chooses one free at both. Throws `EADDRINUSE` if the port is in use.
  ///
  /// - Parameter listen: Opens a socket. Port 0 means any free port.
  package static func listenOnBothAddresses(
    port: UInt16?, by listen: (_ port: UInt16, _ ipv6: Bool) throws(SystemError) -> RedirectSocket
  ) throws(SystemError) -> [RedirectSocket] {
    var lastError: SystemError?
    for _ in 0..<(port == nil ? maximumAttempts : 1) {
      let first = try listen(port ?? 0, false)
      do throws(SystemError) { return [first, try listen(first.port, true)] } catch {
        // Without IPv6 there is no second address.
        if !error.isAddressInUse { return [first] }
        lastError = error
      }
    }
    throw lastError!
  }
}
