internal import Crypto
internal import Encoding
internal import OAuth
internal import Vocabulary

/// The kinds of document in a ``DocumentCache``.
enum DocumentKind: String, CaseIterable, Sendable {
  case metadata, keys

  var role: EndpointRole {
    switch self {
    case .metadata: .metadata
    case .keys: .keys
    }
  }

  /// The step reported when a cached document may be out of date.
  var doubt: SessionStep {
    switch self {
    case .metadata: .metadataDoubted
    case .keys: .keysDoubted
    }
  }

}

/// Identifies a document. The same document fetched with other trust settings is another document: a server that one
/// account trusts, by its own authorities or pins, is not trusted for another.
struct DocumentName: Hashable, Sendable {
  let kind: DocumentKind
  /// The issuer that the metadata describe, or the URL of the key set.
  let subject: String
  /// See ``Transport/trust``.
  let trust: String?

  init(metadataOf issuer: Issuer, _ transport: Transport) {
    (kind, subject, trust) = (.metadata, issuer.text, transport.trust)
  }

  init(keysAt endpoint: Endpoint, _ transport: Transport) {
    (kind, subject, trust) = (.keys, endpoint.uri.text, transport.trust)
  }

  /// A file name that holds nothing of all this but a digest.
  var file: String? {
    let text = trust.map { "\(subject)\n\($0)" } ?? subject
    guard let digest = try? Digest.sha256.hash(Array(text.utf8).span) else { return nil }
    return "\(kind.rawValue)-\(Base64URL.encode(digest)).json"
  }

  /// Whether ``file`` made a name.
  static func isFile(_ name: String) -> Bool {
    name.hasSuffix(".json") && DocumentKind.allCases.contains { name.hasPrefix("\($0.rawValue)-") }
  }
}
