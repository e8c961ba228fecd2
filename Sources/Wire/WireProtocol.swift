package import Encoding

/// The socket protocol between `agent` and `agentd`: one JSON object a line.
///
/// A request is one line, `{"v":1,"request":"token",…}`. The answer is any number of event lines,
/// `{"v":1,"event":…}`, and one last line that holds either `result` or `error`. A connection may
/// carry several requests, one after the other. Times are unix seconds, durations are seconds.
package enum WireProtocol {
  /// The version of this build; a line with another version is an error.
  package static let version = 1

  /// The longest line either side accepts, its line feed included.
  package static let maximumLineBytes = 1 << 20

  /// A body of ``CallRequest/inlineBody`` is one text.
  package static let requestLimits = JSONLimits(stringBytes: maximumLineBytes)

  /// The longest time between the first and the last byte of a request line, in seconds.
  package static let requestLineSeconds = 5

  /// The longest deadline a request may ask for, in seconds.
  package static let maximumTimeoutSeconds = 3600

  /// The default deadline of a request, in seconds: longer than three attempts with back-off.
  package static let defaultTimeoutSeconds = 120

  /// The socket's name in the runtime directory.
  package static let socketName = "agent.sock"

  /// The folder of the runtime directory that has a directory for each lease, so that one can be mounted alone.
  package static let leaseFolder = "leases"

  /// The file beside the socket whose one line is another one after each change of who is signed in or active.
  package static let changesName = "changes"

  /// Held by a client while it starts a daemon.
  package static let startLockName = "start.lock"

  /// Held by the daemon for as long as it lives.
  package static let lifetimeLockName = "agentd.lock"
}

// MARK: - Lines of a token

extension WireProtocol {
  /// The most characters that the name of an account has.
  package static let maximumAccountNameLength = 64

  /// Whether a text can name an account: 1 to 64 of the characters `A-Z a-z 0-9 . _ -`, not starting with `.` or `-`.
  /// Such a name needs no escape in JSON, and no shell takes it for more than a word.
  package static func isAccountName(_ text: String) -> Bool { isAccountName(Array(text.utf8).span) }

  /// The same for the bytes of a text.
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

  /// How the line of a ``TokenRequest`` begins, whose other members may follow before its last brace.
  @inlinable package static var tokenRequestStart: String { "{\"v\":1,\"request\":\"token\"" }

  /// How the line of a result begins, up to its first member.
  @inlinable package static var resultStart: String { "{\"v\":1,\"result\":{" }

  /// The member of a result that holds an access token.
  @inlinable package static var accessTokenMember: String { "access_token" }
  /// The member by which a person is asked to sign in again.
  @inlinable package static var signInMember: String { "sign_in_by" }
}
