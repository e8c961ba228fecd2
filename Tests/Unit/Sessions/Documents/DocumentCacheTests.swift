import Encoding
import Crypto
import OAuth
import Platform
import Sessions
import TestSupport
import Testing

@Suite struct `The cache of metadata and keys` {
  let directory: TemporaryDirectory
  let http = ScriptedHTTP()
  let time = ManualTime()

  init() throws {
    directory = try TemporaryDirectory()
    http.always(TestIssuer.metadataURL, try response(200, .object(TestIssuer.metadata)))
    http.always(TestIssuer.keysURL, try response(200, TestIssuer.first.keySet))
  }

  /// A cache like that of a new process.
  func cache() -> DocumentCache { DocumentCache(directory: directory.path("cache"), http: http, time: time) }

  @discardableResult
  func metadata(_ cache: DocumentCache, of issuer: String = TestIssuer.text, fresh: Bool = false) throws -> String? {
    let issuer = try Issuer(issuer, allowHTTPLoopback: false)
    let held = try cache.metadata(of: issuer, transport: Transport(), fresh: fresh, cancellation: nil)
    return held.document[.token]?.text
  }

  @discardableResult
  func keys(_ cache: DocumentCache) throws -> Int {
    let endpoint = try Endpoint(TestIssuer.keysURL, allowHTTPLoopback: false)
    return try cache.keys(at: endpoint, transport: Transport(), cancellation: nil).keys.keys.count
  }

  /// The keys of a caller that then asks for newer ones.
  func held(_ cache: DocumentCache) throws -> DocumentCache.VersionedKeys {
    let endpoint = try Endpoint(TestIssuer.keysURL, allowHTTPLoopback: false)
    return try cache.keys(at: endpoint, transport: Transport(), cancellation: nil)
  }

  func refetch(
    _ cache: DocumentCache, after old: DocumentCache.VersionedKeys
  ) throws -> DocumentCache.VersionedKeys? {
    let endpoint = try Endpoint(TestIssuer.keysURL, allowHTTPLoopback: false)
    return try cache.renewedKeys(after: old, at: endpoint, transport: Transport(), cancellation: nil)
  }

  var fetches: Int { http.requests.count }

  // MARK: Memory and disk

  @Test func `asks the network once, then memory`() throws {
    let cache = cache()
    for _ in 1...3 {
      #expect(try metadata(cache) == TestIssuer.tokenURL)
      #expect(try keys(cache) == 1)
    }
    #expect(http.urls == [TestIssuer.metadataURL, TestIssuer.keysURL])
  }

  @Test func `needs no network after a restart`() throws {
    try metadata(cache())
    try keys(cache())
    let restarted = cache()
    #expect(try metadata(restarted) == TestIssuer.tokenURL)
    #expect(try keys(restarted) == 1)
    #expect(fetches == 2)
    // A parsed document stays in memory.
    try FileTree.remove(directory.path("cache"))
    #expect(try metadata(restarted) == TestIssuer.tokenURL)
    #expect(fetches == 2)
  }

  @Test func `reads a document anew for whoever does not allow what it was read with`() throws {
    var document = TestIssuer.metadata
    document["token_endpoint"] = "http://127.0.0.1:9/token"
    http.always(TestIssuer.metadataURL, try response(200, .object(document)))
    let issuer = try Issuer(TestIssuer.text, allowHTTPLoopback: false)
    let cache = cache()
    func tokenEndpoint(allowingHTTP: Bool) throws -> String? {
      var transport = Transport()
      transport.allowHTTPLoopback = allowingHTTP
      return try cache.metadata(of: issuer, transport: transport, cancellation: nil).document[.token]?.text
    }
    #expect(try tokenEndpoint(allowingHTTP: true) == "http://127.0.0.1:9/token")
    #expect(try tokenEndpoint(allowingHTTP: true) == "http://127.0.0.1:9/token")
    #expect(fetches == 1)
    #expect(try tokenEndpoint(allowingHTTP: false) == nil)
    #expect(try tokenEndpoint(allowingHTTP: true) == "http://127.0.0.1:9/token")
  }

  @Test func `works without a disk`() throws {
    try directory.write("cache", "a file in the way")
    let cache = cache()
    #expect(try metadata(cache) == TestIssuer.tokenURL)
    #expect(try metadata(cache) == TestIssuer.tokenURL)
    #expect(fetches == 1)
  }

  @Test func `asks the network when something fresh is wanted`() throws {
    let cache = cache()
    try metadata(cache)
    http.answer(
      TestIssuer.metadataURL,
      try response(200, .object(TestIssuer.metadata("token_endpoint", "https://as.example/new"))))
    #expect(try metadata(cache, fresh: true) == "https://as.example/new")
    #expect(try metadata(cache) == "https://as.example/new")
    #expect(try metadata(self.cache()) == "https://as.example/new")
    #expect(fetches == 2)
  }

