internal import Crypto
internal import Encoding
internal import Loopback
internal import OAuth
internal import Platform
internal import Sessions

/// Receives one sign-in's response (RFC 8252 section 7.3). Sign-ins may share a socket.
final class RedirectListener: Sendable {
  let redirectURI: String
  let port: UInt16
  /// The request expected for the redirect URI.
  let target: LoopbackTarget
  /// A random URL that redirects to the authorization server once, since all users can read the browser's command line.
  /// Nil if connections' users cannot be determined.
  let linkURL: String?
  /// The request expected for ``linkURL``.
  let link: LoopbackTarget?
  let sockets: [RedirectSocket]

  private init(_ uri: RedirectURI, sockets: [RedirectSocket], host: RedirectURI.Host) {
    let port = sockets[0].port
    redirectURI = uri.text(port: port)
    self.port = port
    // Some browsers and proxies send the name instead of the address. No other server can have it.
    let names = [host.rawValue] + (host == .localhost ? [] : [RedirectURI.Host.localhost.rawValue])
    // A browser omits the scheme's default port (RFC 9110 section 7.2).
    target = LoopbackTarget(
      hosts: names.map { "\($0):\(port)" } + (port == 80 ? names : []), path: uri.path.isEmpty ? "/" : uri.path)
    let place = (host == .localhost ? .ipv4 : host).rawValue
    let random = Machine.isWSL || !TCPAddressPair.canFindOwners ? nil : try? Random.bytes(16)
    link = random.map { LoopbackTarget(hosts: ["\(place):\(port)"], path: "/\(Base64URL.encode($0))") }
    linkURL = link.map { "http://\($0.hosts[0])\($0.path)" }
    self.sockets = sockets
  }

  /// Listens at a redirect URI. Blocking. Throws `redirectNotLoopback` for another machine's URI, `redirectPortTaken`
  /// if another program has its port, otherwise `redirectUnavailable`.
  static func open(
    _ uri: RedirectURI, in sockets: RedirectSockets = RedirectSockets()
  ) throws(SessionError) -> RedirectListener {
    guard let host = uri.loopbackHost else { throw .redirectNotLoopback }
    do {
      let opened =
        host == .localhost
        ? try RedirectSocket.listenOnBothAddresses(port: uri.port, by: sockets.listen)
        : [try sockets.listen(port: uri.port ?? 0, ipv6: host == .ipv6)]
      return RedirectListener(uri, sockets: opened, host: host)
    } catch {
      if error.isAddressInUse, let port = uri.port, let holder = PortListener.of(port: port) {
        throw .redirectPortTaken(port: Int(port), by: holder)
      }
      throw .redirectUnavailable(port: uri.port.map { Int($0) }, error)
    }
  }

  /// Uses IPv6 if this machine has no IPv4, unless the user registered the IPv4 address.
  static func open(
    _ redirect: SignInRedirect, in sockets: RedirectSockets
  ) throws(SessionError) -> RedirectListener {
    do throws(SessionError) {
      return try open(redirect.uri, in: sockets)
    } catch .redirectUnavailable(let port, let problem) {
      guard redirect.mayBeIPv6, redirect.uri.loopbackHost == .ipv4, !problem.isAddressInUse else {
        throw .redirectUnavailable(port: port, problem)
      }
      return try open(redirect.uri.at(.ipv6, port: redirect.uri.port), in: sockets)
    }
  }
}
