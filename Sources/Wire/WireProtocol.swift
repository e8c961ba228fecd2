package import Encoding

/// The socket protocol between `agent` and `agentd`: one JSON object per line.
///
/// A request is one line, `{"v":1,"request":"token",…}`. The response is any number of event lines,
/// `{"v":1,"event":…}`, and a last line with either `result` or `error`. A connection may carry several requests, one
/// after the other. Times are unix seconds, durations are seconds.
package enum WireProtocol {
  /// The protocol version of this build. Lines with another version are errors.
  package static let version = 1

  /// The maximum length of a line, including its newline.
  package static let maximumLineBytes = 1 << 20

  /// The body of ``CallRequest/inlineBody`` is a single string.
  package static let requestLimits = JSONLimits(stringBytes: maximumLineBytes)

  /// The maximum length of a path, in bytes (PATH_MAX).
  package static let maximumPathBytes = 4096

  /// The maximum time between the first and last byte of a request line, in seconds.
  package static let requestLineSeconds = 5

  /// The maximum deadline of a request, in seconds.
  package static let maximumTimeoutSeconds = 3600

  /// The default deadline of a request, in seconds: longer than three attempts with backoff.
  package static let defaultTimeoutSeconds = 120

  /// The socket's name in the runtime directory.
  package static let socketName = "agent.sock"

  /// The directory in the runtime directory with a subdirectory for each lease, so that each can be mounted separately.
  package static let leaseFolder = "leases"

  /// The name of the socket of a lease for programs that know HTTP alone, which find the same at this port.
  package static func leaseHTTPName(port: UInt16) -> String { "\(leaseHTTPPrefix)\(port)\(leaseHTTPSuffix)" }
  private static let leaseHTTPPrefix = "http-"
  private static let leaseHTTPSuffix = ".sock"

  /// The port in such a name; nil for another name.
  package static func leaseHTTPPort(in name: some StringProtocol) -> UInt16? {
    guard name.hasPrefix(leaseHTTPPrefix), name.hasSuffix(leaseHTTPSuffix) else { return nil }
    return UInt16(name.dropFirst(leaseHTTPPrefix.count).dropLast(leaseHTTPSuffix.count)).flatMap { $0 > 0 ? $0 : nil }
  }

  /// The file beside the socket whose one line is another one after each change of who is signed in or active.
  package static let changesName = "changes"

  /// Held by a client while it starts a daemon.
  package static let startLockName = "start.lock"

  /// Held by the daemon during its lifetime.
  package static let lifetimeLockName = "agentd.lock"
}

/// How the program `agent-lease` is started.
package enum LeaseProgram {
  package static let name = "agent-lease"
  /// Its descriptors: the connection to the process that holds the lease, and the socket that the peers connect to.
  package static let control: Int32 = 3
  package static let listener: Int32 = 4
  /// Option: no filter of system calls.
  package static let withoutJail = "--no-jail"
  /// Option: print which system calls the filter permits.
  package static let testsJail = "--test-jail"
}

// MARK: - Lines of a token

extension WireProtocol {
  package static let maximumAccountNameLength = 64

  /// Whether a text is a valid account name: 1 to 64 of the characters `A-Z a-z 0-9 . _ -`, not starting with `.` or
  /// `-`. Such a name needs no escape in JSON and no quotes in a shell.
  package static func isAccountName(_ text: String) -> Bool { isAccountName(Array(text.utf8).span) }

  package static func isAccountName(_ bytes: Span<UInt8>) -> Bool {
    guard (1...maximumAccountNameLength).contains(bytes.count) else { return false }
    for index in bytes.indices {
      switch bytes[index] {
      case UInt8(ascii: "."), UInt8(ascii: "-"): if index == 0 { return false }
      case UInt8(ascii: "_"): break
      case let byte: if !byte.isASCIIAlphanumeric { return false }
      }
    }
    return true
  }

  /// The beginning of a ``TokenRequest`` line. Its other members may follow before the last brace.
  @inlinable package static var tokenRequestStart: String { "{\"v\":1,\"request\":\"token\"" }

  /// The member of ``RequestEnvelope/directory``, empty, after the beginning of a line.
  @inlinable package static var emptyDirectory: String { ",\"directory\":\"\"" }
  @inlinable package static var directoryStart: String { ",\"directory\":\"" }

  /// The beginning of a result line, up to its first member.
  @inlinable package static var resultStart: String { "{\"v\":1,\"result\":{" }

  /// The member of a result with an access token.
  @inlinable package static var accessTokenMember: String { "access_token" }
  /// The member of a result with the time until which the user must sign in again.
  @inlinable package static var signInMember: String { "sign_in_by" }
}
