internal import Encoding

/// A syntax in which `env` writes variables: that of a shell, or of a file.
enum Shell: String, CaseIterable, Sendable {
  /// POSIX sh, dash, bash, zsh, ksh: one syntax.
  case sh, bash, zsh
  case fish
  /// csh and tcsh.
  case csh
  /// Lines that many programs read from a file named `.env`.
  case dotenv
  /// One object.
  case json

  /// Whether a shell evaluates the answer; otherwise it stands for a whole set of variables, in which
  /// one without a value is not there.
  var isEvaluated: Bool {
    switch self {
    case .sh, .bash, .zsh, .fish, .csh: true
    case .dotenv, .json: false
    }
  }

  /// The statement that does nothing but end with a status: `eval` hides the status of the command
  /// substitution inside it. Empty where nothing is evaluated.
  func failing(with status: Int32) -> String {
    switch self {
    case .sh, .bash, .zsh: "(exit \(status));\n"
    case .fish, .csh: "sh -c \"exit \(status)\";\n"
    case .dotenv, .json: ""
    }
  }
}
