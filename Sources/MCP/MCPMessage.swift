internal import Encoding
internal import Wire

/// A JSON-RPC 2.0 message or, in MCP revision 2025-03-26, a batch.
struct MCPMessage {
  enum Kind {
    case request, notification
    /// A response, successful or not.
    case answer
    case batch
  }

  /// One line, without line feed.
  let bytes: [UInt8]
  let kind: Kind
  let method: String?
  /// Nil for notifications, batches, and responses to unreadable messages.
  let id: JSON?
  let requestIDs: [JSON]
  /// The request IDs of responses.
  let answeredIDs: [JSON]
  private let layout: JSONLayout

  static let maximumBytes = 32 << 20
  /// Lenient: only client and server interpret arguments and results.
  private static let limits = JSONLimits.lenient(bytes: maximumBytes, elements: 1 << 20)

  static var tooLarge: Failure {
    let mebibytes = maximumBytes >> 20
    return Failure(
      .malformedToken,
      "the message is too large: at most \(mebibytes) MiB, \(limits.elements) values and a nesting of \(limits.depth)"
    )
  }

  /// - Throws: `malformed_token` unless the text is JSON and not ``tooLarge``, `invalid_request` unless it is a
  ///   message.
  init(_ text: [UInt8]) throws(Failure) {
    do { layout = try JSONLayout(parsing: text, limits: Self.limits) } catch {
      switch error.code {
      case .tooLarge, .tooDeep, .tooManyElements: throw Self.tooLarge
      default: throw Failure(.malformedToken, "the message is not JSON (byte \(error.offset))")
      }
    }
    // Strings contain no literal line breaks.
    var bytes = text
    for index in bytes.indices where bytes[index] == 0x0A || bytes[index] == 0x0D { bytes[index] = 0x20 }
    let root = layout.root
    let parts = root.kind == .array ? root.elements : [root]
    var (requestIDs, answeredIDs): ([JSON], [JSON]) = ([], [])
    var kinds: [Kind] = []
    for part in parts {
      let kind = try Self.kind(of: part, bytes.span)
      kinds.append(kind)
      let id = part["id"]?.value(in: bytes.span)
      switch kind {
      case .request: if let id { requestIDs.append(id) }
      case .answer: if let id { answeredIDs.append(id) }
      case .notification, .batch: break
      }
    }
    guard let first = kinds.first else { throw Self.unreadable }
    kind = root.kind == .array ? .batch : first
    id = root["id"]?.value(in: bytes.span)
    method = root["method"]?.string(in: bytes.span)
    (self.bytes, self.requestIDs, self.answeredIDs) = (bytes, requestIDs, answeredIDs)
  }

  private static let unreadable = Failure(.invalidRequest, "the message is not JSON-RPC 2.0")

  /// The kind of a single message (JSON-RPC 2.0 sections 4 and 5).
  private static func kind(of part: JSONLayout.Node, _ bytes: Span<UInt8>) throws(Failure) -> Kind {
    guard part.kind == .object, let version = part["jsonrpc"]?.string(in: bytes),
      version == "2.0",
      // Parsers differ on duplicate members.
      ["jsonrpc", "id", "method"].allSatisfy({ part.members(named: $0).count < 2 })
    else { throw unreadable }
    let id = part["id"]?.kind
    if part["method"]?.kind == .string {
      guard let id else { return .notification }
      guard id == .string || id == .number else { throw unreadable }
      return .request
    }
    guard part["result"] != nil || part["error"] != nil else { throw unreadable }
    return .answer
  }

  /// The ID for answering an invalid message, even if not JSON; null if unknown.
  static func id(ofInvalid text: [UInt8]) -> JSON {
    var (ids, hasMethod) = ([JSON](), false)
    var limits = limits
    limits.bytes = maximumMemberBytes
    forEachMember(of: text) { piece in
      guard piece.count < maximumMemberBytes - 2,
        let member = try? JSON(parsing: [UInt8(ascii: "{")] + piece + [UInt8(ascii: "}")], limits: limits)
      else { return }
      if let id = member["id"] { ids.append(id) }
      hasMethod = hasMethod || member["method"] != nil
    }
    guard hasMethod, ids.count == 1, ids[0].string != nil || ids[0].number != nil else { return .null }
    return ids[0]
  }

  /// Limits the search for an invalid message's ID.
  private static let maximumMembers = 64
  private static let maximumMemberBytes = 4096

