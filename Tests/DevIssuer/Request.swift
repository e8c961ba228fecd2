/// One whole request.
struct Request: Sendable, Hashable {
  /// What endpoints tell apart. All else is `other`.
  enum Method: String, Sendable, Hashable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
    case other = "?"

    init(_ name: String) {
      self = Method(rawValue: name) ?? .other
    }
  }

  let head: RequestHead
  let body: [UInt8]

  var method: Method { head.method }
  /// As it was sent.
  var methodName: String { head.methodName }
  var path: String { head.path }
  var headers: HeaderFields { head.headers }

  /// The media type of the content in lower case, without parameters.
  var mediaType: String? {
    headers["content-type"]?.split(separator: ";").first.map { ASCII.trimmed($0).lowercased() }
  }
}
