internal import JOSE
internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// The source of the keys that verify a token.
enum KeyOrigin: Sendable {
  /// Public keys in a file of the caller.
  case descriptor(SharedDescriptor)
  /// The keys that an issuer publishes, with the account whose settings are used, if any.
  case issuer(AccountConfiguration, AccountName?, proxyCredentials: String?)

  /// The account whose settings are used, if any.
  var account: AccountName? {
    if case .issuer(_, let account, _) = self { account } else { nil }
  }

  /// Gets the keys. Blocking.
  ///
  /// - Parameter report: Called with a warning for each defect of the keys.
  func keys(
    _ services: SessionServices, _ cancellation: Cancellation, report: (Phrase) -> Void
  ) throws(Failure) -> VerificationKeys {
    switch self {
    case .descriptor(let descriptor):
      return VerificationKeys(try PassedKeys.read(descriptor, cancellation, report: report))
    case .issuer(let configuration, let account, let proxyCredentials):
      do throws(SessionError) {
        let secret = try proxyCredentials.map { (text) throws(SessionError) in try ClientSecret.make(text) }
        let keys = try VerificationKeys(
          of: configuration, account: account, proxyCredentials: secret, services: services, cancellation: cancellation)
        let set = keys.current.keys
        set.reportWarnings(report)
        set.reportUnusableKeys(set.unusable, report)
        return keys
      } catch {
        throw Failure(error, account: account?.text)
      }
    }
  }
}
