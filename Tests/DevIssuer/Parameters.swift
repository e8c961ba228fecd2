import Encoding

/// The parameters of a form or a query. Every value is printable ASCII, as RFC 6749 appendix A
/// has it, so `==` on them compares bytes.
struct Parameters: Sendable {
  /// The only parameters that may come more than once (RFC 8707 section 2, RFC 8693 section 2.1).
  private static let repeatable = ["resource", "audience"]

  private let values: [String: [String]]

  /// Reads the content of a POST (RFC 6749 section 3.2: no parameter twice; one without a value
  /// counts as absent).
  init(form request: Request) throws(OAuthFailure) {
    guard request.mediaType == "application/x-www-form-urlencoded" else {
      throw OAuthFailure(.invalidRequest, "the content must be a form")
    }
    try self.init(encoded: request.body)
  }

  /// Reads the query of a GET.
  init(query request: Request) throws(OAuthFailure) {
    try self.init(encoded: Array((request.head.query ?? "").utf8))
  }

  private init(encoded bytes: [UInt8]) throws(OAuthFailure) {
    let fields: [FormField]
    do throws(FormError) {
      fields = try Form.parse(bytes.span, repeatable: Self.repeatable)
    } catch {
      throw OAuthFailure(.invalidRequest, "the parameters are malformed or one comes twice")
    }
    var values: [String: [String]] = [:]
    for field in fields where !field.value.isEmpty {
      guard field.name.utf8.allSatisfy(ASCII.isVisible), field.value.utf8.allSatisfy(ASCII.isPrintable) else {
        throw OAuthFailure(.invalidRequest, "a parameter has characters that are not allowed")
      }
      values[field.name, default: []].append(field.value)
    }
    self.values = values
  }

  var names: [String] { values.keys.sorted() }

  subscript(name: String) -> String? { values[name]?.first }

  /// The values of a parameter that may come more than once, in order.
  func all(_ name: String) -> [String] { values[name] ?? [] }

  func required(_ name: String) throws(OAuthFailure) -> String {
    guard let value = self[name] else { throw OAuthFailure(.invalidRequest, "\(name) is missing") }
    return value
  }
}
