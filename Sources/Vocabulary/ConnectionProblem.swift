package enum ConnectionProblem: String, Sendable, Hashable, CaseIterable {
  case hostNotFound = "host_not_found"
  case nameServerSilent = "name_server_silent"
  case refused
  case noRoute = "no_route"
  case networkUnreachable = "network_unreachable"
  case timedOut = "timed_out"
  /// The server responded in plain text.
  case notTLS = "not_tls"
  /// The server does not accept the TPM's signatures: ECDSA on P-256 with SHA-256.
  case clientKeyUnsuitable = "client_key_unsuitable"
  /// The server requested the client certificate during its response, too late for the TPM.
  case clientKeyTooLate = "client_key_too_late"
  /// The proxy requires a user name and password.
  case proxyAuthentication = "proxy_authentication"
  case proxyRefused = "proxy_refused"
  case selfSigned = "self_signed"
  case unknownAuthority = "unknown_authority"
  case certificateExpired = "certificate_expired"
  case certificateNotYetValid = "certificate_not_yet_valid"
  case certificateOfOtherHost = "certificate_of_other_host"
  case certificateRevoked = "certificate_revoked"
  case certificateWeak = "certificate_weak"
  /// A certificate in the chain is for another purpose.
  case certificateOfOtherUse = "certificate_of_other_use"
  /// The chain violates another rule (RFC 5280, section 6).
  case certificateInvalid = "certificate_invalid"

  /// A clause for messages; "it" is the server, proxy or certificate.
  package var title: String {
    switch self {
    case .hostNotFound: "host name not found"
    case .nameServerSilent: "no answer from the name server"
    case .refused: "connection refused"
    case .noRoute: "no route to the host"
    case .networkUnreachable: "the network is unreachable"
    case .timedOut: "timed out"
    case .notTLS: "it does not speak TLS"
    case .clientKeyUnsuitable:
      "it does not accept ECDSA signatures with P-256 and SHA-256, as made by the client's key in the TPM"
    case .clientKeyTooLate: "it requests the client's certificate too late"
    case .proxyAuthentication: "it requires a user name and a password"
    case .proxyRefused: "it does not connect to this host"
    case .selfSigned: "it is self-signed"
    case .unknownAuthority: "its authority is unknown"
    case .certificateExpired: "it has expired"
    case .certificateNotYetValid: "it is not valid yet"
    case .certificateOfOtherHost: "it is for another host"
    case .certificateRevoked: "it was revoked"
    case .certificateWeak: "its key or its signature is too weak"
    case .certificateOfOtherUse: "it is not for a server"
    case .certificateInvalid: "its chain is not valid"
    }
  }
}
