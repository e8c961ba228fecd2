import Crypto
import Encoding

/// Resources for trying out programs that send requests with a token.
extension AuthorizationServer {
  private static let statusRange = 200...599
  private static let paddingRange = 0...(8 * 1024 * 1024)

  /// Tells what came: method, path, query, header fields but for the token, and a digest of the
  /// content. The query can ask for a `status`, and for an answer with so many bytes of `padding`.
  func echo(_ request: Request) throws(OAuthFailure) -> Response {
    count(.echoes)
    let parameters = try? Parameters(query: request)
    let status = parameters?["status"].flatMap { ASCII.number($0, in: Self.statusRange) }
    let padding = parameters?["padding"].flatMap { ASCII.number($0, in: Self.paddingRange) }
    let digest = try checked { () throws(CryptoError) in try Digest.sha256.hash(request.body.span) }
    var response = protected(request) { (_, grant) in
      var members: JSONObject = [
        "subject": .string(grant.subject), "method": .string(request.head.methodName), "path": .string(request.path),
        "headers": Self.description(of: request.headers), "body_bytes": .int(request.body.count),
        "body_sha256": .string(Self.hexadecimal(digest)),
      ]
      if let query = request.head.query { members["query"] = .string(query) }
      if let padding { members["padding"] = .string(String(repeating: "x", count: padding)) }
      return .json(.object(members), status: status ?? 200)
    }
    if request.head.methodName == "HEAD" { response.delivery = .head }
    return response
  }

  /// Sends the client elsewhere, with the status that the query asks for or 307.
  func redirectElsewhere(_ request: Request) -> Response {
    let target = withState { (state) -> String in
      state.count(.redirects)
      return state.settings.redirectTarget
    }
    let parameters = try? Parameters(query: request)
    let status = parameters?["status"].flatMap { ASCII.number($0, in: 300...308) } ?? 307
    var response = Response(status: status, headers: [("Location", target), ("Cache-Control", "no-store")])
    if request.head.methodName == "HEAD" { response.delivery = .head }
    return response
  }

  /// All fields but the one with the token, as a list of values for each name.
  private static func description(of headers: HeaderFields) -> JSON {
    var result = JSONObject()
    for field in headers.fields where field.name != "authorization" {
      result[field.name] = .array((result[field.name]?.array ?? []) + [.string(field.value)])
    }
    return .object(result)
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
