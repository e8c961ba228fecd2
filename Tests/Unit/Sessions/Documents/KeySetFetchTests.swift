import Encoding
import Crypto
import OAuth
import Platform
import Sessions
import TestSupport
import Testing
import Vocabulary

/// Key sets that are requested again, also concurrently (RFC 9110 section 13.1.2, RFC 9111).
@Suite struct `The cache of key sets` {
  let directory: TemporaryDirectory
  let http = ScriptedHTTP()
  let time = ManualTime()

  init() throws { directory = try TemporaryDirectory() }

  private func cache() -> DocumentCache { DocumentCache(directory: directory.path("cache"), http: http, time: time) }

  private func endpoint() throws -> Endpoint { try Endpoint(TestIssuer.keysURL, allowHTTPLoopback: false) }

  private func names(_ cache: DocumentCache) throws -> [String?] {
    try cache.keys(at: endpoint(), transport: Transport(), cancellation: nil).keys.keys.map(\.keyID)
  }

  private func held(_ cache: DocumentCache) throws -> DocumentCache.VersionedKeys {
    try cache.keys(at: endpoint(), transport: Transport(), cancellation: nil)
  }

  private func refetched(_ cache: DocumentCache, after old: DocumentCache.VersionedKeys) throws -> [String?]? {
    try cache.renewedKeys(after: old, at: endpoint(), transport: Transport(), cancellation: nil)?.keys.keys.map(
      \.keyID)
  }

  private func answer(_ issuer: TestIssuer, tag: String? = nil, control: String = "max-age=600") throws {
    let tags = tag.map { [("ETag", $0)] } ?? []
    http.answer(TestIssuer.keysURL, try response(200, issuer.keySet, headers: [("Cache-Control", control)] + tags))
  }

  private var tags: [String?] { http.requests.map(\.ifNoneMatch) }

