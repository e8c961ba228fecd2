import Encoding

struct IssuerAnswer: Sendable {
  /// Raw values are names of faults.
  enum Delivery: String, Sendable, CaseIterable {
    case whole
    /// The head and half of the content, then the connection's end.
    case truncated
    case drop
    /// Endless chunks (RFC 9112 section 7.1).
    case endless
    /// Everything, in chunks of one byte.
    case crumbs
  }

  /// Creates a token in compact form.
  typealias Signer = @Sendable (_ header: JSONObject, _ payload: [UInt8]) throws -> String

  var status: Int
  var headers: [(name: String, value: String)] = []
  var body: [UInt8] = []
  var delivery = Delivery.whole
  /// Signs the ID Token in the response again.
  var signer: Signer?

  /// Cacheable only with a lifetime in seconds (RFC 6749 section 5.1).
  static func json(_ members: JSONObject, status: Int = 200, cachedFor seconds: Int? = nil) -> IssuerAnswer {
    content("application/json", JSON.object(members).serialized(), status)
      .with("Cache-Control", seconds.map { "max-age=\($0)" } ?? "no-store")
  }

  static func text(_ text: String, status: Int) -> IssuerAnswer {
    content("text/plain; charset=utf-8", Array((text + "\n").utf8), status)
  }

  static func content(_ type: String, _ body: [UInt8], _ status: Int) -> IssuerAnswer {
    IssuerAnswer(status: status, headers: [("Content-Type", type), ("Cache-Control", "no-store")], body: body)
  }

  static func empty(_ status: Int) -> IssuerAnswer {
    IssuerAnswer(status: status, headers: [("Cache-Control", "no-store")])
  }

  /// A copy in which this field replaces all fields of its name.
  func with(_ name: String, _ value: String?) -> IssuerAnswer {
    var answer = self
    answer[header: name] = value
    return answer
  }

  /// The first value of a field. Setting it replaces all.
  subscript(header name: String) -> String? {
    get { headers.first { $0.name == name }?.value }
    set {
      headers.removeAll { $0.name == name }
      if let newValue { headers.append((name, newValue)) }
    }
  }

  /// The JSON object in the content, or an empty one.
  var members: JSONObject {
    get { (try? JSON(parsing: body))?.object ?? [:] }
    set { body = JSON.object(newValue).serialized() }
  }

  /// The response as bytes (RFC 9112 section 4).
  ///
  /// - Parameter withContent: False for HEAD (RFC 9110 section 9.3.2).
  func serialized(date: Int, keepsAlive: Bool, withContent: Bool = true) -> [UInt8] {
    if delivery == .drop { return [] }
    var fields = [("Date", Self.date(date))] + headers + [("X-Content-Type-Options", "nosniff")]
    if delivery == .endless || delivery == .crumbs {
      fields.append(("Transfer-Encoding", "chunked"))
    } else if status != 204 {
      // RFC 9110 section 8.6.
      fields.append(("Content-Length", "\(body.count)"))
    }
    fields.append(("Connection", keepsAlive ? "keep-alive" : "close"))
    let head =
      "HTTP/1.1 \(status) \(status == 200 ? "OK" : "")\r\n" + fields.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
    return Array(head.utf8) + (withContent ? content : [])
  }

  private var content: [UInt8] {
    switch delivery {
    case .whole, .drop: body
    case .truncated: Array(body.prefix(body.count / 2))
    case .endless: Self.chunk(Array("{\"padding\":\"".utf8))
    case .crumbs: body.flatMap { Self.chunk([$0]) } + Self.chunk([])
    }
  }

  /// A chunk (RFC 9112 section 7.1), which is the last if empty.
  static func chunk(_ content: [UInt8]) -> [UInt8] {
    Array("\(String(content.count, radix: 16))\r\n".utf8) + content + [0x0D, 0x0A]
  }

  /// A date as IMF-fixdate (RFC 9110 section 5.6.7).
  private static func date(_ unixSeconds: Int) -> String {
    let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let seconds = max(0, unixSeconds)
    // "2026-01-31T12:34:56Z"
    let parts = Timestamp.rfc3339(seconds).split { "-TZ".contains($0) }
    let month = months[(Int(parts[1]) ?? 1) - 1]
    return "\(days[seconds / 86_400 % 7]), \(parts[2]) \(month) \(parts[0]) \(parts[3]) GMT"
  }
}

/// An error response (RFC 6749 section 5.2, and specifications with the same format).
struct Refusal: Error, Sendable {
  /// Asymmetric algorithms that are not weak (RFC 9449 section 5.1).
  static let proofAlgorithms = ["ES256", "ES384", "ES512", "PS256", "RS256", "EdDSA", "Ed25519"]

  let code: String
  /// For developers, in printable ASCII.
  let description: String
  var answer: IssuerAnswer

  init(_ code: String, _ description: String, status: Int? = nil) {
    (self.code, self.description) = (code, description)
    let members: JSONObject = ["error": .string(code), "error_description": .string(description)]
    answer = .json(members, status: status ?? (code == "invalid_client" ? 401 : 400))
    if code == "invalid_client" { answer[header: "WWW-Authenticate"] = "Basic realm=\"devissuer\"" }
  }

  /// The response to an unreadable request (RFC 9110 section 15, RFC 6585 section 5).
  init(unreadable status: Int) {
    self.init("invalid_request", "This request cannot be read.")
    answer = .text(description, status: status)
  }

  /// Requests a proof with this nonce (RFC 9449 section 8).
  init(nonce: String) {
    self.init("use_dpop_nonce", "use the nonce of this answer")
    answer[header: "DPoP-Nonce"] = nonce
  }

  /// A resource's challenge (RFC 6750 section 3, RFC 9449 section 7.1).
  ///
  /// - Parameter attributes: Further ones, each after a comma and a space.
  static func challenge(
    _ code: String?, _ description: String = "", scheme: String = "Bearer", status: Int = 401, _ attributes: String = ""
  ) -> Refusal {
    var refusal = Refusal(code ?? "", description)
    let error = code.map { ", error=\"\($0)\"" } ?? ""
    let text = description.isEmpty ? "" : ", error_description=\"\(description)\""
    let proofs = scheme == "DPoP" ? ", algs=\"\(proofAlgorithms.joined(separator: " "))\"" : ""
    refusal.answer = .text("Access to this resource needs a valid access token.", status: status)
    refusal.answer[header: "WWW-Authenticate"] = "\(scheme) realm=\"devissuer\"\(error)\(text)\(proofs)\(attributes)"
    return refusal
  }
}

/// Throws an error response unless `holds` is true.
func check(_ holds: Bool, _ code: String, _ description: String) throws {
  if !holds { throw Refusal(code, description) }
}

/// The value, or throws an error response if nil.
func check<Value>(_ value: Value?, _ code: String, _ description: String) throws -> Value {
  guard let value else { throw Refusal(code, description) }
  return value
}
