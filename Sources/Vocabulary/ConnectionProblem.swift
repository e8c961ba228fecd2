/// Why no connection came about, where more is known than that there is none.
package enum ConnectionProblem: String, Sendable, Hashable, CaseIterable {
  case hostNotFound = "host_not_found"
  case refused
  case noRoute = "no_route"
  case networkUnreachable = "network_unreachable"
  case timedOut = "timed_out"
  /// An answer came in plain text, as from a port for http.
  case notTLS = "not_tls"
  /// It takes no signature by the client's key, which is in a device: that signs with ECDSA on P-256 and SHA-256 alone.
  case clientKeyUnsuitable = "client_key_unsuitable"
  /// It asked for the client's certificate in the middle of its answer, when the device is not asked any more.
  case clientKeyTooLate = "client_key_too_late"
  /// The proxy wants a user's name and password.
  case proxyAuthentication = "proxy_authentication"
  /// The proxy does not connect to the host.
  case proxyRefused = "proxy_refused"
  case selfSigned = "self_signed"
  case unknownAuthority = "unknown_authority"
  case certificateExpired = "certificate_expired"
  case certificateNotYetValid = "certificate_not_yet_valid"
  case certificateOfOtherHost = "certificate_of_other_host"
  case certificateRevoked = "certificate_revoked"
  /// Its key, or a signature in its chain, is too weak to be trusted.
  case certificateWeak = "certificate_weak"
  /// It, or one that vouches for it, is for something else.
  case certificateOfOtherUse = "certificate_of_other_use"
  /// Its chain breaks another rule (RFC 5280, section 6).
  case certificateInvalid = "certificate_invalid"

  /// The text that follows "cannot reach the server: ".
  package var title: String {
    switch self {
    case .hostNotFound: "host name not found"
    case .refused: "connection refused"
    case .noRoute: "no route to the host"
    case .networkUnreachable: "the network is unreachable"
    case .timedOut: "timed out"
    case .notTLS: "it does not speak TLS"
    case .clientKeyUnsuitable:
      "it takes no signature with ECDSA on P-256 and SHA-256, which the client's key in the TPM makes"
    case .clientKeyTooLate: "it asks for the client's certificate in the middle of its answer"
    case .proxyAuthentication: "it wants a user name and a password"
    case .proxyRefused: "it does not connect to this host"
    case .selfSigned: "it is self-signed"
    case .unknownAuthority: "its authority is not known"
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
