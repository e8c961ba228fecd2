import Crypto
import OAuth
import Platform
import Sessions
import Testing

@testable import Daemon

@Suite struct `A client secret that is handed over` {
  private static func read(_ text: String) throws -> [UInt8] {
    let pipe = try Pipe()
    try pipe.writing.writeAll(Array(text.utf8).span)
    try pipe.writing.close()
    let secret = try ClientSecret.read(SharedDescriptor(pipe.reading), Cancellation())
    return secret.bytes.withBytes { bytes in bytes.indices.map { bytes[$0] } }
  }

  @Test(arguments: ["secret", "secret\n", "secret\r\n"]) func `is one line`(text: String) throws {
    #expect(try Self.read(text) == Array("secret".utf8))
  }

  @Test func `may hold what RFC 6749 appendix A.2 allows`() throws {
    let all = (0x20...0x7E).map { UInt8($0) }
    #expect(try Self.read(String(decoding: all, as: UTF8.self)) == all)
  }

  private static func error(_ problem: ConfigurationError.SecretProblem) -> SessionError {
    .configuration(ConfigurationError(.unusableSecret(.clientSecret, problem), ""))
  }

  @Test(arguments: ["two\nlines", "tab\there", "caf\u{E9}", "nul\0", "a\n\n"])
  func `is refused when it can be none`(text: String) {
    #expect(throws: Self.error(.malformed)) { _ = try Self.read(text) }
  }

  @Test(arguments: ["", "\n", "\r\n"]) func `is refused when it is empty`(text: String) {
    #expect(throws: Self.error(.empty)) { _ = try Self.read(text) }
  }

  @Test func `has a limit`() throws {
    #expect(try Self.read(String(repeating: "x", count: 4095)).count == 4095)
    #expect(throws: Self.error(.tooLong)) { _ = try Self.read(String(repeating: "x", count: 4096)) }
  }

  // A variable and a file have the same limit.
  @Test func `that is an assertion has the limit of assertions`() throws {
    func count(_ bytes: Int) throws -> Int {
      let text = [UInt8](repeating: UInt8(ascii: "x"), count: bytes)
      let source = SharedDescriptor(try FileDescriptor.inMemory(text.span))
      return try ClientSecret.read(source, as: .assertion, Cancellation()).bytes.withBytes { $0.count }
    }
    #expect(try count(BearerAssertion.maximumBytes) == BearerAssertion.maximumBytes)
    #expect(throws: SessionError.self) { try count(BearerAssertion.maximumBytes + 1) }
  }
}

@Suite struct `A client's file that is handed over` {
  private static func read(_ count: Int) throws -> Int {
    let file = SharedDescriptor(try FileDescriptor.inMemory([UInt8](repeating: UInt8(ascii: "x"), count: count).span))
    return try ClientSecret.readCertificates(file, Cancellation()).bytes.withBytes { $0.count }
  }

  @Test func `has less than 64 KiB`() throws {
    #expect(try Self.read(65_535) == 65_535)
    #expect(throws: SessionError.configuration(ConfigurationError(.unusableSecret(.clientCertificate, .tooLong), ""))) {
      _ = try Self.read(65_536)
    }
  }
}
