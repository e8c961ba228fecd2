internal import Encoding
internal import Wire

/// Describes requests for `--verbose`, without secrets.
enum RequestText {
  static func text(_ request: Request, timeoutSeconds: Int?) -> String {
    var text = request.properties.name
    if let account = account(of: request) { text += " for the account \(account)" }
    if case .token(let token) = request {
      if token.forceRefresh { text += ", a new one" }
      if let seconds = token.minimumValiditySeconds { text += ", good for \(DurationText.text(seconds: seconds)) more" }
    }
    if case .call(let call) = request { text += ", \(call.method) \(origin(of: call.url))" }
    if case .discover(let request) = request { text += ", \(origin(of: request.url))" }
    if case .verify(let request) = request, let issuer = request.issuer {
      text += ", the keys of \(origin(of: issuer))"
    }
    if let timeoutSeconds { text += ", within \(DurationText.text(seconds: timeoutSeconds))" }
    return text
  }

  /// Path and query may be secret.
  private static func origin(of url: String) -> String {
    guard let uri = try? URI(url) else { return "a URL that is not valid" }
    return uri.origin
  }

  private static func account(of request: Request) -> String? {
    (try? JSON(parsing: RequestEnvelope(request).serialized()))?["account"]?.string
  }
}
