internal import Crypto
internal import Encoding

/// The error in a response (RFC 6749 section 5.2) of any HTTP status.
struct ErrorResponse: Sendable {
  /// Nil if it contains forbidden characters.
  var error: String?
  /// Whether the response's `error` is a string, even an invalid one, other than the status's reason phrase.
  var isText = false
  /// ``error``, with a server's own code replaced by the standard one.
  var standardError: String?
  var description: String?
  /// For the server's operators: at most 64 letters, digits and "-".
  var correlationID: String?
  /// The interval of a `slow_down`, in seconds.
  var interval: Int?
  /// Claims to request in a sign-in, for conditional access in Microsoft Entra ID.
  var claims: RequestedClaims?

  /// Reads the error, if any. Drops messages that repeat a secret of `sent`.
  static func read(_ response: HTTPResponse, sent: [SharedSecret], format: ResponseFormat = .init()) -> ErrorResponse? {
    var answer = response.body.withBytes { bytes -> ErrorResponse? in
      if let layout = try? JSONLayout(parsing: bytes) { return read(layout.root, in: bytes, sent: sent, format) }
      return mayBeForm(response.headers) ? readForm(bytes, sent: sent) : nil
    }
    // Gateways such as Spring's send the reason phrase here.
    if let error = answer?.error, ReasonPhrase.matches(response.status, error) { answer?.isText = false }
    let description = answer?.description
    if let error = answer?.error { answer?.standardError = format.standardName(error, description: description) }
    return answer
  }

  private static func read(
    _ root: JSONLayout.Node, in bytes: Span<UInt8>, sent: [SharedSecret], _ format: ResponseFormat
  ) -> ErrorResponse? {
    let message = format.hasErrorInMessage && root["status"] != nil ? stringNode(root["message"]) : nil
    // Google sends `error_code` for an exceeded quota.
    guard let node = message ?? nonEmpty(root["error"]) ?? nonEmpty(stringNode(root["error_code"])) else { return nil }
    // The description could repeat a token in the response.
    let isAlone = !secretMembers.contains { root[$0] != nil }
    var answer = ErrorResponse(
      error: node.string(in: bytes).flatMap { isAlone || isWord($0) ? $0 : nil },
      description: isAlone ? root["error_description"]?.string(in: bytes) : nil,
      interval: root["interval"].flatMap { Seconds.parse($0.value(in: bytes)) }, sent: sent)
    answer.isText = node.isString
    answer.correlationID = root["correlation_id"]?.string(in: bytes).flatMap { text in
      isAlone && isCorrelationID(text) && !SecretEcho(text).repeats(sent) ? text : nil
    }
    answer.claims = root["claims"]?.string(in: bytes).flatMap { text in
      isAlone && !SecretEcho(text).repeats(sent) ? RequestedClaims(challenge: text) : nil
    }
    return answer
  }

  static let secretMembers = [
    "access_token", "refresh_token", "id_token", "device_code", "client_secret", "registration_access_token",
  ]

  /// Whether the text looks like a registered error code, unlike most tokens.
  private static func isWord(_ text: String) -> Bool {
    text.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "_") }
  }

  /// Nil for null and empty strings.
  private static func nonEmpty(_ node: JSONLayout.Node?) -> JSONLayout.Node? {
    node.flatMap { $0.kind == .null || $0.stringByteCount == 0 ? nil : $0 }
  }

  private static func stringNode(_ node: JSONLayout.Node?) -> JSONLayout.Node? {
    node.flatMap { $0.kind == .string ? $0 : nil }
  }

  private static func isCorrelationID(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") }
  }

  /// GitHub sends errors as forms if it ignores `Accept`.
  private static func mayBeForm(_ headers: HTTPHeaders) -> Bool {
    guard let type = headers.mediaType else { return true }
    return type == "application/x-www-form-urlencoded" || type == "text/plain"
  }

  private static func readForm(_ bytes: Span<UInt8>, sent: [SharedSecret]) -> ErrorResponse? {
    // A body with a token must not be split into strings.
    guard bytes.count <= 8192, !bytes.hasPart("_token=") else { return nil }
    guard let fields = try? Form.parse(bytes) else { return nil }
    let value = { (name: String) in fields.first { $0.name.hasSameBytes(as: name) }?.value }
    guard let error = value("error") else { return nil }
    let interval = value("interval").flatMap { Seconds.parse(.string($0)) }
    return ErrorResponse(error: error, description: value("error_description"), interval: interval, sent: sent)
  }

  /// The error in a redirect's query.
  init(redirected error: String, description: String?, sent: [SharedSecret]) {
    self.init(error: error, description: description, interval: nil, sent: sent)
  }

  private init(error: String?, description: String?, interval: Int?, sent: [SharedSecret]) {
    self.error = error.flatMap { Self.isErrorValue($0) && !SecretEcho($0).repeats(sent) ? $0 : nil }
    standardError = self.error
    isText = true
    self.description = Self.printable(description, sent)
    self.interval = interval
  }

  /// Cleans a server's text for display. Nil if it is empty or repeats a secret.
  static func printable(_ text: String?, _ sent: [SharedSecret]) -> String? {
    // A secret might continue after this part.
    guard let text, !SecretEcho.isFound(in: text, sent, limit: maximumSearchedLength) else { return nil }
    let line = TerminalText.clean(text.split(whereSeparator: \.isNewline).joined(separator: " "))
    return line.isEmpty ? nil : line
  }

  /// The number of characters searched for secrets.
  static let maximumSearchedLength = 2000

  private static func isErrorValue(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0 == 0x20 || $0.isUnquotedASCII }
  }
}
