internal import Encoding
internal import Wire

struct MCPSession {
  /// Counts the sessions: responses may belong to an earlier one.
  private(set) var generation = 0
  /// Assigned only by some servers.
  private var id: String?
  /// The negotiated MCP revision; nil before the server's acceptance.
  private var revision: String?
  /// Sent again to restart the session.
  private(set) var initializeMessage: MCPMessage?
  /// Whether the server lacks a session that the client requested.
  private(set) var isMissing = false
  /// The latest revision named by a client's message. Applies to messages without one.
  private(set) var namedRevision: String?
  private var toolFields = MCPToolFields()

  private static let maximumIDBytes = 2048

  var hasID: Bool { id != nil }

  /// Whether the message's client can open URLs (since revision 2025-11-25).
  func canOpenURLs(_ message: MCPMessage) -> Bool {
    if message.revision != nil {
      return message.parameter("_meta", "io.modelcontextprotocol/clientCapabilities", "elicitation", "url") != nil
    }
    return revision != nil && initializeMessage?.parameter("capabilities", "elicitation", "url") != nil
  }

  // MARK: Beginning

  /// Records the client's `initialize` request.
  mutating func recordRequest(with message: MCPMessage) {
    initializeMessage = message
    (id, revision, namedRevision) = (nil, nil, nil)
    isMissing = true
  }

  /// Records the server's response to ``initializeMessage``.
  mutating func recordAcceptance(_ answer: MCPMessage, _ head: ResponseHead) {
    guard let agreed = answer.value(["result", "protocolVersion"])?.string else { return }
    generation += 1
    isMissing = false
    revision = Self.isVisible(agreed) ? agreed : nil
    id = head.field("Mcp-Session-Id").flatMap { Self.isVisible($0) ? $0 : nil }
  }

  /// Records that the server forgot or rejected the session.
  mutating func recordEnd() {
    id = nil
    isMissing = true
  }

  private static func isVisible(_ text: String) -> Bool {
    (1...maximumIDBytes).contains(text.utf8.count) && text.utf8.allSatisfy(\.isVisibleASCII)
  }

  // MARK: Fields

  mutating func recordRevision(of message: MCPMessage) {
    if let revision = message.revision { namedRevision = revision }
  }

  /// Records which tool arguments are sent in header fields. Returns the response without unusable tools, and their
  /// names.
  mutating func recordTools(in answer: MCPMessage, to request: MCPMessage) -> (MCPMessage, omitted: [String]) {
    guard request.revision != nil, request.hasMethod("tools/list") else { return (answer, []) }
    return toolFields.recordTools(answer, startsList: request.parameter("cursor") == nil)
  }

  /// The header fields that identify the session.
  var fields: [String] {
    var fields: [String] = []
    if let id { fields.append("Mcp-Session-Id: \(id)") }
    if let revision = namedRevision ?? revision { fields.append("MCP-Protocol-Version: \(revision)") }
    return fields
  }

  /// The header fields for a message.
  func fields(of message: MCPMessage) -> [String] {
    guard !message.hasMethod("initialize") else { return [] }
    guard let revision = message.revision ?? namedRevision else { return fields }
    var fields = ["MCP-Protocol-Version: \(Self.encodedFieldValue(revision))"]
    if let method = message.method { fields.append("Mcp-Method: \(Self.encodedFieldValue(method))") }
    if let name = Self.name(of: message) { fields.append("Mcp-Name: \(Self.encodedFieldValue(name))") }
    if message.hasMethod("tools/call") {
      fields += toolFields.fields(of: message).map { "Mcp-Param-\($0): \(Self.encodedFieldValue($1))" }
    }
    return fields
  }

  /// The value of `Mcp-Name`.
  private static func name(of message: MCPMessage) -> String? {
    switch message.method {
    case "tools/call", "prompts/get": message.parameter("name")?.string
    case "resources/read": message.parameter("uri")?.string
    default: nil
    }
  }

  /// In Base64 unless printable ASCII without leading or trailing spaces.
  static func encodedFieldValue(_ value: String) -> String {
    let bytes = Array(value.utf8)
    let isPlain =
      bytes.allSatisfy(\.isPrintableASCII) && bytes.first != 0x20 && bytes.last != 0x20
      && !(bytes.starts(with: "=?base64?".utf8) && bytes.suffix(2).elementsEqual("?=".utf8))
    return isPlain ? value : "=?base64?\(Base64.encode(bytes))?="
  }
}

/// The tool arguments sent in header fields (`x-mcp-header` in schemas, revision 2026-07-28).
struct MCPToolFields {
  /// Each argument's path and its field name's suffix, by tool.
  private var annotatedArguments: [String: [(path: [String], name: String)]] = [:]

  private static let maximumTools = 4096
  /// A tool with more is omitted.
  private static let maximumAnnotations = 256
  private static let annotation = "x-mcp-header"
  /// Keywords other than `properties`. Their subschemas must not be annotated.
  private static let otherSchemaKeywords = [
    "items", "contains", "unevaluatedItems", "additionalProperties", "propertyNames", "unevaluatedProperties", "not",
    "if",
    "then", "else", "contentSchema", "allOf", "anyOf", "oneOf", "prefixItems", "patternProperties", "dependentSchemas",
    "$defs", "definitions",
  ]