  @Test(arguments: [false, true]) func `asks whether a set still counts when its time is over`(restarts: Bool) throws {
    let first = cache()
    try answer(.first, tag: #""v1""#)
    #expect(try names(first) == ["first"])
    time.advance(seconds: 600)
    http.answer(TestIssuer.keysURL, try response(304, .null, headers: [("Cache-Control", "max-age=1200")]))
    let second = restarts ? cache() : first
    #expect(try names(second) == ["first"])
    time.advance(seconds: 1199)
    #expect(try names(second) == ["first"])
    #expect(try names(cache()) == ["first"])
    #expect(tags == [nil, #""v1""#])
    time.advance(seconds: 1)
    try answer(.second, tag: #"W/"v2""#)
    #expect(try names(second) == ["second"])
    #expect(tags == [nil, #""v1""#, #""v1""#])
    time.advance(seconds: 600)
    try answer(.second)
    #expect(try names(second) == ["second"])
    #expect(tags.last == #"W/"v2""#)
  }

  @Test(arguments: ["", "v1", "\"", "\"a b\"", "\"a\u{1}\"", "\"\(String(repeating: "x", count: 300))\"", "\"é\""])
  func `keeps no tag that is none`(tag: String) throws {
    let cache = cache()
    try answer(.first, tag: tag)
    #expect(try names(cache) == ["first"])
    time.advance(seconds: 600)
    try answer(.second)
    #expect(try names(cache) == ["second"])
    #expect(tags == [nil, nil])
  }

  @Test func `takes no 304 for an answer where it has nothing`() throws {
    http.answer(TestIssuer.keysURL, try response(304, TestIssuer.first.keySet))
    #expect(throws: OAuthError.self) { try names(cache()) }
  }

  @Test func `uses no key that is gone after a fetch out of turn`() throws {
    let cache = cache()
    try answer(.first, tag: #""v1""#)
    let old = try held(cache)
    #expect(old.keys.keys.map(\.keyID) == ["first"])
    try answer(.second, tag: #""v2""#)
    #expect(try refetched(cache, after: old) == ["second"])
    #expect(try names(cache) == ["second"])
    #expect(try names(self.cache()) == ["second"])
  }

  @Test func `is fetched out of turn no more often when it was dropped between`() throws {
    let cache = cache()
    try answer(.first)
    let old = try held(cache)
    http.always(TestIssuer.metadataURL, try response(200, .object(TestIssuer.metadata)))
    let issuer = try Issuer(TestIssuer.text, allowHTTPLoopback: false)
    _ = try cache.metadata(of: issuer, transport: Transport(), cancellation: nil)
    http.fail(TestIssuer.keysURL, HTTPFailure(.connect))
    #expect(throws: OAuthError.self) { try refetched(cache, after: old) }
    cache.forget(issuer, transport: Transport())
    try #require(try directory.open("cache").fileNames() == [])
    http.forgetRequests()
    #expect(try refetched(cache, after: old) == nil)
    #expect(http.requests.isEmpty)
  }

  @Test func `stays as it was until its end when a fetch out of turn fails`() throws {
    let cache = cache()
    try answer(.first)
    let old = try held(cache)
    #expect(old.keys.keys.map(\.keyID) == ["first"])
    http.fail(TestIssuer.keysURL, HTTPFailure(.connect))
    #expect(throws: OAuthError.self) { try refetched(cache, after: old) }
    time.advance(seconds: 599)
    #expect(try names(cache) == ["first"])
    time.advance(seconds: 1)
    http.fail(TestIssuer.keysURL, HTTPFailure(.connect))
    #expect(throws: OAuthError.self) { try names(cache) }
  }

  /// Delays the first response until `count` threads wait for it.
  private func gate(telling begun: WorkQueue<Bool>? = nil) -> WorkQueue<Bool> {
    let gate = WorkQueue<Bool>()
    http.answer(TestIssuer.keysURL) { _ in
      begun?.push(true)
      _ = gate.pop(wait: .testLimit)
      return try response(200, TestIssuer.first.keySet)
    }
    return gate
  }

  private func opening(_ gate: WorkQueue<Bool>, after seconds: Duration = .milliseconds(300)) throws {
    try Threads.start(name: "gate") {
      Threads.sleep(for: seconds)
      gate.push(true)
    }
  }

  @Test func `fetches once for all who want it at the same time`() throws {
    let cache = cache()
    try opening(gate())
    let endpoint = try endpoint()
    let outcomes = try inThreads(8) { _ in
      let keys = try cache.keys(at: endpoint, transport: Transport(), cancellation: nil)
      #expect(keys.keys.keys.map(\.keyID) == ["first"])
    }
    #expect(outcomes.allSatisfy { $0 == "done" })
    #expect(http.requests.count == 1)
  }

  @Test func `lets all share a fetch out of turn, though it is allowed once`() throws {
    let cache = cache()
    try answer(.second)
    let old = try held(cache)
    try opening(gate())
    let endpoint = try endpoint()
    let outcomes = try inThreads(8) { _ in
      let keys = try cache.renewedKeys(after: old, at: endpoint, transport: Transport(), cancellation: nil)
      #expect(keys?.keys.keys.map(\.keyID) == ["first"])
    }
    #expect(outcomes.allSatisfy { $0 == "done" })
    #expect(http.requests.count == 2)
    // A request a moment later gets the same result without contacting the issuer.
    #expect(try refetched(cache, after: old) == ["first"])
    #expect(http.requests.count == 2)
  }

  @Test func `does not let one who gives up take the others along`() throws {
    let cache = cache()
    let endpoint = try endpoint()
    let cancellation = Cancellation()
    let begun = WorkQueue<Bool>()
    http.answer(TestIssuer.keysURL) { _ in
      begun.push(true)
      while !cancellation.isCancelled { Threads.sleep(for: .milliseconds(5)) }
      throw HTTPFailure(.cancelled)
    }
    try answer(.first)
    let outcomes = try inThreads(2) { number in
      if number == 0 {
        #expect(throws: OAuthError.self) {
          try cache.keys(at: endpoint, transport: Transport(), cancellation: cancellation)
        }
      } else {
        _ = begun.pop(wait: .testLimit)
        try Threads.start(name: "cancel") {
          Threads.sleep(for: .milliseconds(200))
          cancellation.cancel()
        }
        let keys = try cache.keys(at: endpoint, transport: Transport(), cancellation: nil)
        #expect(keys.keys.keys.map(\.keyID) == ["first"])
      }
    }
    #expect(outcomes.allSatisfy { $0 == "done" })
  }

  @Test func `does not make one who gives up wait`() throws {
    let cache = cache()
    let endpoint = try endpoint()
    let begun = WorkQueue<Bool>()
    let gate = gate(telling: begun)
    let outcomes = try inThreads(2) { number in
      if number == 0 {
        let keys = try cache.keys(at: endpoint, transport: Transport(), cancellation: nil)
        #expect(keys.keys.keys.count == 1)
      } else {
        _ = begun.pop(wait: .testLimit)
        let cancellation = Cancellation()
        cancellation.cancel()
        #expect(throws: OAuthError(.cancelled, .endpoint(.keys))) {
          try cache.keys(at: endpoint, transport: Transport(), cancellation: cancellation)
        }
        gate.push(true)
      }
    }
    #expect(outcomes.allSatisfy { $0 == "done" })
  }
}
