internal import Encoding
internal import Wire

/// What came of one token, on one line for a person. Nothing in it acts on a terminal.
enum VerdictText {
  /// The longest value that is shown, in characters.
  private static let valueLimit = 100

  /// - Parameter now: Unix seconds.
  static func text(_ verdict: JSON, now: Int) -> String {
    guard verdict["valid"]?.bool == true else {
      let code = TerminalText.clean(verdict["code"]?.string ?? FailureCode.internalError.rawValue, limit: valueLimit)
      return "not valid (\(code)): \(TerminalText.clean(verdict["message"]?.string ?? "no reason", limit: 400))\n"
    }
    var facts = [verdict["header"]?["alg"]?.string ?? "signed"]
    func add(_ title: String, _ value: String?) {
      if let value { facts.append("\(title) \(TerminalText.clean(value, limit: valueLimit))") }
    }
    add("key", verdict["header"]?["kid"]?.string)
    if let claims = verdict["claims"] {
      add("issuer", claims["iss"]?.string)
      add("subject", claims["sub"]?.string)
      let end = claims["exp"]?.number?.rounded(.down)
      facts.append(end.map { "expires \(PlainTime.distance(to: $0, now: now))" } ?? "never expires")
    } else {
      facts.append("nothing but the signature was checked")
    }
    return "valid: \(facts.joined(separator: ", "))\n"
  }
}
