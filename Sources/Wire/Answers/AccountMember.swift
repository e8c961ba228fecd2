package import Encoding

/// The members of an account in the answers to `list`, `status` and `doctor`, as agentd(8) describes them.
package enum AccountMember: String {
  case name, active, issuer, state, person, protection, subject, refresh, problem, ephemeral, scope, proxy,
    guest, assertion, check, origins, server
  case inConfig = "in_config"
  case clientID = "client_id"
  case expiresAt = "expires_at"
  case clientSecretExpiresAt = "client_secret_expires_at"
  case certificateThumbprint = "certificate_thumbprint"
  case certificateExpiresAt = "certificate_expires_at"
  case authorizationDetails = "authorization_details"
  case refreshTokenExpiresAt = "refresh_token_expires_at"
  case authorizationExpiresAt = "authorization_expires_at"
  case refreshQueued = "refresh_queued"
  case lastRefresh = "last_refresh"
  case httpLoopback = "http_loopback"
  case caFile = "ca_file"
  case checkCause = "check_cause"
  case checkProblem = "check_problem"
  case askedScope = "asked_scope"
  case unconfirmedOrigins = "unconfirmed_origins"
  case failedAt = "failed_at"
  case nextRenewal = "next_renewal"
}

extension JSONObject {
  package subscript(_ member: AccountMember) -> JSON? {
    get { self[member.rawValue] }
    set { self[member.rawValue] = newValue }
  }
}

extension JSON {
  package subscript(_ member: AccountMember) -> JSON? { self[member.rawValue] }
}
