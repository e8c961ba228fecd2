internal import CCurl
internal import Crypto
internal import OAuth

extension CurlHandle {
  /// Larger content uses `Expect: 100-continue`. Many servers ignore that, which costs one second.
  private static let maximumBytesWithoutExpect = 1 << 20

  func send(
    _ request: ResourceRequest, authorization: [SecretField], content: (any ResourceContent)?,
    _ exchange: any RunningExchange
  ) throws(HTTPFailure) {
    var lines = try Self.lines(of: request, hasContent: content != nil)
    for field in authorization {
      try field.value.bytes.withBytes { (value) throws(HTTPFailure) in try lines.append(field.name, value) }
    }
    // Lets a server reject the request before the content (RFC 9110 section 10.1.1).
    if Self.isSentWithoutExpect(content) { try lines.append("Expect", "") }
    try setMethod(request.method, content: content)
    try run(exchange, lines)
  }

  private static func isSentWithoutExpect(_ content: (any ResourceContent)?) -> Bool {
    guard let content else { return true }
    return content.length.map { $0 <= maximumBytesWithoutExpect } ?? false
  }

  private static func lines(of request: ResourceRequest, hasContent: Bool) throws(HTTPFailure) -> HeaderList {
    var lines = HeaderList()
    for field in request.fields { try lines.append(present: field.name, field.value) }
    // Otherwise, servers may use any coding.
    if !request.fields.contains(where: { $0.isNamed("Accept-Encoding") }) {
      try lines.append("Accept-Encoding", "identity")
    }
    if hasContent, !request.fields.contains(where: { $0.isNamed("Content-Type") }) {
      try lines.append("Content-Type", "application/x-www-form-urlencoded")
    }
    return lines
  }

  private func setMethod(_ method: ResourceMethod, content: (any ResourceContent)?) throws(HTTPFailure) {
    if content == nil, method.isHead { return try set(CURLOPT_NOBODY, true) }
    if content != nil || method.usuallyHasContent {
      try set(CURLOPT_UPLOAD, true)
      let length = content.map { $0.length ?? -1 } ?? 0
      try check(unsafe agent_curl_set_size(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(length)))
    } else {
      try set(CURLOPT_HTTPGET, true)
    }
    try set(CURLOPT_CUSTOMREQUEST, method.text)
  }
}
