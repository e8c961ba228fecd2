internal import Encoding
internal import OAuth
internal import Sessions
internal import Wire

/// The requests that a lease permits. Only parts that all servers and proxies interpret alike are forwarded.
struct LeaseRules {
  /// By default all origins of the account.
  let origins: [OriginEntry]
  /// If empty, all methods except those that name a second resource.
  let methods: [String]
  /// Header fields permitted besides the usual ones, in lower case.
  let allowedFields: Set<String>

  init(origins: [OriginEntry], methods: [String], allowedFields: [String] = []) {
    self.origins = origins
    self.methods = methods
    self.allowedFields = Set(allowedFields.map { $0.lowercased() })
  }

  struct ForwardedParts {
    /// Whether only some paths at this origin are permitted.
    let restrictsPaths: Bool
    let fields: [ResourceField]
    /// The number of removed header fields.
    let dropped: Int
  }

  /// Returns the permitted part of a request. Throws `not_permitted` if it is forbidden or ambiguous.
  func check(_ target: ResourceCall.Target, sendsBody: Bool) throws(Failure) -> ForwardedParts {
    let (method, uri) = (target.method, target.endpoint.uri)
    let isNamed = methods.contains(method.text)
    let own = origins.filter { $0.origin.hasSameBytes(as: target.origin.text) }
    guard methods.isEmpty || isNamed, !own.isEmpty else { throw .notPermittedByLease }
    let restrictsPaths = !own.contains(where: \.path.isEmpty)
    if restrictsPaths {
      guard let segments = Self.segments(uri.path) else { throw .ambiguousPath }
      guard own.contains(where: { segments.starts(with: Self.segments($0.path) ?? [[]]) }) else {
        throw .notPermittedByLease
      }
    }
    let namesSecond = Self.methodsWithSecondResource.contains(method.text.uppercased())
    if namesSecond, restrictsPaths || !isNamed { throw .forbiddenSecondResource(method) }
    // A server that ignores the body would parse it as the next request (RFC 9110 section 9.3.1).
    guard !sendsBody || method.usuallyHasContent || isNamed else { throw .forbiddenBody(method) }
    var fields: [ResourceField] = []
    var dropped = 0
    for field in target.fields {
      // The token cannot be found in an encoded response. The daemon sends its own `User-Agent`.
      if field.isNamed("Accept-Encoding") || field.isNamed("User-Agent") && !allowedFields.contains("user-agent") {
        continue
      }
      if try shouldForward(field, of: target, namesSecond: namesSecond) { fields.append(field) } else { dropped += 1 }
    }
    return ForwardedParts(restrictsPaths: restrictsPaths, fields: fields, dropped: dropped)
  }

  // MARK: Paths

  /// Splits an unambiguous path into decoded segments. Nil for any other path.
  ///
  /// Segments contain path characters (RFC 3986 section 3.3) except ";", encode only spaces and non-ASCII text, and
  /// are not empty or similar to "." or "..".
  static func segments(_ path: String) -> [[UInt8]]? {
    var segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard let first = segments.first, first.isEmpty else { return path.isEmpty ? [] : nil }
    segments.removeFirst()
    if segments.last?.isEmpty == true { segments.removeLast() }
    let decoded = segments.compactMap { decodedSegment(Array($0)) }
    return decoded.count == segments.count ? decoded : nil
  }

  /// Nil if servers may interpret the segment differently.
  private static func decodedSegment(_ segment: [UInt8]) -> [UInt8]? {
    var decoded: [UInt8] = []
    var index = 0
    while index < segment.count {
      var byte = segment[index]
      if byte == UInt8(ascii: "%") {
        guard index + 2 < segment.count, let high = HexDigit.value(segment[index + 1]),
          let low = HexDigit.value(segment[index + 2])
        else { return nil }
        byte = high << 4 | low
        // No other ASCII byte needs encoding, and a decoded one may separate parts of a URI.
        guard byte == UInt8(ascii: " ") || byte >= 0x80 else { return nil }
        index += 2
      } else if !byte.isASCIIAlphanumeric, !"-._~!$&'()*+,=:@".utf8.contains(byte) {
        return nil
      }
      decoded.append(byte)
      index += 1
    }
    // Some file systems ignore dots and spaces at the end of a name.
    guard let text = String(validating: decoded, as: UTF8.self), text.unicodeScalars.allSatisfy(isPlain),
      decoded.contains(where: { !". +".utf8.contains($0) })
    else { return nil }
    return decoded
  }

