/// How long a client may take.
struct ConnectionLimits: Sendable {
  /// Between two requests.
  var idle = Duration.seconds(75)
  /// From the first byte of a request to its last.
  var request = Duration.seconds(10)
  /// To take an answer.
  var answer = Duration.seconds(30)
}
