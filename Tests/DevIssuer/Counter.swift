/// What is counted. The raw values are the members of the control endpoint's answer.
enum Counter: String, Sendable, Hashable, CaseIterable {
  case requests
  case connections
  case metadata
  case jwks
  case authorizations
  case pushedRequests = "pushed_requests"
  case registrations
  case deletions
  case codeGrants = "code_grants"
  /// Codes that were used a second time.
  case codeReplays = "code_replays"
  case deviceAuthorizations = "device_authorizations"
  case devicePolls = "device_polls"
  case slowDowns = "slow_downs"
  case deviceGrants = "device_grants"
  case approvals
  case denials
  case refreshes
  case refreshFailures = "refresh_failures"
  case reuseDetected = "reuse_detected"
  case clientFailures = "client_failures"
  case clientGrants = "client_grants"
  case exchanges
  /// Clients that authenticated by a signed JWT.
  case clientAssertions = "client_assertions"
  case revocations
  case logouts
  case introspections
  case userinfo
  case resource
  case resourceMetadata = "resource_metadata"
  case echoes
  case redirects
  /// Requests with a proof of possession that could be read.
  case proofs
  case proofRefusals = "proof_refusals"
  case proofReplays = "proof_replays"
  case misbehaviours
  /// Requests that began to hang.
  case hangs
}