  /// Whether no server changes the character: ASCII, a letter, digit, mark, dash, quotation mark or emoji.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return true }
    return switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .nonspacingMark, .spacingMark, .dashPunctuation, .initialPunctuation, .finalPunctuation:
      true
    default: scalar.properties.isEmojiPresentation
    }
  }

  // MARK: Methods

  /// Methods that name a second resource in a field or the body (RFC 4918, 3253, 5842, 5323, 4437 and 2068).
  private static let methodsWithSecondResource: Set<String> = [
    "BASELINE-CONTROL", "BCOPY", "BDELETE", "BIND", "BMOVE", "BPROPFIND", "BPROPPATCH", "CHECKIN", "CHECKOUT", "COPY",
    "LABEL", "LINK", "MERGE", "MKREDIRECTREF", "MKWORKSPACE", "MOVE", "REBIND", "REPORT", "SEARCH", "UNBIND", "UNLINK",
    "UPDATE", "UPDATEREDIRECTREF", "VERSION-CONTROL",
  ]

  // MARK: Header fields

  /// Fields that describe content, negotiate its form, set conditions or select a range.
  private static let forwardedFields: Set<String> = [
    "accept", "accept-charset", "accept-language", "accept-datetime", "content-type", "content-language",
    "content-encoding", "content-disposition", "content-range", "content-md5", "content-digest", "repr-digest",
    "digest",
    "want-content-digest", "want-repr-digest", "prefer", "if-match", "if-none-match", "if-modified-since",
    "if-unmodified-since", "if-range", "range", "depth", "idempotency-key", "git-protocol", "last-event-id",
    "traceparent", "tracestate",
  ]
  private static let forwardedPrefixes = ["mcp-", "x-github-", "x-stainless-", "anthropic-", "openai-"]

  /// Fields that name a second resource (RFC 4918, 3253, 4437 and 8288).
  private static let secondResourceFields: Set<String> = [
    "destination", "if", "overwrite", "lock-token", "apply-to-redirect-ref", "redirect-ref", "label", "link",
  ]

  /// Returns false if the field must be removed. Throws `not_permitted` if it could change the request's meaning.
  /// `namesSecond`: the method names a second resource.
  private func shouldForward(
    _ field: ResourceField, of target: ResourceCall.Target, namesSecond: Bool
  ) throws(Failure) -> Bool {
    let name = field.name.lowercased()
    // CGI, WSGI, PHP and Rack treat all other characters like a hyphen (RFC 3875 section 4.1.18).
    guard Self.isPlain(name: name) else { throw .ambiguousFieldName(field.name) }
    if namesSecond, Self.secondResourceFields.contains(name) {
      guard Self.staysInOrigin(target.endpoint.uri, field) else { throw .redirectingField(field.name) }
    } else {
      guard !Self.redirectsRequest(name) else { throw .redirectingField(field.name) }
      let passes =
        Self.forwardedFields.contains(name) || Self.forwardedPrefixes.contains(where: { name.hasPrefix($0) })
        || allowedFields.contains(name)
      guard passes else { return false }
    }
    // Python treats some non-ASCII bytes as line breaks, and other software converts them.
    guard field.value.utf8.allSatisfy({ $0.isPrintableASCII || $0 == UInt8(ascii: "\t") }) else {
      throw .nonASCIIValue(field.name)
    }
    return true
  }

  /// False for a `Destination` that is invalid or has another origin.
  private static func staysInOrigin(_ uri: URI, _ field: ResourceField) -> Bool {
    guard field.isNamed("Destination") else { return true }
    return (uri.resolving(field.value)?.origin).map { $0.hasSameBytes(as: uri.origin) } ?? false
  }

  /// Whether all characters are ASCII letters, digits or hyphens.
  private static func isPlain(name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") }
  }

  /// Whether a lease may permit this header field.
  static func mayAllow(_ name: String) -> Bool {
    let lowercase = name.lowercased()
    return name.utf8.count <= ResourceField.maximumNameBytes && isPlain(name: lowercase) && !redirectsRequest(lowercase)
      && !neverForwarded.contains(lowercase) && !ResourceField.isReserved(lowercase)
  }

  /// Fields that matter only to browsers, and `Accept-Encoding`. A lease cannot permit them.
  private static let neverForwarded: Set<String> = [
    "origin", "referer", "set-cookie", "set-cookie2", "accept-encoding",
  ]

  private static func redirectsRequest(_ name: String) -> Bool {
    redirectingFields.contains(name) || redirectingPrefixes.contains { name.hasPrefix($0) } || name.hasPart("override")
  }

  /// Fields that select another resource, method, sender or user.
  private static let redirectingFields: Set<String> = [
    // Another resource, or another host (RFC 4918 section 10, RFC 4437, RFC 7239, RFC 7838).
    "destination", "if", "overwrite", "lock-token", "apply-to-redirect-ref", "redirect-ref", "forwarded", "via",
    "max-forwards", "alt-used", "base-url", "request-uri", "script-name", "path-info", "x-host", "x-url", "x-uri",
    "x-script-name", "x-request-uri", "x-request-url", "x-request-path", "x-matched-path", "x-invoke-path",
    "x-ingress-path", "x-destination-url", "x-http-destinationurl", "x-http-host", "x-backend", "x-upstream",
    "content-location", "label",
    // Another sender.
    "client-ip", "true-client-ip", "x-client-ip", "x-cluster-client-ip", "cf-connecting-ip", "fastly-client-ip",
    // Another user than the token's account.
    "cookie", "cookie2", "sudo",
  ]
  private static let redirectingPrefixes = [
    "x-forward", "x-original", "x-originating", "x-rewrite", "x-real-", "x-proxy", "x-accel-", "x-sendfile", "x-envoy-",
    "x-middleware-", "x-http-method", "x-method", "x-remote-", "remote-", "x-auth-request-", "x-webauth-",
    "x-ms-client-principal", "impersonate-",
  ]
}

