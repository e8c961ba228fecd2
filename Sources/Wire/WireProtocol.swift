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

  /// The file next to the socket whose line changes whenever an account is signed in or out or another becomes active.
  package static let changesName = "changes"

  /// Held by a client while it starts a daemon.
  package static let startLockName = "start.lock"

  /// Held by the daemon during its lifetime.
  package static let lifetimeLockName = "agentd.lock"
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

  /// The beginning of a result line, up to its first member.
  @inlinable package static var resultStart: String { "{\"v\":1,\"result\":{" }

  /// The member of a result with an access token.
  @inlinable package static var accessTokenMember: String { "access_token" }
  /// The member of a result with the time until which the user must sign in again.
  @inlinable package static var signInMember: String { "sign_in_by" }
}
