import Encoding
import Crypto
import OAuth
import Platform
import Sessions
import TestSupport
import Testing

/// A document fetched under one account's own authorities or pins is no evidence for another.
@Suite struct `The trust by which metadata and keys came` {
  let directory: TemporaryDirectory
  let http = ScriptedHTTP()
  let time = ManualTime()

  init() throws {
    directory = try TemporaryDirectory()
    http.always(TestIssuer.metadataURL, try response(200, .object(TestIssuer.metadata)))
    http.always(TestIssuer.keysURL, try response(200, TestIssuer.first.keySet))
  }

  /// A cache like that of a new process.
  private func cache() -> DocumentCache { DocumentCache(directory: directory.path("cache"), http: http, time: time) }

  private var fetches: Int { http.requests.count }

  private func soleFile() throws -> String {
    let names = try directory.open("cache").fileNames()
    try #require(names.count == 1)
    return "cache/" + names[0]
  }

  private static let pin = "sha256//" + String(repeating: "A", count: 43) + "="
  private static let otherPin = "sha256//" + String(repeating: "B", count: 43) + "="

  private func trusting(_ authority: String? = nil, pins: [String] = []) throws -> Transport {
    var transport = Transport()
    transport.certificateAuthorities = try authority.map { text in try CertificateAuthorities(pem: Array(text.utf8)) }
    transport.pins = pins
    return transport
  }

  private func keyIDs(_ cache: DocumentCache, _ transport: Transport) throws -> [String?] {
    let endpoint = try Endpoint(TestIssuer.keysURL, allowHTTPLoopback: false)
    return try cache.keys(at: endpoint, transport: transport, cancellation: nil).keys.keys.map(\.keyID)
  }

  @Test func `is not that of another account with a trust of its own`() throws {
    let trusts = try [
      trusting(), trusting("a"), trusting("b"), trusting(pins: [Self.pin]), trusting(pins: [Self.otherPin]),
      trusting("a", pins: [Self.pin]), trusting(pins: [Self.pin, Self.otherPin]),
    ]
    let (first, second) = (cache(), cache())
    for cache in [first, second] {
      for trust in trusts { #expect(try keyIDs(cache, trust) == ["first"]) }
    }
    // Each has its own file, and the second process needed no network.
    #expect(fetches == trusts.count)
    #expect(try directory.open("cache").fileNames().count == trusts.count)
    http.answer(TestIssuer.keysURL, try response(200, TestIssuer.second.keySet))
    let endpoint = try Endpoint(TestIssuer.keysURL, allowHTTPLoopback: false)
    let old = try first.keys(at: endpoint, transport: trusts[1], cancellation: nil)
    _ = try first.renewedKeys(after: old, at: endpoint, transport: trusts[1], cancellation: nil)
    for (number, trust) in trusts.enumerated() {
      #expect(try keyIDs(first, trust) == [number == 1 ? "second" : "first"], "\(number)")
    }
  }

  @Test func `is the same with the same authorities and pins, in whatever order`() throws {
    let cache = cache()
    #expect(try keyIDs(cache, trusting("a", pins: [Self.pin, Self.otherPin])) == ["first"])
    #expect(try keyIDs(cache, trusting("a", pins: [Self.otherPin, Self.pin, Self.pin])) == ["first"])
    #expect(fetches == 1)
  }

  @Test func `parts what is forgotten of a server from what other accounts have of it`() throws {
    let (cache, issuer) = (cache(), try Issuer(TestIssuer.text, allowHTTPLoopback: false))
    for transport in try [trusting(), trusting("a")] {
      _ = try cache.metadata(of: issuer, transport: transport, cancellation: nil)
      _ = try keyIDs(cache, transport)
    }
    cache.forget(issuer, transport: try trusting("a"))
    #expect(try directory.open("cache").fileNames().count == 2)
    _ = try keyIDs(cache, trusting())
    #expect(fetches == 4)
    _ = try keyIDs(cache, trusting("a"))
    #expect(fetches == 5)
  }

  @Test func `leaves the trouble on one account's way to a server with that account`() throws {
    let (cache, endpoint) = (cache(), try Endpoint(TestIssuer.keysURL, allowHTTPLoopback: false))
    var proxied = Transport()
    proxied.proxy = Transport.Proxy(url: "http://proxy.example:3128")
    let old = try cache.keys(at: endpoint, transport: Transport(), cancellation: nil)
    http.fail(TestIssuer.keysURL, HTTPFailure(.proxy))
    #expect(throws: OAuthError(.proxyFailed, .host("proxy.example:3128"))) {
      try cache.renewedKeys(after: old, at: endpoint, transport: proxied, cancellation: nil)
    }
    http.answer(TestIssuer.keysURL, try response(200, TestIssuer.second.keySet))
    let newer = try #require(
      try cache.renewedKeys(after: old, at: endpoint, transport: Transport(), cancellation: nil))
    #expect(newer.keys.keys.map(\.keyID) == ["second"])
    // The result serves both.
    #expect(try keyIDs(cache, proxied) == ["second"])
    #expect(fetches == 3)
  }

  @Test func `is held against a file that was put in another's place`() throws {
    _ = try keyIDs(cache(), trusting("a"))
    let foreign = try directory.read(try soleFile())
    try FileTree.remove(directory.path("cache"))
    _ = try keyIDs(cache(), trusting("b"))
    try directory.write(try soleFile(), foreign)
    _ = try keyIDs(cache(), trusting("b"))
    #expect(fetches == 3)
  }
}