extension Failure {
  fileprivate static let ambiguousPath = Failure(
    .notPermitted, "servers may interpret the path differently, and the lease is limited to a path", hint: plainForm)
  static let ambiguousURL = Failure(
    .invalidRequest, "servers may interpret the path of this URL differently", hint: plainForm)
  private static let plainForm = Phrase(
    "remove empty segments, \";\" and encoded characters other than spaces and non-ASCII letters")

  fileprivate static func forbiddenBody(_ method: ResourceMethod) -> Failure {
    Failure(
      .notPermitted, "the lease does not allow a body with \(method.text)",
      hint: "omit the body, use POST, PUT or PATCH, or allow the method when opening the lease")
  }

  fileprivate static func forbiddenSecondResource(_ method: ResourceMethod) -> Failure {
    Failure(
      .notPermitted,
      "\(method.text) names a second resource, so it is allowed only if the lease allows the method and has no path",
      hint: "use two requests: read one resource, then write the other")
  }

  static func unallowableHeader(_ name: String) -> Failure {
    Failure(
      .invalidRequest, "a lease never sends the header \(TerminalText.clean(name, limit: 64))",
      hint: "use a header that affects only the content and whose name has only letters, digits and hyphens")
  }

  fileprivate static func ambiguousFieldName(_ name: String) -> Failure {
    Failure(
      .notPermitted, "a lease does not send the header \(name): servers may interpret its name differently",
      hint: "use only letters, digits and hyphens in the name")
  }

  fileprivate static func redirectingField(_ name: String) -> Failure {
    Failure(
      .notPermitted, "a lease does not send the header \(name), which can change the target or effect of a request",
      hint: "omit the header")
  }

  fileprivate static func nonASCIIValue(_ name: String) -> Failure {
    Failure(
      .notPermitted, "a lease does not send the header \(name) with non-ASCII characters",
      hint: "encode its value")
  }
}