  /// Passes the outermost object's members to `take`, as text.
  private static func forEachMember(of text: [UInt8], _ take: (ArraySlice<UInt8>) -> Void) {
    var (depth, start, count) = (0, 0, 0)
    var (isInString, isEscaped) = (false, false)
    for index in text.indices where count < maximumMembers {
      let byte = text[index]
      if isInString {
        isInString = isEscaped || byte != UInt8(ascii: "\"")
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        if depth == 1 { start = index + 1 }
      case UInt8(ascii: ",") where depth == 1:
        take(text[start..<index])
        (start, count) = (index + 1, count + 1)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 { return take(text[start..<index]) }
      default: break
      }
    }
  }

  func parameter(_ path: String...) -> JSON? { value(["params"] + path) }

  func value(_ path: [String]) -> JSON? {
    var node = layout.root
    for name in path {
      guard let next = node[name] else { return nil }
      node = next
    }
    return node.value(in: bytes.span)
  }

  /// The message's MCP revision, required since 2026-07-28; nil in older messages.
  var revision: String? { parameter("_meta", "io.modelcontextprotocol/protocolVersion")?.string }

  func hasMethod(_ method: String) -> Bool { self.method.map { $0.hasSameBytes(as: method) } ?? false }

  // MARK: Own messages

  static func request(_ id: String, _ method: String, _ parameters: JSONObject) -> JSONObject {
    JSONObject([
      ("jsonrpc", "2.0"), ("id", .string(id)), ("method", .string(method)), ("params", .object(parameters)),
    ])
  }

  static func notification(_ method: String, _ parameters: JSONObject? = nil) -> JSONObject {
    var message = JSONObject([("jsonrpc", "2.0"), ("method", .string(method))])
    message["params"] = parameters.map { .object($0) }
    return message
  }

  static func answer(_ id: JSON, _ result: JSONObject) -> JSONObject {
    JSONObject([("jsonrpc", "2.0"), ("id", id), ("result", .object(result))])
  }

  /// The ID is null if the request's is unreadable.
  static func error(_ id: JSON, _ problem: MCPProblem) -> JSONObject {
    var error = JSONObject([("code", .int(problem.code)), ("message", .string(problem.message))])
    if !problem.data.isEmpty { error["data"] = .object(problem.data) }
    return JSONObject([("jsonrpc", "2.0"), ("id", id), ("error", .object(error))])
  }

  func replacing(id: JSON? = nil, parameters: JSONObject? = nil) throws(Failure) -> MCPMessage {
    guard var object = layout.root.value(in: bytes.span).object else { throw Self.unreadable }
    if let id { object["id"] = id }
    if let parameters { object["params"] = .object(parameters) }
    return try MCPMessage(JSON.object(object).serialized())
  }
}

/// Why a request failed, for the client.
struct MCPProblem {
  /// A JSON-RPC error code.
  var code: Int
  var message: String
  var data = JSONObject()

  // JSON-RPC 2.0 section 5.1.
  static let parseError = -32700
  static let invalidRequest = -32600
  /// The server was unreachable or did not respond.
  static let noAnswer = -32000
  /// The user must act, for example sign in.
  static let signInNeeded = -32001

  init(_ code: Int, _ message: String) { (self.code, self.message) = (code, message) }

  /// The hint of `failure` is already complete, `status` is the HTTP status, and `remedy` needs no consent of the user.
  init(_ failure: Failure, status: Int?, _ remedy: MCPRemedy?) {
    let isForUser = Self.needsUser(failure)
    code = isForUser ? Self.signInNeeded : Self.noAnswer
    message = failure.hint.map { "\(failure.message): \($0)" } ?? failure.message
    data = JSONObject([("code", .string(failure.code.rawValue))])
    data["status"] = status.map { .int($0) }
    guard let remedy else { return }
    data["command"] = .string(remedy.command)
    guard let login = remedy.login else { return }
    data["login"] = .string(remedy.command)
    let entries = login.settings.origins.compactMap { OriginEntry($0, allowHTTPLoopback: true) }
    let scope = login.settings.scope + entries.flatMap(\.scope)
    if !scope.isEmpty { data["scope"] = .array(scope.map { .string($0) }) }
  }

  /// Whether the user must sign in, unlock or permit something.
  static func needsUser(_ failure: Failure) -> Bool {
    switch failure.code.exitStatus {
    case .signInNeeded, .locked, .denied: true
    case .done, .failed, .usage, .tryLater, .tokenNotValid:
      failure.code == .originNotAllowed || failure.code == .originNotListed
    }
  }
}
