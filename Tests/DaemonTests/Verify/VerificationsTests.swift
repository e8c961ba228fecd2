import Platform
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `A check of tokens` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome()
    try home.add("work")
    parts = try DaemonParts(home.context)
  }

  /// RFC 7517 appendix A.1, without its use.
  private static let keys = """
    {"keys":[{"kty":"EC","crv":"P-256","kid":"1","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",\
    "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}
    """

  /// Checks a line that is no token.
  ///
  /// - Returns: What was written of it; empty where that is nothing.
  private func check(
    _ number: Int, keys: String? = nil, hasDeadline: Bool = false, _ edit: (inout VerifyRequest) -> Void = { _ in }
  ) throws -> String {
    var request = VerifyRequest()
    request.bringsKeys = keys != nil
    edit(&request)
    let results = try Pipe()
    var passed: [SharedDescriptor] = []
    if let keys { passed.append(SharedDescriptor(try FileDescriptor.inMemory(Array(keys.utf8).span))) }
    passed.append(SharedDescriptor(try FileDescriptor.inMemory(Array("no token\n".utf8).span)))
    passed.append(SharedDescriptor(try results.writing.duplicate()))
    try parts.verifications.verify(request, .number(number), hasDeadline: hasDeadline, passed: passed)
    home.runJobs()
    var bytes: [UInt8] = []
    if try results.reading.waitUntilReadable(timeout: .zero) {
      _ = try results.reading.read(into: &bytes, upTo: 4096)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `with keys that are handed over asks no server`() throws {
    #expect(try check(1, keys: Self.keys).contains(#""valid":false"#))
    #expect(home.sink.results[1] != nil)
    #expect(home.http.roles.isEmpty)
  }

  @Test func `takes the keys from one place`() throws {
    #expect(throws: Failure.self) { _ = try check(1, keys: Self.keys) { $0.account = "work" } }
    #expect(throws: Failure.self) {
      _ = try check(2) {
        $0.issuer = "https://other.example"; $0.account = "work"
      }
    }
    #expect(throws: Failure.self) {
      _ = try check(3) {
        ($0.issuer, $0.account) = ("https://as.example", "work")
        $0.settings.allowHTTPLoopback = true
      }
    }
    #expect(home.http.roles.isEmpty)
  }

  @Test func `takes keys or a secret, not both`() throws {
    var request = VerifyRequest()
    (request.bringsKeys, request.bringsSecret) = (true, true)
    let pipe = try Pipe()
    let passed = try (0..<3).map { _ in SharedDescriptor(try pipe.writing.duplicate()) }
    let failure = #expect(throws: Failure.self) {
      try parts.verifications.verify(request, .number(1), hasDeadline: false, passed: passed)
    }
    #expect(failure?.message == "keys are handed over, or those of an account's issuer count, but not both")
  }

  @Test func `may name the issuer of its account, and no other`() throws {
    _ = try check(1) { ($0.issuer, $0.account) = ("https://as.example", "work") }
    #expect(home.http.roles.first == .metadata)
    let failure = #expect(throws: Failure.self) {
      _ = try check(2) { ($0.issuer, $0.account) = ("https://other.example", "work") }
    }
    #expect(failure?.message == "the account work is one at another issuer")
  }

  @Test func `tells how many of the keys cannot be used, where there are such`() throws {
    _ = try check(1, keys: Self.keys)
    #expect(home.sink.events[1] == nil)
    _ = try check(2, keys: String(Self.keys.dropLast(2)) + #",{"kty":"other"},{"kty":"EC","crv":"none"}]}"#)
    #expect(
      home.sink.events[2]?.compactMap { if case .notice(let text) = $0 { text.english } else { nil } }
        == ["2 of the keys in the set cannot be used and were left out"])
    #expect(home.sink.results[2] != nil)
  }

  @Test(arguments: [
    (#"{"keys":[{"kty":"oct","k":"AAAA"}]}"#, "the key set holds a symmetric key, which was left out"),
    (
      #"{"keys":[{"kty":"EC","crv":"P-256","d":"AAAA","x":"AAAA","y":"AAAA"}]}"#,
      "the key set holds a private key, which was left out: tokens are verified by public keys"
    ),
  ]) func `tells of keys that do not belong into a set of public ones`(keys: String, notice: String) throws {
    _ = try check(1, keys: keys)
    #expect(
      home.sink.events[1]?.compactMap { if case .notice(let text) = $0 { text.english } else { nil } } == [notice])
    #expect(home.sink.results[1] == nil)
  }

  @Test(arguments: [#"{"keys":[]}"#, #"{"keys":[{"kty":"other"}]}"#])
  func `is refused where none of its keys can be used`(keys: String) throws {
    _ = try check(1, keys: keys)
    #expect(home.sink.failures[1]?.message == "the key set holds no key that can be used")
    #expect(home.sink.results[1] == nil)
  }

  // RFC 7519 section 4.1.
  @Test func `of the signature alone has no audience and no times`() throws {
    #expect(throws: Failure.self) {
      _ = try check(1, keys: Self.keys) { ($0.signatureOnly, $0.audiences) = (true, ["api"]) }
    }
    #expect(throws: Failure.self) { _ = try check(2, keys: Self.keys) { ($0.signatureOnly, $0.clockSkew) = (true, 5) } }
    _ = try check(3, keys: Self.keys) { $0.signatureOnly = true }
    _ = try check(4, keys: Self.keys) { ($0.audiences, $0.clockSkew) = (["api"], 5) }
    #expect(home.sink.results[3] != nil && home.sink.results[4] != nil)
  }

  @Test func `whose keys are long in coming ends with its sender`() throws {
    var request = VerifyRequest()
    request.bringsKeys = true
    let keys = try Pipe()
    let results = try Pipe()
    let passed = [
      SharedDescriptor(try keys.reading.duplicate()), SharedDescriptor(try results.reading.duplicate()),
      SharedDescriptor(try results.writing.duplicate()),
    ]
    try parts.verifications.verify(request, .number(1), hasDeadline: false, passed: passed)
    try keys.writing.writeAll(Array("{".utf8).span)
    try home.wait { try !keys.reading.waitUntilReadable(timeout: .zero) }
    parts.verifications.endVerifications(of: .number(1))
    home.runJobs()
    #expect(home.sink.results.isEmpty && home.sink.failures.isEmpty)
  }

  @Test func `has the time that its sender gave it, and else as much as its tokens take`() throws {
    _ = try check(1, keys: Self.keys, hasDeadline: true)
    _ = try check(2, keys: Self.keys)
    #expect(home.sink.deadlines[1] == nil)
    let deadline = try #require(home.sink.deadlines[2])
    #expect(deadline > home.time.now().advanced(by: .seconds(24 * 3600)))
  }

  // RFC 7515 section 4.1.1: the algorithms of a secret and those of keys are not each other's.
  @Test func `has algorithms of the kind of its keys`() throws {
    for (algorithm, isOfKey) in [("ES256", true), ("HS256", false)] {
      for bringsSecret in [false, true] {
        var request = VerifyRequest()
        (request.bringsKeys, request.bringsSecret, request.algorithms) = (!bringsSecret, bringsSecret, [algorithm])
        let given = Array((bringsSecret ? "a secret" : Self.keys).utf8)
        let none: [UInt8] = []
        let passed = [
          SharedDescriptor(try FileDescriptor.inMemory(given.span)),
          SharedDescriptor(try FileDescriptor.inMemory(none.span)), SharedDescriptor(try Pipe().writing.duplicate()),
        ]
        let taken: Void? = try? parts.verifications.verify(request, .number(1), hasDeadline: false, passed: passed)
        #expect((taken != nil) == (isOfKey != bringsSecret), "\(algorithm)")
        home.runJobs()
      }
    }
  }

  @Test(arguments: [(1, 1), (2, 2), (4, 4), (5, 4), (64, 4)])
  func `leaves processors to other work`(processors: Int, threads: Int) {
    #expect(TokenCheck.threadCount(processors: processors) == threads)
  }

  @Test func `ends where the tokens cannot be read`() throws {
    var request = VerifyRequest()
    request.bringsKeys = true
    let passed = [
      SharedDescriptor(try FileDescriptor.inMemory(Array(Self.keys.utf8).span)),
      // A directory has no bytes to read.
      SharedDescriptor(try FileDescriptor(opening: "/", for: .reading)),
      SharedDescriptor(try Pipe().writing.duplicate()),
    ]
    try parts.verifications.verify(request, .number(1), hasDeadline: false, passed: passed)
    home.runJobs()
    #expect(home.sink.failures[1]?.message.hasPrefix("the tokens cannot be read: ") == true)
  }

  @Test func `needs all of its descriptors`() throws {
    var request = VerifyRequest()
    request.bringsKeys = true
    let pipe = try Pipe()
    let passed = [SharedDescriptor(try pipe.reading.duplicate()), SharedDescriptor(try pipe.writing.duplicate())]
    #expect(throws: Failure.self) {
      try parts.verifications.verify(request, .number(1), hasDeadline: false, passed: passed)
    }
  }
}
