internal import Crypto
internal import Encoding

/// Reads errors outside RFC 6749 section 5.2.
extension ErrorResponse {
  /// A nonstandard message, safe for a terminal: a common JSON member or plain text. Nil for HTML, or if it contains a
  /// token.
  static func message(of response: HTTPResponse, sent: [SharedSecret]) -> String? {
    let text = response.body.withBytes { bytes -> String? in
      if let layout = try? JSONLayout(parsing: bytes) { return message(in: layout.root, bytes) }
      return line(bytes, response.headers)
    }
    return printable(text, sent)
  }

  /// Whether a proxy, firewall or captive portal may have sent the body, which is neither JSON nor empty.
  static func mayBeFromIntermediary(_ response: HTTPResponse) -> Bool {
    response.body.withBytes { bytes in
      let isBlank = bytes.indices.allSatisfy { bytes[$0] <= UInt8(ascii: " ") }
      return !isBlank && (try? JSONLayout(parsing: bytes)) == nil
    }
  }

  private static func message(in root: JSONLayout.Node, _ bytes: Span<UInt8>) -> String? {
    guard !secretMembers.contains(where: { root[$0] != nil }) else { return nil }
    let error = root["error"]
    let first = root["errors"].map { $0.elements.first ?? $0 }
    let nodes = [
      root["error_description"], root["errorSummary"], error?["message"], error?["error_description"],
      error?["description"], root["message"], root["Message"], root["detail"], root["title"], root["reason"],
      root["error_message"], root["errorMessage"], root["msg"], root["description"], root["fault"]?["faultstring"],
      first?["message"], first?["detail"], first, error, root,
    ]
    for node in nodes {
      if let text = node?.string(in: bytes), !text.isEmpty { return text }
    }
    return nil
  }

  private static func line(_ bytes: Span<UInt8>, _ headers: HTTPHeaders) -> String? {
    guard headers.mediaType.map({ $0 == "text/plain" }) ?? true, (1...maximumSearchedLength).contains(bytes.count),
      !bytes.hasPart("_token=")
    else { return nil }
    let text = String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    // HTML without a media type.
    return text.drop { $0.isWhitespace }.first == "<" ? nil : text
  }
}

/// Reason phrases (RFC 9110 section 15.5), which gateways send as errors.
enum ReasonPhrase {
  private static let all = [
    400: "bad request", 401: "unauthorized", 402: "payment required", 403: "forbidden", 404: "not found",
    405: "method not allowed", 406: "not acceptable", 407: "proxy authentication required", 409: "conflict",
    410: "gone", 411: "length required", 412: "precondition failed", 413: "content too large", 414: "uri too long",
    415: "unsupported media type", 417: "expectation failed", 421: "misdirected request",
    422: "unprocessable content", 451: "unavailable for legal reasons",
  ]

  static func matches(_ status: Int, _ text: String) -> Bool {
    all[status].map { $0.hasSameBytes(as: text.lowercased()) } ?? false
  }
}
