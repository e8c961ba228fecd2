/// What the issuer answers. The raw values are the names that options and the control endpoint take.
enum IssuerEndpoint: String, Sendable, CaseIterable {
  case metadata, jwks, authorization, decision, par, logout, registration, client, device, verification, token, userinfo
  case revocation, introspection, resource
  case resourceMetadata = "resource_metadata"
  case echo, redirect, job, control

  /// Those that can fail, hang and be spoiled.
  static let faulty = allCases.filter { $0 != .control }
}

/// What is counted; the names in snake case are the members of the control endpoint's answer.
enum IssuerCounter: Sendable, CaseIterable {
  case requests, connections, metadata, jwks, authorizations, pushedRequests, registrations, deletions, codeGrants
  case codeReplays, deviceAuthorizations, devicePolls, slowDowns, deviceGrants, approvals, denials, refreshes
  case refreshFailures, reuseDetected, clientFailures, clientGrants, exchanges, clientAssertions, revocations, logouts
  case assertionGrants, assertionFailures, identityAssertions, jobAssertions
  case introspections, userinfo, resource, resourceMetadata, echoes, redirects, proofs, proofRefusals, proofReplays
  case clientDocuments, misbehaviours, hangs

  var name: String { "\(self)".map { $0.isUppercase ? "_" + $0.lowercased() : String($0) }.joined() }
}
