internal import Crypto
internal import Encoding
internal import OAuth

/// What a ``DocumentCache`` keeps.
enum DocumentKind: String, Sendable {
  case metadata, keys

  var role: EndpointRole {
    switch self {
    case .metadata: .metadata
    case .keys: .keys
    }
  }

  /// What is told when one at hand is doubted.
  var doubt: SessionStep {
    switch self {
    case .metadata: .metadataDoubted
    case .keys: .keysDoubted
    }
  }

  /// The place in memory of the document of `name`.
  func key(_ name: String) -> String { "\(rawValue) \(name)" }

  /// Whether ``fileName(_:)`` made a name.
  static func isFileName(_ name: String) -> Bool {
    name.hasSuffix(".json") && (name.hasPrefix("\(metadata.rawValue)-") || name.hasPrefix("\(keys.rawValue)-"))
  }

  /// A file name that holds nothing of the name but its digest.
  func fileName(_ name: String) -> String? {
    guard let digest = try? Digest.sha256.hash(Array(name.utf8).span) else { return nil }
    return "\(rawValue)-\(Base64URL.encode(digest)).json"
  }
}
