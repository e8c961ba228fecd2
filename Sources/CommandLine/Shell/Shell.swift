internal import Encoding

/// A family of shells that share a syntax.
enum Shell: String, CaseIterable, Sendable {
  /// POSIX sh, dash, bash, zsh, ksh.
  case sh

  /// Writes the statement that sets and exports a variable.
  ///
  /// - Throws: ``ShellQuoting/Problem`` when the value cannot be a variable's.
  func appendAssignment<Sink: ByteSink & ~Copyable>(
    of name: String, _ value: Span<UInt8>, to sink: inout Sink
  ) throws(ShellQuoting.Problem) {
    switch self {
    case .sh:
      sink.append(utf8: "\(name)=")
      try ShellQuoting.appendQuoted(value, to: &sink)
      sink.append(utf8: "; export \(name);\n")
    }
  }

  /// Writes the statement after which a variable is not set.
  func appendUnset<Sink: ByteSink & ~Copyable>(of name: String, to sink: inout Sink) {
    switch self {
    case .sh: sink.append(utf8: "unset \(name);\n")
    }
  }

  /// The statement that does nothing but end with a status: `eval` hides the status of the command
  /// substitution inside it.
  func failing(with status: Int32) -> String {
    switch self {
    case .sh: "(exit \(status));\n"
    }
  }
}
