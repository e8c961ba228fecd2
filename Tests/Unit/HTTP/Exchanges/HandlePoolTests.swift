import Encoding
import Crypto
import OAuth
import Platform
import Testing
import Vocabulary

@testable import HTTP

@Suite struct `The pool` {
  private func route(_ port: Int) throws -> Route {
    try Route(to: Endpoint("http://127.0.0.1:\(port)/", allowHTTPLoopback: true), by: plainTransport())
  }

  @Test func `gives back the handle used last for a route, once`() throws {
    let pool = HandlePool()
    let first = try CurlHandle()
    let second = try CurlHandle()
    pool.add(first, for: try route(1))
    pool.add(second, for: try route(1))
    pool.add(try CurlHandle(), for: try route(2))
    #expect(pool.takeHandle(for: try route(1)) === second)
    #expect(pool.takeHandle(for: try route(1)) === first)
    #expect(pool.takeHandle(for: try route(1)) == nil)
    #expect(pool.count == 1)
  }

  @Test func `gives a request that cannot be repeated only what was just used and is not about to be closed`() throws {
    let (pool, handle) = (HandlePool(), try CurlHandle())
    let since = Instant.now
    pool.add(handle, for: try route(1), now: since)
    let late = since.advanced(by: HandlePool.safeIdleTime + .milliseconds(1))
    #expect(pool.takeHandle(for: try route(1), isUnrepeatable: true, now: late) == nil)
    // The server may be about to close it.
    #expect(pool.takeHandle(for: try route(1), isUnrepeatable: true, now: since) == nil)
    #expect(
      pool.takeHandle(for: try route(1), isUnrepeatable: true, now: since.advanced(by: HandlePool.singleUseIdleTime))
        === handle)
    pool.add(handle, for: try route(1), wasReused: true, now: since)
    #expect(pool.takeHandle(for: try route(1), isUnrepeatable: true, now: since) === handle)
  }

  // RFC 8705 section 2: a connection with one account's certificate is used for no other.
  @Test func `keeps connections with different certificates apart`() throws {
    let authority = try CertificateAuthority.shared.get()
    func route(_ text: [UInt8]?) throws -> Route {
      var transport = Transport()
      transport.clientCertificate = try text.map { text in
        try ClientCertificate(text.span, key: ImportedPrivateKey.read(text.span).key)
      }
      return try Route(to: Endpoint("https://as.example/", allowHTTPLoopback: false), by: transport)
    }
    let (pool, handle) = (HandlePool(), try CurlHandle())
    pool.add(handle, for: try route(authority.client))
    for other in [nil, authority.otherClient] { #expect(pool.takeHandle(for: try route(other)) == nil) }
    #expect(pool.takeHandle(for: try route(authority.client)) === handle)
  }

  @Test func `keeps connections of different accounts, and of their leases, apart`() throws {
    func route(_ group: ConnectionGroup?) throws -> Route {
      var transport = plainTransport()
      transport.connectionGroup = group
      return try Route(to: Endpoint("http://127.0.0.1:1/", allowHTTPLoopback: true), by: transport)
    }
    let groups = [
      nil, ConnectionGroup(account: "work"), ConnectionGroup(account: "mail"),
      ConnectionGroup(account: "work", lease: RequestLease(name: "1", isNarrow: false)),
      ConnectionGroup(account: "work", lease: RequestLease(name: "2", isNarrow: false)),
    ]
    let pool = HandlePool()
    for own in groups {
      let handle = try CurlHandle()
      pool.add(handle, for: try route(own))
      for other in groups where other != own { #expect(pool.takeHandle(for: try route(other)) == nil) }
      #expect(pool.takeHandle(for: try route(own)) === handle)
    }
  }

  @Test func `keeps no more than its capacity, the newest`() throws {
    let pool = HandlePool()
    for port in 1...HandlePool.capacity + 1 { pool.add(try CurlHandle(), for: try route(port)) }
    #expect(pool.count == HandlePool.capacity)
    #expect(pool.takeHandle(for: try route(1)) == nil)
    #expect(pool.takeHandle(for: try route(2)) != nil)
  }

  @Test func `keeps nothing for long`() throws {
    let pool = HandlePool()
    let start = Instant.now
    pool.add(try CurlHandle(), for: try route(1), now: start)
    pool.add(try CurlHandle(), for: try route(2), now: start.advanced(by: .seconds(1)))
    let end = start.advanced(by: HandlePool.idleTime)
    #expect(pool.takeHandle(for: try route(1), now: end) == nil)
    #expect(pool.takeHandle(for: try route(2), now: end) != nil)
  }
}
