import Crypto
import OAuth
import WireSupport
import Platform
import Sessions
import Testing

@testable import Daemon

@Suite struct `A secret that comes in a descriptor` {
  private static func error(_ problem: ConfigurationError.SecretProblem) -> SessionError {
    .configuration(ConfigurationError(.unusableSecret(.clientSecret, problem), ""))
  }

  private func source(_ text: String) throws -> SharedDescriptor {
    SharedDescriptor(try FileDescriptor.inMemory(Array(text.utf8).span))
  }

  /// Reads a line of at most eight bytes.
  private func line(_ text: String) throws -> String {
    let source = try source(text)
    return try SecretReader.readLine(source, upTo: 8, or: Self.error, Cancellation()) { _ in true }.text
  }

  private func passphrase(bytes: Int) throws -> Int {
    let source = try source(String(repeating: "x", count: bytes) + "\n")
    return try VaultSecret.read(source, Cancellation()).text.utf8.count
  }

  @Test(arguments: ["", "\n", "\r\n"]) func `is one line, whose end is no part of it`(end: String) throws {
    #expect(try line("12345678" + end) == "12345678")
    #expect(throws: Self.error(.tooLong)) { try line("123456789" + end) }
    #expect(throws: Self.error(.empty)) { try line(end) }
    #expect(try line("a\r b" + end) == "a\r b")
  }

  @Test func `is refused where it is empty or too long`() throws {
    func count(_ text: String) throws -> Int {
      let source = try source(text)
      return try SecretReader.read(source, upTo: 8, or: Self.error, Cancellation()) { $0.count }
    }
    #expect(try count("12345678") == 8)
    #expect(throws: Self.error(.empty)) { try count("") }
    for text in ["123456789", "1234567890"] { #expect(throws: Self.error(.tooLong)) { try count(text) } }
  }

  @Test func `as a passphrase has at most 1,024 bytes`() throws {
    #expect(try passphrase(bytes: 1024) == 1024)
    #expect(throws: SessionError.configuration(ConfigurationError(.invalidPassphrase, ""))) {
      try passphrase(bytes: 1025)
    }
  }
}
