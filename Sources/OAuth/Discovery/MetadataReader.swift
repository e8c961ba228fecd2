internal import Encoding

/// Reads a metadata document. Errors name the malformed member.
struct MetadataReader {
  let object: JSONObject
  let allowHTTPLoopback: Bool

  func string(_ name: String) throws(OAuthError) -> String? {
    guard let value = object[name], value != .null else { return nil }
    guard let text = value.string else { throw OAuthError(.metadataInvalid, .name(name)) }
    return text
  }

  /// A nested object's reader. The outer optional is nil for an absent member or `[]` (PHP's empty object), the inner
  /// one for other types.
  func object(_ name: String) -> MetadataReader?? {
    guard let value = object[name], value != .null, value.array?.isEmpty != true else { return nil }
    return .some(value.object.map { MetadataReader(object: $0, allowHTTPLoopback: allowHTTPLoopback) })
  }

  /// Reads an endpoint's https URL (RFC 8414 section 2). Records an invalid one in `unusable`.
  func endpoint(_ name: String, _ role: EndpointRole, _ unusable: inout [EndpointRole: String]) -> Endpoint? {
    let found = endpoint(name)
    if found == nil, let value = object[name], value != .null { unusable[role] = name }
    return found
  }

  /// Nil if absent or invalid.
  func endpoint(_ name: String) -> Endpoint? {
    object[name]?.string.flatMap { try? Endpoint($0, allowHTTPLoopback: allowHTTPLoopback) }
  }

  func flag(_ name: String) throws(OAuthError) -> Bool {
    guard let value = object[name], value != .null else { return false }
    guard let flag = value.bool else { throw OAuthError(.metadataInvalid, .name(name)) }
    return flag
  }

  /// A list's strings, or a single string in a list. Nil for other types.
  func lenientStrings(_ name: String) -> [String]? {
    switch object[name] {
    case .string(let text): [text]
    case .array(let elements): elements.compactMap(\.string)
    default: nil
    }
  }

  /// Whether the member is `true`.
  func isSet(_ name: String) -> Bool { object[name]?.bool ?? false }

  func isValid(flag name: String) -> Bool { object[name].map { $0 == .null || $0.bool != nil } ?? true }

  /// Accepts an absent member, null, a string, and a list that is empty or has a string.
  func isValid(list name: String) -> Bool {
    guard let value = object[name], value != .null, value.array?.isEmpty != true else { return true }
    return lenientStrings(name)?.isEmpty == false
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
