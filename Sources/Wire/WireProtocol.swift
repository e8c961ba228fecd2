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

  /// The longest time between the first and the last byte of a request line, in seconds.
  package static let requestLineSeconds = 5

  /// The longest deadline a request may ask for, in seconds.
  package static let maximumTimeoutSeconds = 3600

  /// The default deadline of a request, in seconds: longer than three attempts with back-off.
  package static let defaultTimeoutSeconds = 120

  /// The socket's name in the runtime directory.
  package static let socketName = "agent.sock"

  /// Held by a client while it starts a daemon.
  package static let startLockName = "start.lock"

  /// Held by the daemon for as long as it lives.
  package static let lifetimeLockName = "agentd.lock"
}
