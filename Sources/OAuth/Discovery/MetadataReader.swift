internal import Encoding
internal import Vocabulary

/// Reads the members of a metadata document, and reports which one is malformed.
struct MetadataReader {
  let object: JSONObject
  let allowHTTPLoopback: Bool

  func string(_ name: String) throws(OAuthError) -> String? {
    guard let value = object[name], value != .null else { return nil }
    guard let text = value.string else { throw OAuthError(.metadataInvalid, .name(name)) }
    return text
  }

  /// Returns a reader for a nested object; nil if it is absent, or an inner nil if it has another type. An empty list
  /// counts as an empty object, as written by PHP.
  func object(_ name: String) -> MetadataReader?? {
    guard let value = object[name], value != .null, value.array?.isEmpty != true else { return nil }
    return .some(value.object.map { MetadataReader(object: $0, allowHTTPLoopback: allowHTTPLoopback) })
  }

  /// Reads an endpoint that receives requests: an https URL without a fragment (RFC 8414 section 2). Records an invalid
  /// one in `unusable`, so that a request that needs it can report the member.
  func endpoint(_ name: String, _ role: EndpointRole, _ unusable: inout [EndpointRole: String]) -> Endpoint? {
    let found = endpoint(name)
    if found == nil, let value = object[name], value != .null { unusable[role] = name }
    return found
  }

  /// Reads an endpoint that receives no requests from us.
  func endpoint(_ name: String) -> Endpoint? {
    object[name]?.string.flatMap { try? Endpoint($0, allowHTTPLoopback: allowHTTPLoopback) }
  }

  func flag(_ name: String) throws(OAuthError) -> Bool {
    guard let value = object[name], value != .null else { return false }
    guard let flag = value.bool else { throw OAuthError(.metadataInvalid, .name(name)) }
    return flag
  }

  /// Reads an optional list of strings, skipping other values. A single string is a list of one. Nil for any other
  /// type.
  func readableStrings(_ name: String) -> [String]? {
    switch object[name] {
    case .string(let text): [text]
    case .array(let elements): elements.compactMap(\.string)
    default: nil
    }
  }

  /// Reads an optional flag; false if it is not a Boolean.
  func isSet(_ name: String) -> Bool { object[name]?.bool ?? false }

  /// Whether a flag is absent or a Boolean.
  func isReadable(flag name: String) -> Bool { object[name].map { $0 == .null || $0.bool != nil } ?? true }

  /// Whether a list is absent or has at least one readable value.
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
