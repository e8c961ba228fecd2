internal import Crypto
internal import OAuth

/// The client that an account is, in its record.
extension AccountRecord {
  /// What is known of the certificate that the account shows; nil when it shows none, or none that can be read.
  package func certificate(_ configuration: AccountConfiguration) -> (thumbprint: String, expiresAt: Int)? {
    guard clientCertificate != nil else { return nil }
    let certificate = try? credentials.clientCertificate(configuration.authentication)
    return certificate.flatMap { $0 }.map { ($0.thumbprint, $0.expiresAt) }
  }

  /// The registration's token among the secrets of the record.
  var registrationToken: SharedSecret? {
    get { registration?.token }
    set { registration?.token = newValue }
  }

  /// What is left of the record of a registered client when its user signs out: no user, no token.
  var signedOut: AccountRecord? {
    guard registration != nil else { return nil }
    var rest = AccountRecord(authority: authority, signedInAt: signedInAt)
    rest.credentials = credentials
    rest.registration = registration
    rest.proxyCredentials = proxyCredentials
    rest.isSignedOut = true
    return rest
  }
}
