/// One whole request.
struct Request: Sendable, Hashable {
  enum Method: Sendable, Hashable {
    case get, post, other

    init(_ name: String) {
      switch name {
      case "GET": self = .get
      case "POST": self = .post
      default: self = .other
      }
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
