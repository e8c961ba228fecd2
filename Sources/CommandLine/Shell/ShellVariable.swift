/// A variable that `env` and `exec` set unless `--var` names others.
enum ShellVariable: String, CaseIterable, Sendable {
  case accessToken = "AGENT_ACCESS_TOKEN"
  case tokenType = "AGENT_TOKEN_TYPE"
  case expiresAt = "AGENT_TOKEN_EXPIRES_AT"
  case account = "AGENT_ACCOUNT"
  case issuer = "AGENT_ISSUER"
  case subject = "AGENT_SUBJECT"

  /// Whether a renewal gives it another value.
  var changesWithToken: Bool { self == .accessToken || self == .expiresAt }

  /// What it gets.
  var field: TokenField {
    switch self {
    case .accessToken: .accessToken
    case .tokenType: .tokenType
    case .expiresAt: .expiresAt
    case .account: .account
    case .issuer: .issuer
    case .subject: .subject
    }
  }
}
