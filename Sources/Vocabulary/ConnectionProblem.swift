/// Why no connection came about, where more is known than that there is none.
package enum ConnectionProblem: String, Sendable, Hashable, CaseIterable {
  case hostNotFound = "host_not_found"
  case refused
  case noRoute = "no_route"
  case networkUnreachable = "network_unreachable"
  /// The proxy wants a user's name and password.
  case proxyAuthentication = "proxy_authentication"
  /// The proxy does not connect to the host.
  case proxyRefused = "proxy_refused"
  case selfSigned = "self_signed"
  case unknownAuthority = "unknown_authority"
  case certificateExpired = "certificate_expired"
  case certificateNotYetValid = "certificate_not_yet_valid"
  case certificateOfOtherHost = "certificate_of_other_host"

  /// The text that follows "cannot reach the server: ".
  package var title: String {
    switch self {
    case .hostNotFound: "host name not found"
    case .refused: "connection refused"
    case .noRoute: "no route to the host"
    case .networkUnreachable: "the network is unreachable"
    case .proxyAuthentication: "it wants a user name and a password"
    case .proxyRefused: "it does not connect to this host"
    case .selfSigned: "it is self-signed"
    case .unknownAuthority: "its authority is not known"
    case .certificateExpired: "it has expired"
    case .certificateNotYetValid: "it is not valid yet"
    case .certificateOfOtherHost: "it is for another host"
    }
  }
}
