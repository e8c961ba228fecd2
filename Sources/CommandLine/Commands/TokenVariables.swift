internal import Wire

/// The variables that go with a token, as `env` and `exec` set them.
enum TokenVariables {
  /// Gives each variable and its value to `body`, in order; nil stands for one that has no value.
  static func forEach(
    _ answer: TokenAnswer, from line: Span<UInt8>,
    _ body: (ShellVariable, Span<UInt8>?) throws(Failure) -> Void
  ) throws(Failure) {
    for variable in ShellVariable.allCases {
      if variable == .accessToken {
        try SecretText.with(capacity: line.count) { (token) throws(Failure) in
          try TokenText.append(answer, from: line, to: &token)
          try body(variable, token.bytes.span)
        }
      } else if let value = value(of: variable, answer.description) {
        try body(variable, Array(value.utf8).span)
      } else {
        try body(variable, nil)
      }
    }
  }

  private static func value(of variable: ShellVariable, _ description: TokenDescription) -> String? {
    switch variable {
    case .accessToken: nil
    case .tokenType: description.tokenType
    case .expiresAt: description.expiresAt.map { String($0) }
    case .account: description.account
    case .issuer: description.issuer
    case .subject: description.subject
    }
  }
}
