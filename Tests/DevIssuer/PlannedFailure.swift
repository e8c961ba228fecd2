import Encoding

/// Answers of an endpoint that are failures whatever is asked; nothing is carried out.
struct PlannedFailure: Sendable, Hashable {
  var remaining: Int
  let status: Int
  /// The `error` member.
  let error: String
  /// Whole seconds for the Retry-After field (RFC 9110 section 10.2.3).
  let retryAfter: Int?

  var response: Response {
    var response = Response.json(["error": .string(error)], status: status)
    if let retryAfter { response.headers.append(("Retry-After", "\(retryAfter)")) }
    return response
  }
}
