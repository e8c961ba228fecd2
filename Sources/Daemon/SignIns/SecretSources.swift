internal import Crypto
internal import Platform
internal import Sessions
internal import Vocabulary
internal import Wire

/// The descriptors that a request hands over, each by what can be read from it. Nothing is read before
/// ``read(for:_:)``, which belongs on a worker.
struct SecretSources: Sendable {
  private let sources: [HandedSecret: SharedDescriptor]
  /// The first, for a request that always brings one more.
  let first: SharedDescriptor?

  /// - Parameters:
  ///   - passed: In the order in which they came. Whatever came before those that are announced is a leftover.
  ///   - hasFirst: Whether one comes before all that are announced.
  init(
    _ passed: [SharedDescriptor], announced: Set<HandedSecret>, hasFirst: Bool = false
  ) throws(Failure) {
    let count = announced.count + (hasFirst ? 1 : 0)
    guard passed.count >= count else {
      throw Failure(.invalidRequest, "the request must bring one descriptor for each secret that it announces")
    }
    var left = passed.suffix(count)
    first = hasFirst ? left.removeFirst() : nil
    sources = Dictionary(
      uniqueKeysWithValues: zip(HandedSecret.allCases.filter { announced.contains($0) }, left))
  }

  /// The token that lets this client be registered; nil when none was handed over.
  func readInitialAccessToken() throws(SessionError) -> SharedSecret? {
    try sources[.initialAccessToken].map { (source) throws(SessionError) in
      try ClientSecret.read(source, as: .refreshToken)
    }
  }

  /// Reads what the client proves itself with.
  ///
  /// - Parameters:
  ///   - configuration: Takes over what the key's file tells of the key.
  ///   - named: The settings that the request names, which win.
  func read(
    for configuration: inout AccountConfiguration, _ named: AccountSettings
  ) throws(SessionError) -> ClientCredentials {
    var credentials = ClientCredentials()
    if let source = sources[.clientSecret] { credentials.secret = try ClientSecret.read(source) }
    if let source = sources[.clientKey] {
      let file = try ClientSecret.readKey(source)
      credentials.key = file.key
      configuration.clientKeyID = named.clientKeyID ?? file.keyID
      configuration.clientKeyAlgorithm = named.clientKeyAlgorithm ?? file.algorithm
    }
    if let source = sources[.clientCertificate] {
      credentials.certificate = try ClientSecret.readCertificates(source)
    }
    return credentials
  }
}
