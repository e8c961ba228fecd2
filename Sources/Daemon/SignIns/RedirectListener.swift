internal import Crypto
internal import Encoding
internal import HTTP
internal import OAuth
internal import Platform
internal import Sessions

/// The open sockets at which the answer of one sign-in is awaited (RFC 8252 section 7.3). They close when the
/// last owner lets go.
final class RedirectListener: Sendable {
  /// The redirect URI with the port in it.
  let redirectURI: String
  let port: UInt16
  let target: LoopbackTarget
  /// The address that leads to the authorization server once (128 random bits), for a browser's command line, which
  /// every user of the machine can read. Nil where the user of a connection cannot be told.
  let linkURL: String?
  let link: LoopbackTarget?
  let sockets: [SharedDescriptor]

  /// How often a port is tried that must be free at two addresses.
  private static let tries = 10

  private init(_ uri: RedirectURI, port: UInt16, sockets: [SharedDescriptor], host: RedirectURI.Host) {
    redirectURI = uri.text(port: port)
    self.port = port
    let name = RedirectURI.name(host)
    // A browser leaves the scheme's own port out (RFC 9110 section 7.2).
    target = LoopbackTarget(
      hosts: ["\(name):\(port)"] + (port == 80 ? [name] : []), path: uri.path.isEmpty ? "/" : uri.path)
    let place = RedirectURI.name(host == .localhost ? .ipv4 : host)
    let random = Machine.isWSL || !TCPEnds.canTell ? nil : try? Random.bytes(16)
    link = random.map { LoopbackTarget(hosts: ["\(place):\(port)"], path: "/\(Base64URL.encode($0))") }
    linkURL = link.map { "http://\($0.hosts[0])\($0.path)" }
    self.sockets = sockets
  }

  // Each of them listens, so that this cannot fail.
  deinit { for socket in sockets { try? UnixSocket.shutDown(socket.descriptor) } }

  /// Listens at a redirect URI.
  ///
  /// - Throws: `redirectElsewhere`, `redirectUnavailable`.
  static func open(_ uri: RedirectURI) throws(SessionError) -> RedirectListener {
    guard let host = uri.loopbackHost else { throw .redirectElsewhere }
    do {
      switch host {
      case .ipv4, .ipv6:
        let socket = SharedDescriptor(try UnixSocket.listenLoopback(port: uri.port ?? 0, ipv6: host == .ipv6))
        let port = try UnixSocket.localPort(socket.descriptor)
        return RedirectListener(uri, port: port, sockets: [socket], host: host)
      case .localhost: return try openBoth(uri)
      }
    } catch {
      throw .redirectUnavailable(port: uri.port.map { Int($0) }, error)
    }
  }

  /// Listens at the redirect URI of a sign-in. If this machine has no IPv4, it listens by IPv6, except where a person
  /// registered the address.
  static func open(_ redirect: SignInRedirect) throws(SessionError) -> RedirectListener {
    do throws(SessionError) {
      return try open(redirect.uri)
    } catch .redirectUnavailable(let port, let problem) {
      guard redirect.mayBeIPv6, redirect.uri.loopbackHost == .ipv4, !problem.isAddressInUse else {
        throw .redirectUnavailable(port: port, problem)
      }
      return try open(redirect.uri.at(.ipv6, port: redirect.uri.port))
    }
  }

  /// Binds both addresses of `localhost`: another program bound to one of them could receive the answer (RFC 8252
  /// section 8.3).
  private static func openBoth(_ uri: RedirectURI) throws(SystemError) -> RedirectListener {
    var lastError: SystemError?
    for _ in 0..<(uri.port == nil ? tries : 1) {
      let first = SharedDescriptor(try UnixSocket.listenLoopback(port: uri.port ?? 0))
      let port = try UnixSocket.localPort(first.descriptor)
      do throws(SystemError) {
        let second = SharedDescriptor(try UnixSocket.listenLoopback(port: port, ipv6: true))
        return RedirectListener(uri, port: port, sockets: [first, second], host: .localhost)
      } catch {
        // A machine without IPv6 has no second address.
        if !error.isAddressInUse { return RedirectListener(uri, port: port, sockets: [first], host: .localhost) }
        lastError = error
      }
    }
    throw lastError!
  }
}
