internal import Crypto
internal import Encoding
internal import OAuth

enum DocumentKind: String, CaseIterable, Sendable {
  case metadata, keys

  var role: EndpointRole {
    switch self {
    case .metadata: .metadata
    case .keys: .keys
    }
  }

  /// The step logged for a fetch because the cached document may be outdated.
  var refetchStep: SessionStep {
    switch self {
    case .metadata: .cachedMetadataRejected
    case .keys: .cachedKeysRejected
    }
  }

}

/// Identifies a cached document and the trust settings: one account's authorities and pins do not apply to another.
struct DocumentName: Hashable, Sendable {
  let kind: DocumentKind
  /// The issuer, or the URL of a key set.
  let subject: String
  /// Identifies additional certificate authorities and pins.
  let trust: String?

  init(metadataOf issuer: Issuer, _ transport: Transport) {
    (kind, subject, trust) = (.metadata, issuer.text, transport.trust)
  }

  init(keysAt endpoint: Endpoint, _ transport: Transport) {
    (kind, subject, trust) = (.keys, endpoint.uri.text, transport.trust)
  }

  /// A digest of ``subject`` and ``trust``. Nil if hashing fails.
  var file: String? {
    let text = trust.map { "\(subject)\n\($0)" } ?? subject
    guard let digest = try? Digest.sha256.hash(Array(text.utf8).span) else { return nil }
    return "\(kind.rawValue)-\(Base64URL.encode(digest)).json"
  }

  static func isFile(_ name: String) -> Bool {
    name.hasSuffix(".json") && DocumentKind.allCases.contains { name.hasPrefix("\($0.rawValue)-") }
  }
}
