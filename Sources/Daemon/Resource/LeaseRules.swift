internal import Encoding
internal import OAuth
internal import Sessions
internal import Vocabulary
internal import Wire

/// The requests that a lease permits, by place, method and header fields.
///
/// Servers and proxies may interpret the same request differently. A request is refused if any of them could read it as one
/// for another place or with another method.
struct LeaseRules {
  /// The places of the request that opened the lease; all that the account lists, if it names none.
  let places: [OriginEntry]
  /// Empty if all methods are permitted.
  let methods: [String]

  /// Checks a request.
  ///
  /// - Returns: Whether the lease names a path at the origin of the request.
  func check(_ target: ResourceCall.Target, sendsBody: Bool) throws(Failure) -> Bool {
    let (method, uri) = (target.method, target.endpoint.uri)
    let own = places.filter { $0.origin.utf8.elementsEqual(target.origin.text.utf8) }
    guard methods.isEmpty || methods.contains(method.text), own.contains(where: { $0.covers(uri.path) }) else {
      throw Lease.notPermitted
    }
    let hasPath = !own.contains(where: \.path.isEmpty)
    if hasPath, !Self.isPlain(uri.path) { throw .unplainPath }
    for field in target.fields { try Self.check(field) }
    // A server that leaves the body unread takes it for the next request on the connection (RFC 9110 section 9.3.1).
    guard !sendsBody || method.definesContent else { throw .bodyWithout(method) }
    if hasPath, Self.methodsForTwoPlaces.contains(method.text.uppercased()) { throw .secondPlace(method) }
    for name in Self.parameterNames(in: uri.query ?? "") {
      if hasPath, Self.isPathParameter(name.decoded) { throw .parameter(name.text) }
      if !methods.isEmpty, Self.isMethodParameter(name.decoded) { throw .parameter(name.text) }
    }
    return hasPath
  }

  // MARK: Paths

  /// Whether every server reads the path alike: it is in normal form (RFC 3986 section 6.2.2), no segment is empty or can be
  /// taken for "." or "..", no segment has a parameter, and decoding it once more would change nothing.
  static func isPlain(_ path: String) -> Bool {
    let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard let first = segments.first, first.isEmpty else { return path.isEmpty }
    // The last segment is empty if the path ends with a slash.
    return segments.enumerated().dropFirst().allSatisfy { index, segment in
      segment.isEmpty ? index == segments.count - 1 : isPlainSegment(Array(segment))
    }
  }

  private static func isPlainSegment(_ segment: [UInt8]) -> Bool {
    var decoded: [UInt8] = []
    var index = 0
    while index < segment.count {
      var byte = segment[index]
      if byte == UInt8(ascii: "%") {
        guard index + 2 < segment.count, let high = HexDigit.value(segment[index + 1]),
          let low = HexDigit.value(segment[index + 2])
        else { return false }
        byte = high << 4 | low
        guard mayBeEncoded(byte) else { return false }
        index += 2
      }
      decoded.append(byte)
      index += 1
    }
    guard !decoded.contains(where: { ";\\".utf8.contains($0) }), let text = String(validating: decoded, as: UTF8.self)
    else { return false }
    // Some file systems leave out dots and spaces at the end of a name.
    return text.unicodeScalars.allSatisfy(isPlain) && text.utf8.contains { !". +".utf8.contains($0) }
  }

  /// Whether an encoded byte is neither a control character, nor one that is never encoded, nor one that separates parts of a
  /// URI once it is decoded.
  private static func mayBeEncoded(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7F && !byte.isASCIIAlphanumeric && !"-._~/\\%;?#".utf8.contains(byte)
  }

