package import Encoding

/// The socket protocol between `agent` and `agentd`: one JSON object per line.
///
/// A request is one line, `{"v":1,"request":"token",…}`. The response is any number of event lines,
/// `{"v":1,"event":…}`, and a last line with `result` or `error`. Requests on a connection are sequential. Times are
/// unix seconds, durations seconds.
package enum WireProtocol {
  /// Lines with another version are rejected.
  package static let version = 1

  /// In bytes, with the newline.
  package static let maximumLineBytes = 1 << 20

  /// The longest string is ``CallRequest/inlineBody``.
  package static let requestLimits = JSONLimits(stringBytes: maximumLineBytes)

  /// `PATH_MAX`.
  package static let maximumPathBytes = 4096

  /// From the first to the last byte of a request line.
  package static let requestLineSeconds = 5

  package static let maximumTimeoutSeconds = 3600

  /// Enough for three attempts to refresh.
  package static let defaultTimeoutSeconds = 120

  package static let socketName = "agent.sock"

  /// Has a subdirectory for each lease, which can be mounted separately.
  package static let leaseFolder = "leases"

  /// A lease's HTTP socket for this TCP port.
  package static func leaseHTTPName(port: UInt16) -> String { "\(leaseHTTPPrefix)\(port)\(leaseHTTPSuffix)" }
  private static let leaseHTTPPrefix = "http-"
  private static let leaseHTTPSuffix = ".sock"

  /// The port in a ``leaseHTTPName(port:)``; nil for other names.
  package static func leaseHTTPPort(in name: some StringProtocol) -> UInt16? {
    guard name.hasPrefix(leaseHTTPPrefix), name.hasSuffix(leaseHTTPSuffix) else { return nil }
    return UInt16(name.dropFirst(leaseHTTPPrefix.count).dropLast(leaseHTTPSuffix.count)).flatMap { $0 > 0 ? $0 : nil }
  }

  /// A file next to the socket whose line changes with the active account and each sign-in or sign-out.
  package static let changesFileName = "changes"

  /// Locked by a client while it starts a daemon.
  package static let startLockName = "start.lock"

  /// Locked by a running daemon.
  package static let lifetimeLockName = "agentd.lock"

  // MARK: - Lines of a token

  package static let maximumAccountNameLength = 64

  /// Whether a string is a valid account name, which needs no escapes in JSON or a shell.
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

  /// The start of a ``TokenRequest`` line. Other members may follow.
  @inlinable package static var tokenRequestStart: String { "{\"v\":1,\"request\":\"token\"" }

  /// An empty ``RequestEnvelope/directory`` member, after a comma.
  @inlinable package static var emptyDirectory: String { ",\"directory\":\"\"" }
  /// The start of a ``RequestEnvelope/directory`` member.
  @inlinable package static var directoryStart: String { ",\"directory\":\"" }

  /// The start of a result line, up to its first member.
  @inlinable package static var resultStart: String { "{\"v\":1,\"result\":{" }

  @inlinable package static var accessTokenMember: String { "access_token" }
  /// The deadline for signing in again.
  @inlinable package static var signInMember: String { "sign_in_by" }
}

/// The program that serves a lease's sockets.
package enum LeaseProgram {
  package static let name = "agent-lease"
  /// For the connection to the lease's owner.
  package static let ownerDescriptor: Int32 = 3
  /// For the peers' socket.
  package static let listenerDescriptor: Int32 = 4
  /// Runs without the system call filter.
  package static let noJailOption = "--no-jail"
  /// Prints the system calls that the filter permits.
  package static let testJailOption = "--test-jail"
}