  @Test func `keeps the old document when a fresh one cannot be had`() throws {
    let cache = cache()
    try metadata(cache)
    http.fail(TestIssuer.metadataURL, HTTPFailure(.connect))
    #expect(throws: OAuthError(.network, .host("as.example"))) { try metadata(cache, fresh: true) }
    #expect(try metadata(cache) == TestIssuer.tokenURL)
  }

  @Test func `forgets in memory and on disk`() throws {
    let cache = cache()
    try metadata(cache)
    try keys(cache)
    cache.forget(try Issuer(TestIssuer.text, allowHTTPLoopback: false), transport: Transport())
    #expect(try PrivateDirectory(opening: directory.path("cache"), create: false).fileNames() == [])
    try metadata(cache)
    try keys(cache)
    #expect(fetches == 4)
  }

  @Test func `holds nothing readable of the issuer in its file names`() throws {
    try metadata(cache())
    try keys(cache())
    let names = try PrivateDirectory(opening: directory.path("cache"), create: false).fileNames()
    #expect(names.count == 2)
    for name in names {
      #expect(name.hasSuffix(".json"))
      #expect(!name.contains("example"))
    }
  }

  // MARK: Time

  struct Life: CustomTestStringConvertible {
    var header: String?
    var seconds: Int
    var testDescription: String { header ?? "no header" }
  }

  // RFC 9111 section 5.2.2, within our own bounds.
  @Test(arguments: [
    Life(header: nil, seconds: 86_400), Life(header: "max-age=3600", seconds: 3600),
    Life(header: "max-age=1", seconds: 300), Life(header: "max-age=0", seconds: 300),
    Life(header: "no-store", seconds: 300), Life(header: "max-age=99999999999999999999", seconds: 86_400),
    Life(header: "max-age=-5", seconds: 86_400), Life(header: "public, max-age=7200", seconds: 7200),
  ])
  func `keeps a document as long as the server says, within bounds`(_ life: Life) throws {
    let headers = life.header.map { [("Cache-Control", $0)] } ?? []
    http.answer(TestIssuer.metadataURL, try response(200, .object(TestIssuer.metadata), headers: headers))
    let cache = cache()
    try metadata(cache)
    time.advance(seconds: life.seconds - 1)
    try metadata(cache)
    try metadata(self.cache())
    #expect(fetches == 1)
    time.advance(seconds: 1)
    try metadata(self.cache())
    #expect(fetches == 2)
    try metadata(cache)
    #expect(fetches == 3)
  }

  @Test func `does not trust a document from the future`() throws {
    try metadata(cache())
    time.setWall(seconds: TestIssuer.now - 1)
    try metadata(cache())
    #expect(fetches == 2)
  }

  // MARK: Fetching out of turn

  @Test func `fetches keys out of turn at most once a minute`() throws {
    let cache = cache()
    let old = try held(cache)
    let newer = try #require(try refetch(cache, after: old))
    #expect(fetches == 2 && newer.isNewer(than: old))
    #expect(try refetch(cache, after: old) != nil && fetches == 2, "what was fetched is shared")
    #expect(try refetch(cache, after: newer) == nil && fetches == 2)
    time.advance(seconds: 59)
    #expect(try refetch(cache, after: newer) == nil && fetches == 2)
    time.advance(seconds: 1)
    #expect(try refetch(cache, after: newer) != nil && fetches == 3)
  }

  @Test func `fetches keys out of turn once for all who want them at the same time`() throws {
    let cache = cache()
    let old = try held(cache)
    http.answer(TestIssuer.keysURL, try response(200, TestIssuer.second.keySet))
    let endpoint = try Endpoint(TestIssuer.keysURL, allowHTTPLoopback: false)
    let outcomes = try inThreads(8) { _ in
      let set = try cache.renewedKeys(after: old, at: endpoint, transport: Transport(), cancellation: nil)
      try #require(set?.keys.keys.map(\.keyID) == ["second"])
    }
    #expect(outcomes == Array(repeating: "done", count: 8))
    #expect(fetches == 2)
  }

  @Test func `fetches keys out of turn at most ten times an hour`() throws {
    let cache = cache()
    var latest = try held(cache)
    for _ in 1...10 {
      latest = try #require(try refetch(cache, after: latest))
      time.advance(seconds: 60)
    }
    #expect(try refetch(cache, after: latest) == nil)
    time.advance(seconds: 3000 - 1)
    #expect(try refetch(cache, after: latest) == nil)
    time.advance(seconds: 1)
    #expect(try refetch(cache, after: latest) != nil)
  }