  /// Past ASCII, letters, digits and marks only: some servers replace others by a slash, a dot or a semicolon.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return true }
    return switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .nonspacingMark, .spacingMark:
      true
    default: false
    }
  }

  // MARK: Methods

  /// Methods whose requests name a second resource in a header field or in the body (RFC 4918, RFC 3253, RFC 5842,
  /// RFC 5323, RFC 4437, RFC 2068).
  private static let methodsForTwoPlaces = [
    "COPY", "MOVE", "BIND", "REBIND", "LINK", "UNLINK", "SEARCH", "MERGE", "UPDATE", "VERSION-CONTROL",
    "BASELINE-CONTROL", "MKREDIRECTREF", "UPDATEREDIRECTREF",
  ]

  // MARK: Header fields

  private static func check(_ field: ResourceField) throws(Failure) {
    let name = field.name.lowercased()
    // CGI, WSGI, PHP and Rack turn each other character into the one that a hyphen becomes (RFC 3875 section 4.1.18).
    guard name.utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") }) else {
      throw .ambiguousName(field.name)
    }
    guard !fields.contains(name), !fieldPrefixes.contains(where: { name.hasPrefix($0) }), !name.hasPart("override")
    else {
      throw .steeringField(field.name)
    }
    // Python reads a byte past ASCII as the end of the line, others as a character of their own choice.
    guard field.value.utf8.allSatisfy({ $0.isPrintableASCII || $0 == UInt8(ascii: "\t") }) else {
      throw .unplainValue(field.name)
    }
  }

  /// Header fields that make servers or proxies use another resource, method, sender or user.
  private static let fields: Set<String> = [
    // Another resource, or another host (RFC 4918 section 10, RFC 4437, RFC 7239, RFC 7838).
    "destination", "if", "overwrite", "lock-token", "apply-to-redirect-ref", "redirect-ref", "forwarded", "via",
    "max-forwards", "alt-used", "base-url", "request-uri", "script-name", "path-info", "x-host", "x-url", "x-uri",
    "x-script-name", "x-request-uri", "x-request-url", "x-request-path", "x-matched-path", "x-invoke-path",
    "x-ingress-path", "x-destination-url", "x-http-destinationurl", "x-http-host", "x-backend", "x-upstream",
    // Another sender.
    "client-ip", "true-client-ip", "x-client-ip", "x-cluster-client-ip", "cf-connecting-ip", "fastly-client-ip",
    // Another user, besides the account whose token goes along.
    "cookie", "cookie2", "sudo",
  ]
  private static let fieldPrefixes = [
    "x-forward", "x-original", "x-originating", "x-rewrite", "x-real-", "x-proxy", "x-accel-", "x-sendfile", "x-envoy-",
    "x-middleware-", "x-http-method", "x-method", "x-remote-", "remote-", "x-auth-request-", "x-webauth-",
    "x-ms-client-principal", "impersonate-",
  ]

  // MARK: Parameters

  /// The names in a query, as they are written and without encoding. Some servers separate fields by semicolons.
  private static func parameterNames(in query: String) -> [(text: String, decoded: [UInt8])] {
    query.utf8.split { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: ";") }.map { field in
      let name = Array(field.prefix { $0 != UInt8(ascii: "=") })
      var decoded: [UInt8] = []
      // A URI has no malformed encoding.
      _ = Form.decode(name.span, to: &decoded)
      return (String(decoding: name, as: UTF8.self), decoded)
    }
  }

  /// Letters and digits of a parameter's name in lower case, and whether another character comes before them: PHP reads
  /// `.method` and `[method` as `_method`.
  private static func letters(_ name: [UInt8]) -> (text: String, isMarked: Bool) {
    let letters = name.filter(\.isASCIIAlphanumeric)
    return (String(decoding: letters, as: UTF8.self).lowercased(), name.first.map { !$0.isASCIIAlphanumeric } ?? false)
  }

  /// Whether frameworks or services use the parameter as the method: `_method`, `_HttpMethod`, `$httpMethod`, or
  /// `$httpHeaders`, for its header field.
  private static func isMethodParameter(_ name: [UInt8]) -> Bool {
    let (text, isMarked) = letters(name)
    let known = ["httpmethod", "xhttpmethod", "methodoverride", "xmethodoverride", "httpmethodoverride"]
    return known.contains(text) || text.hasPart("xhttpmethodoverride")
      || isMarked && (text.hasPrefix("method") || text.hasPrefix("httpheaders"))
  }

  /// Whether a service uses the parameter as the path, as WordPress does.
  private static func isPathParameter(_ name: [UInt8]) -> Bool { letters(name).text.hasPrefix("restroute") }
}

extension Failure {
  fileprivate static let unplainPath = Failure(
    .notPermitted, "servers may read the path as another one, and the lease is limited to a path", hint: plainForm)
  static let unplainPlace = Failure(
    .invalidRequest, "servers may read the path of the place as another one", hint: plainForm)
  private static let plainForm = Phrase(
    "leave out empty segments, \";\" and encoded characters that need no encoding")

  fileprivate static func bodyWithout(_ method: ResourceMethod) -> Failure {
    Failure(
      .notPermitted, "a lease sends no body with \(method.text)",
      hint: "leave out the body, or send it with a method such as POST")
  }

  fileprivate static func secondPlace(_ method: ResourceMethod) -> Failure {
    Failure(
      .notPermitted, "a lease that is limited to a path does not send \(method.text), which names a second place",
      hint: "read the one and write the other, in two requests")
  }

  fileprivate static func ambiguousName(_ name: String) -> Failure {
    Failure(
      .notPermitted, "a lease does not send the header \(name): servers may read its name as another one",
      hint: "use only letters, digits and hyphens in the name")
  }

  fileprivate static func steeringField(_ name: String) -> Failure {
    Failure(
      .notPermitted, "a lease does not send the header \(name), which can change what a request addresses or does",
      hint: "leave out the header")
  }

  fileprivate static func unplainValue(_ name: String) -> Failure {
    Failure(
      .notPermitted, "a lease does not send the header \(name) with characters other than ASCII",
      hint: "encode its value")
  }

  fileprivate static func parameter(_ name: String) -> Failure {
    Failure(
      .notPermitted, "a lease does not send the parameter \(name), which can change what a request addresses or does",
      hint: "leave out the parameter")
  }
}
