internal import Encoding

/// A JWS header, checked as far as possible without a key (RFC 7515 section 4). Its key or key URL is never used (RFC
/// 8725 section 3.10).
struct JOSEHeader: Sendable {
  static let maximumByteCount = 8192

  let members: JSONObject
  /// Never `none` (RFC 7518 section 3.6), but possibly unsupported.
  let algorithmName: String
  let keyID: String?
  let type: String?
  /// Whether the payload is a token according to `cty` (RFC 7519 section 5.2).
  let announcesToken: Bool

  init(parsing json: [UInt8]) throws(JOSEError) {
    guard json.count <= Self.maximumByteCount else { throw JOSEError(.tooLong) }
    guard let value = try? JSON(parsing: json), let members = value.object, !value.containsNUL
    else { throw JOSEError(.invalidHeader) }
    try Self.refuseUnsupported(members)
    self.members = members
    algorithmName = try Self.algorithm(members)
    keyID = try Self.string("kid", members)
    type = try Self.string("typ", members)
    announcesToken = try Self.string("cty", members).map { MediaType.isSame($0, "JWT") } ?? false
  }

  private static func refuseUnsupported(_ members: JSONObject) throws(JOSEError) {
    // Other unknown members are ignored (RFC 7515 section 4).
    for name in ["crit", "b64"] where members[name] != nil { throw JOSEError(.criticalHeader) }
    if let key = members["jwk"] {
      guard let key = key.object else { throw JOSEError(.invalidHeader) }
      if JWK.isSymmetric(key) || JWK.hasPrivateMembers(key) { throw JOSEError(.embeddedPrivateKey) }
    }
  }

  private static func algorithm(_ members: JSONObject) throws(JOSEError) -> String {
    guard let name = try string("alg", members) else { throw JOSEError(.missingAlgorithm) }
    if name == "none" { throw JOSEError(.unsecured) }
    return name
  }

  private static func string(_ name: String, _ members: JSONObject) throws(JOSEError) -> String? {
    guard let value = members[name] else { return nil }
    guard let string = value.string else { throw JOSEError(.invalidHeader) }
    return string
  }
}

extension JSON {
  /// Whether a string or name contains U+0000.
  var containsNUL: Bool {
    switch self {
    case .null, .bool, .number: false
    case .string(let text): text.containsNUL
    case .array(let elements): elements.contains { $0.containsNUL }
    case .object(let members): members.names.contains { $0.containsNUL || members[$0]?.containsNUL == true }
    }
  }
}

extension String {
  var containsNUL: Bool {
    let view = utf8
    let bytes = view.span
    for index in bytes.indices where bytes[index] == 0 { return true }
    return false
  }
}