  @Test func `tells when keys can be fetched again`() throws {
    let endpoint = try Endpoint(TestIssuer.keysURL, allowHTTPLoopback: false)
    let cache = cache()
    func left() -> Int { cache.secondsUntilKeys(at: endpoint, transport: Transport()) }
    var latest = try held(cache)
    #expect(left() == 0)
    for _ in 1...9 {
      latest = try #require(try refetch(cache, after: latest))
      #expect(left() == 60)
      time.advance(seconds: 60)
      #expect(left() == 0)
    }
    // The tenth fetch of the hour; the keys themselves are fetched again when they expire.
    http.answer(
      TestIssuer.keysURL, try response(200, TestIssuer.first.keySet, headers: [("Cache-Control", "max-age=600")]))
    latest = try #require(try refetch(cache, after: latest))
    #expect(left() == 600)
    time.advance(seconds: 600)
    _ = try held(cache)
    #expect(left() == 3600 - 540 - 600)
    time.advance(seconds: left())
    #expect(try refetch(cache, after: latest) != nil)
  }

  @Test func `counts a failed fetch out of turn too`() throws {
    let cache = cache()
    let old = try held(cache)
    http.fail(TestIssuer.keysURL, HTTPFailure(.connect))
    #expect(throws: OAuthError(.network, .host("as.example"))) { try refetch(cache, after: old) }
    #expect(try refetch(cache, after: old) == nil)
    #expect(try keys(cache) == 1)
  }

  @Test func `does not block out of turn for ever after the clock was set back`() throws {
    let cache = cache()
    let newer = try #require(try refetch(cache, after: try held(cache)))
    time.setWall(seconds: TestIssuer.now - 100_000)
    #expect(try refetch(cache, after: newer) != nil)
  }

  // MARK: Untrusted files

  func soleFile() throws -> String {
    let names = try PrivateDirectory(opening: directory.path("cache"), create: false).fileNames()
    try #require(names.count == 1)
    return "cache/" + names[0]
  }

  @Test func `keeps no more files than it needs, however often a server names another place`() throws {
    let cache = cache()
    for number in 1...300 {
      let place = "https://as.example/keys/\(number)"
      http.answer(place, try response(200, TestIssuer.first.keySet))
      _ = try cache.keys(
        at: Endpoint(place, allowHTTPLoopback: false), transport: Transport(), cancellation: nil)
    }
    let names = try directory.open("cache").fileNames()
    #expect((128...256).contains(names.count), "\(names.count)")
  }

  @Test func `takes a damaged file for none`() throws {
    try metadata(cache())
    let file = try soleFile()
    let whole = try directory.read(file)
    for count in stride(from: 0, to: whole.count, by: 7) {
      try directory.write(file, Array(whole[..<count]))
      let before = fetches
      #expect(try metadata(cache()) == TestIssuer.tokenURL)
      #expect(fetches == before + 1, "cut at \(count)")
    }
  }

  @Test(
    arguments: [
      ("fetched_at", .int(.max)), ("fetched_at", .int(.min)), ("fetched_at", "1"), ("fetched_at", nil),
      ("expires_at", .int(.min)), ("expires_at", .int(TestIssuer.now)), ("expires_at", nil),
      ("name", "https://as.example/other"), ("name", 1), ("name", nil),
    ] as [(String, JSON?)])
  func `takes a file with a wrong head for none`(member: String, value: JSON?) throws {
    try metadata(cache())
    try changeHead(member, value)
    #expect(try metadata(cache()) == TestIssuer.tokenURL)
    #expect(fetches == 2)
  }

  @Test func `keeps no file longer than a day, whatever it says`() throws {
    try metadata(cache())
    try changeHead("expires_at", .int(.max))
    time.advance(seconds: 86_399)
    try metadata(cache())
    #expect(fetches == 1)
    time.advance(seconds: 1)
    try metadata(cache())
    #expect(fetches == 2)
  }

  @Test func `takes the file of another issuer for none`() throws {
    let other = TestIssuer.metadata("issuer", "https://other.example")
    http.answer("https://other.example/.well-known/openid-configuration", try response(200, .object(other)))
    try metadata(cache(), of: "https://other.example")
    let foreign = try directory.read(try soleFile())
    try FileTree.remove(directory.path("cache"))
    try metadata(cache())
    try directory.write(try soleFile(), foreign)
    #expect(try metadata(cache()) == TestIssuer.tokenURL)
    #expect(fetches == 3)
  }

  @Test func `takes a file that others may change for none`() throws {
    try metadata(cache())
    let name = String(try soleFile().dropFirst("cache/".count))
    let bytes = try directory.read("cache/" + name)
    try PrivateDirectory(opening: directory.path("cache"), create: false).replaceFile(
      name, with: bytes.span, mode: 0o620)
    try metadata(cache())
    #expect(fetches == 2)
  }

  private func changeHead(_ member: String, _ value: JSON?) throws {
    let file = try soleFile()
    let bytes = try directory.read(file)
    let end = try #require(bytes.firstIndex(of: UInt8(ascii: "\n")))
    var head = try #require(try JSON(parsing: Array(bytes[..<end])).object)
    head[member] = value
    try directory.write(file, JSON.object(head).serialized() + bytes[end...])
  }
}
