internal import Encoding

/// Reads the members of a metadata document that we use, and names the one that is wrong.
struct MetadataReader {
  let object: JSONObject
  let allowHTTPLoopback: Bool

  func string(_ name: String) throws(OAuthError) -> String? {
    guard let value = object[name], value != .null else { return nil }
    guard let text = value.string else { throw OAuthError(.metadataInvalid, name) }
    return text
  }

  /// An object in the document, with a reader of its own.
  func object(_ name: String) throws(OAuthError) -> MetadataReader? {
    guard let value = object[name], value != .null else { return nil }
    guard let object = value.object else { throw OAuthError(.metadataInvalid, name) }
    return MetadataReader(object: object, allowHTTPLoopback: allowHTTPLoopback)
  }

  /// An endpoint that is not https makes the whole document unusable (RFC 8414 section 2).
  func endpoint(_ name: String) throws(OAuthError) -> Endpoint? {
    guard let text = try string(name) else { return nil }
    do {
      return try Endpoint(text, allowHTTPLoopback: allowHTTPLoopback)
    } catch {
      throw OAuthError(.metadataInvalid, name)
    }
  }

  func flag(_ name: String) throws(OAuthError) -> Bool {
    guard let value = object[name], value != .null else { return false }
    guard let flag = value.bool else { throw OAuthError(.metadataInvalid, name) }
    return flag
  }

  func strings(_ name: String) throws(OAuthError) -> [String]? {
    guard let value = object[name], value != .null else { return nil }
    guard let elements = value.array else { throw OAuthError(.metadataInvalid, name) }
    var texts: [String] = []
    for element in elements {
      guard let text = element.string else { throw OAuthError(.metadataInvalid, name) }
      texts.append(text)
    }
    return texts
  }
}
