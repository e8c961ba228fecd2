internal import Encoding
internal import Wire

/// An origin that a lease serves over HTTP. Translates requests and response heads.
struct LentOrigin {
  let origin: String
  /// The lease's own origin, which replaces ``origin`` in peers' URLs.
  let localOrigin: String
  /// The token that peers send instead of the account's.
  let token: [UInt8]

  // MARK: Requests

  /// The request for the daemon, without the lease's token and hop-by-hop fields.
  func request(for head: HTTPRequestHead) -> CallRequest {
    var call = CallRequest(url: origin + head.target, method: head.method)
    call.headers = head.fields.filter { !isConnectionField($0, head) }.map { "\($0.name): \($0.value)" }
    call.sendsBody = head.content != .none
    call.refusesRedirects = true
    call.idleSeconds = 0
    return call
  }

  /// Whether the request contains the lease's token exactly once: as Bearer token, Basic password or API key.
  func isAuthorized(_ head: HTTPRequestHead) -> Bool {
    let values = head.fields.filter { $0.isNamed("authorization") }.map(\.value)
    let keys = head.fields.filter { !$0.isNamed("authorization") && isKeyField($0) }
    guard values.count + keys.count == 1 else { return false }
    if let key = keys.first { return endsWithToken(key.value) }
    let words = values[0].split(separator: " ", omittingEmptySubsequences: true)
    guard words.count == 2 else { return false }
    switch words[0].lowercased() {
    case "bearer", "token": return isToken(Array(words[1].utf8))
    case "basic":
      guard let pair = try? Base64.decode(String(words[1])), let colon = pair.firstIndex(of: UInt8(ascii: ":")) else {
        return false
      }
      return isToken(Array(pair[(colon + 1)...]))
    default: return false
    }
  }

  /// In lowercase.
  private static let apiKeyFields: Set<String> = ["x-api-key", "api-key", "private-token", "x-goog-api-key"]

  /// Whether a field is in ``apiKeyFields`` or has the lease's token.
  private func isKeyField(_ field: HTTPRequestHead.Field) -> Bool {
    Self.apiKeyFields.contains(field.name.lowercased()) || endsWithToken(field.value)
  }

  /// Whether the value is the lease's token, alone or after a scheme.
  private func endsWithToken(_ value: String) -> Bool {
    let words = value.utf8.split(separator: UInt8(ascii: " "))
    return words.count <= 2 && words.last.map { isToken(Array($0)) } ?? false
  }

  /// Compares in constant time.
  private func isToken(_ bytes: [UInt8]) -> Bool {
    guard bytes.count == token.count else { return false }
    var difference: UInt8 = 0
    for (one, other) in zip(bytes, token) { difference |= one ^ other }
    return difference == 0
  }

  /// Whether a field concerns the connection or the lease's token, so is not forwarded.
  private func isConnectionField(_ field: HTTPRequestHead.Field, _ head: HTTPRequestHead) -> Bool {
    let name = field.name.lowercased()
    if Self.connectionFields.contains(name) || isKeyField(field) { return true }
    let named = head.fields.filter { $0.isNamed("connection") }.flatMap { $0.value.lowercased().split(separator: ",") }
    return named.contains { $0.filter { $0 != " " }.hasSameBytes(as: name) }
  }

  /// In lowercase: fields that concern a connection or that the daemon sets.
  private static let connectionFields: Set<String> = [
    "authorization", "host", "connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "trailer",
    "transfer-encoding", "content-length", "upgrade", "expect", "http2-settings", "accept-encoding",
  ]

  // MARK: Responses

  /// The response's fields for the peer, with the server's URLs replaced.
  func headerLines(for head: ResponseHead) -> String {
    var lines = ""
    for field in head.headers where !Self.connectionFields.contains(field.name.lowercased()) {
      lines += "\(field.name): \(localValue(of: field))\r\n"
    }
    return lines
  }

  private func localValue(of field: ResponseHead.Field) -> String {
    switch field.name.lowercased() {
    case "location", "content-location": return localURL(for: field.value[...])
    case "link":
      var text = ""
      var rest = field.value[...]
      while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
        let from = rest.index(after: start)
        text += rest[..<from] + localURL(for: rest[from..<end])
        rest = rest[end...]
      }
      return text + rest
    default: return field.value
    }
  }

  /// Replaces the server's origin in a URL with the lease's.
  private func localURL(for url: Substring) -> String {
    // A URL without a scheme has the request's, which differs here (RFC 3986 section 4.2).
    let hasNoScheme = url.utf8.starts(with: "//".utf8)
    let text = hasNoScheme ? String(origin.prefix { $0 != "/" }) + url : String(url)
    guard let uri = try? URI(text), uri.origin.hasSameBytes(as: origin) else { return String(url) }
    let authority = text.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
    return localOrigin + String(decoding: authority.drop { !"/?#".utf8.contains($0) }, as: UTF8.self)
  }
}
