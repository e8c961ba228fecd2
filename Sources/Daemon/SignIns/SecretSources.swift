internal import Crypto
internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// The descriptors with a request's secrets.
struct SecretSources: Sendable {
  private let sources: [PassedSecret: SharedDescriptor]
  /// The descriptor before the secrets, if any.
  let leading: SharedDescriptor?

  /// The secrets are the last `passed` descriptors, in the order of ``PassedSecret``. With `hasLeading`, another one
  /// precedes them.
  init(
    _ passed: [SharedDescriptor], announced: Set<PassedSecret>, hasLeading: Bool = false
  ) throws(Failure) {
    let count = announced.count + (hasLeading ? 1 : 0)
    guard passed.count >= count else {
      throw .missingDescriptors
    }
    var left = passed.suffix(count)
    leading = hasLeading ? left.removeFirst() : nil
    sources = Dictionary(
      uniqueKeysWithValues: zip(PassedSecret.allCases.filter { announced.contains($0) }, left))
  }

  /// Reads a sign-in's secrets. Copies a key file's ID and algorithm to `configuration`, unless `named`, the request's
  /// settings, override them. `proxyCredentials` are `user:password`.
  func read(
    for configuration: inout AccountConfiguration, _ named: AccountSettings, proxyCredentials: String?,
    in device: any KeyDevice, _ cancellation: Cancellation
  ) throws(SessionError) -> SignInSecrets {
    var secrets = SignInSecrets()
    if let source = sources[.clientSecret] { secrets.credentials.secret = try ClientSecret.read(source, cancellation) }
    if let source = sources[.clientKey] {
      let file = try ClientSecret.readKey(source, in: device, cancellation)
      secrets.credentials.key = file.key
      configuration.clientKeyID = named.clientKeyID ?? file.keyID ?? configuration.clientKeyID
      configuration.clientKeyAlgorithm = named.clientKeyAlgorithm ?? file.algorithm ?? configuration.clientKeyAlgorithm
    }
    if let source = sources[.clientCertificate] {
      secrets.credentials.certificate = try ClientSecret.readCertificates(source, cancellation)
    }
    if let source = sources[.initialAccessToken] {
      secrets.initialAccessToken = try ClientSecret.read(source, as: .initialAccessToken, cancellation)
    }
    if let source = sources[.assertion] {
      secrets.assertion = try ClientSecret.read(source, as: .assertion, cancellation)
    }
    if let proxyCredentials { secrets.proxyCredentials = try ClientSecret.secureCopy(of: proxyCredentials) }
    return secrets
  }
}