  /// Like ``MCPSession/recordTools(in:to:)``. `startsList` is set for a list's first page.
  mutating func recordTools(_ answer: MCPMessage, startsList: Bool) -> (MCPMessage, omitted: [String]) {
    guard let tools = answer.value(["result", "tools"])?.array else { return (answer, []) }
    if startsList { annotatedArguments = [:] }
    var kept: [JSON] = []
    var omitted: [String] = []
    for tool in tools {
      guard let name = tool["name"]?.string else {
        kept.append(tool)
        continue
      }
      var found: [(path: [String], name: String)] = []
      guard Self.collectAnnotations(tool["inputSchema"], [], &found) else {
        omitted.append(name)
        continue
      }
      kept.append(tool)
      if !found.isEmpty, annotatedArguments.count < Self.maximumTools { annotatedArguments[name] = found }
    }
    guard !omitted.isEmpty, var result = answer.value(["result"])?.object, let id = answer.id else {
      return (answer, [])
    }
    result["tools"] = .array(kept)
    return ((try? MCPMessage(JSON.object(MCPMessage.answer(id, result)).serialized())) ?? answer, omitted)
  }

  /// Collects a schema's annotations. Returns false if one is invalid.
  private static func collectAnnotations(
    _ schema: JSON?, _ path: [String], _ found: inout [(path: [String], name: String)]
  ) -> Bool {
    guard let schema = schema?.object else { return true }
    if let annotation = schema[annotation] {
      guard !path.isEmpty, found.count < maximumAnnotations, let name = annotation.string, isToken(name),
        ["string", "integer", "boolean"].contains(schema["type"]?.string ?? ""),
        !found.contains(where: { $0.name.lowercased().hasSameBytes(as: name.lowercased()) })
      else { return false }
      found.append((path, name))
    }
    for keyword in otherSchemaKeywords where schema[keyword].map(hasAnnotation) ?? false { return false }
    let properties = schema["properties"]?.object ?? JSONObject()
    return zip(properties.names, properties.values).allSatisfy { collectAnnotations($1, path + [$0], &found) }
  }

  private static func hasAnnotation(_ schemas: JSON) -> Bool {
    if let array = schemas.array { return array.contains(where: hasAnnotation) }
    guard let object = schemas.object else { return false }
    return object[annotation] != nil || object.values.contains(where: hasAnnotation)
  }

  /// Accepts tokens (RFC 9110 section 5.6.2) of at most 48 bytes.
  private static func isToken(_ name: String) -> Bool {
    (1...48).contains(name.utf8.count)
      && name.utf8.allSatisfy(\.isTokenCharacter)
  }

  /// The name suffixes and values of a tool call's header fields.
  func fields(of call: MCPMessage) -> [(String, String)] {
    guard let name = call.parameter("name")?.string, let annotatedArguments = annotatedArguments[name],
      let arguments = call.parameter("arguments")
    else { return [] }
    return annotatedArguments.compactMap { argument in
      var value: JSON? = arguments
      for name in argument.path { value = value?[name] }
      return Self.fieldValue(value).map { (argument.name, $0) }
    }
  }

  /// Nil unless the argument is a string, Boolean or number.
  private static func fieldValue(_ value: JSON?) -> String? {
    switch value {
    case .string(let text): text
    case .bool(let flag): flag ? "true" : "false"
    case .number(let number): number.text
    case .null, .array, .object, nil: nil
    }
  }
}

/// Lists the tools after a call was refused for its header fields (revision 2026-07-28, `HeaderMismatch`).
struct MCPToolsRequest {
  let call: MCPClientMessage
  /// Sent to the client if the server does not list its tools.
  let refusal: MCPMessage
  /// The request for one page of the list.
  let message: MCPMessage
  private let pageNumber: Int

  private static let maximumPages = 16
  /// The codes of `HeaderMismatch`; the second is from drafts.
  private static let mismatchCodes: [JSON] = [-32020, -32001]

  /// Nil unless `refusal` is a header mismatch of a tool call not yet repeated.
  init?(for call: MCPClientMessage, refusedBy refusal: MCPMessage) {
    guard call.isModern, !call.isRepeated, call.message.hasMethod("tools/call"),
      let code = refusal.value(["error", "code"]), Self.mismatchCodes.contains(code)
    else { return nil }
    self.init(call, refusal, cursor: nil, pageNumber: 1)
  }

  /// Nil after the final page.
  func next(after answer: MCPMessage) -> MCPToolsRequest? {
    guard let cursor = answer.value(["result", "nextCursor"]), cursor.string != nil, pageNumber < Self.maximumPages
    else {
      return nil
    }
    return MCPToolsRequest(call, refusal, cursor: cursor, pageNumber: pageNumber + 1)
  }

  private init?(_ call: MCPClientMessage, _ refusal: MCPMessage, cursor: JSON?, pageNumber: Int) {
    var parameters = JSONObject()
    var meta = call.message.parameter("_meta")?.object
    meta?["progressToken"] = nil
    parameters["_meta"] = meta.map { .object($0) }
    parameters["cursor"] = cursor
    let request = MCPMessage.request("\(MCPSignIns.prefix)tools-\(pageNumber)", "tools/list", parameters)
    guard let message = try? MCPMessage(JSON.object(request).serialized()) else { return nil }
    (self.call, self.refusal, self.message, self.pageNumber) = (call, refusal, message, pageNumber)
  }
}
