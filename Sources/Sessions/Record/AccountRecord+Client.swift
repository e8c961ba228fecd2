package import Crypto
internal import OAuth

extension AccountRecord {
  /// The client certificate's thumbprint and expiry (unix seconds). Nil if missing or unreadable. Does not contact
  /// `device`.
  package func certificate(
    _ configuration: AccountConfiguration, in device: any KeyDevice
  ) -> (thumbprint: String, expiresAt: Int)? {
    guard credentials.certificate != nil else { return nil }
    let certificate = try? credentials.clientCertificate(configuration, in: device)
    return certificate.flatMap { $0 }.map { ($0.thumbprint, $0.expiresAt) }
  }

  var registrationToken: SharedSecret? {
    get { registration?.token }
    set { registration?.token = newValue }
  }

  /// The record to keep after a sign-out: without user and session, but with `revocation`. Nil if nothing must be kept.
  func signedOut(_ revocation: PendingRevocation?) -> AccountRecord? {
    guard registration != nil || revocation != nil || beganAtResource || isDeviceGrantRefused else { return nil }
    var rest = AccountRecord(authority: authority, signedInAt: signedInAt)
    rest.credentials = credentials
    rest.registration = registration
    rest.proxyCredentials = proxyCredentials
    rest.isSignedOut = true
    rest.beganAtResource = beganAtResource
    rest.isDeviceGrantRefused = isDeviceGrantRefused
    rest.proofAlgorithms = proofAlgorithms
    rest.revocation = revocation
    if revocation != nil { rest.dpopKey = dpopKey }
    return rest
  }
}
