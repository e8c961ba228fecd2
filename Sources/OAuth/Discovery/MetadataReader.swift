internal import Encoding
internal import Vocabulary

/// Reads the members of a metadata document that we use, and names the one that is wrong.
struct MetadataReader {
  let object: JSONObject
  let allowHTTPLoopback: Bool

  func string(_ name: String) throws(OAuthError) -> String? {
    guard let value = object[name], value != .null else { return nil }
    guard let text = value.string else { throw OAuthError(.metadataInvalid, .name(name)) }
    return text
  }

  /// An object in the document, with a reader of its own; nil when there is none, or something else in its place.
  func object(_ name: String) -> MetadataReader? {
    object[name]?.object.map { MetadataReader(object: $0, allowHTTPLoopback: allowHTTPLoopback) }
  }

  /// An endpoint to which requests may be sent (RFC 8414 section 2): a text that is an https URL without a fragment. One
  /// that is none costs only itself, and is noted in `unusable`, so that a request that needs it can say what is wrong.
  func endpoint(_ name: String, _ role: EndpointRole, _ unusable: inout [EndpointRole: String]) -> Endpoint? {
    let found = endpoint(name)
    if found == nil, let value = object[name], value != .null { unusable[role] = name }
    return found
  }

  /// The same for an endpoint that no request of ours goes to.
  func endpoint(_ name: String) -> Endpoint? {
    object[name]?.string.flatMap { try? Endpoint($0, allowHTTPLoopback: allowHTTPLoopback) }
  }

  func flag(_ name: String) throws(OAuthError) -> Bool {
    guard let value = object[name], value != .null else { return false }
    guard let flag = value.bool else { throw OAuthError(.metadataInvalid, .name(name)) }
    return flag
  }

  /// An optional list of texts, as far as it can be read: a text is a list of one. Nil for a value of another shape.
  func readableStrings(_ name: String) -> [String]? {
    switch object[name] {
    case .string(let text): [text]
    case .array(let elements): elements.compactMap(\.string)
    default: nil
    }
  }

  /// An optional flag; false for a value of another shape.
  func isSet(_ name: String) -> Bool { object[name]?.bool ?? false }

  /// Whether a flag is absent or can be read.
  func isReadable(flag name: String) -> Bool { object[name].map { $0 == .null || $0.bool != nil } ?? true }

  /// Whether a list is absent or something of it can be read.
  func isReadable(list name: String) -> Bool {
    guard let value = object[name], value != .null, value.array?.isEmpty != true else { return true }
    return readableStrings(name)?.isEmpty == false
  }

  func strings(_ name: String) throws(OAuthError) -> [String]? {
    guard let value = object[name], value != .null else { return nil }
    guard let elements = value.array else { throw OAuthError(.metadataInvalid, .name(name)) }
    var texts: [String] = []
    for element in elements {
      guard let text = element.string else { throw OAuthError(.metadataInvalid, .name(name)) }
      texts.append(text)
    }
    return texts
  }
}
