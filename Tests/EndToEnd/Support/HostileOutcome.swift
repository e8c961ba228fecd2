import Encoding
import Platform
import TestSupport

extension HostileRow {
  enum Outcome: Sendable, Hashable {
    case accepted
    /// The failure code, exit status and message. The hint follows a semicolon.
    case refused(String, Int32, String)

    private static var keyWait: Regex<(Substring, Substring)> {
      /((?:stored|publishes|usable key|is published).*try again) in (?:60|[1-5]?[0-9]) s/
    }
    private static var longWait: Regex<Substring> { /in (?:300|[12][0-9][0-9]) s/ }

    /// Reads the result of a command with `--json`.
    ///
    /// - Parameter names: Placeholders for URLs in the messages.
    init(_ result: ProcessResult, _ names: [(url: String, name: String)]) {
      switch result.status {
      case .exited(0): self = .accepted
      case .exited(let status): self.init(result.failure, status, names)
      case .signalled(let signal): self = .refused("signal \(signal)", -1, "")
      }
    }

    init(_ failure: JSON?, _ status: Int32, _ names: [(url: String, name: String)]) {
      var message = failure?["message"]?.string ?? "none"
      if let hint = failure?["hint"]?.string { message += "; " + hint }
      for (url, name) in names {
        message.replace(url, with: name)
        if let host = try? URI(url).authority { message.replace(host, with: "\(name)'s HOST") }
      }
      // The wait until keys may be fetched again: the rest of a minute.
      message.replace(Self.keyWait) { "\($0.output.1) in a minute" }
      message.replace(Self.longWait, with: "in five minutes")
      // The server's description of why the session ended.
      if failure?["code"]?.string == "session_expired" { message.replace(#/ \(server: [^)]*\)/#, with: "") }
      for account in ["work: ", "new: "] where message.hasPrefix(account) { message.removeFirst(account.count) }
      self = .refused(failure?["code"]?.string ?? "none", status, message)
    }

    /// The failure that a successful command reported in its output.
    var aside: Outcome {
      if case .refused(let code, _, let message) = self { .refused(code, 0, message) } else { .accepted }
    }
  }
}

/// The endpoints, as named in messages.
enum HostileEndpoint: String, Sendable {
  case token = "the token endpoint"
  case device = "the device authorization endpoint"
  case par = "the pushed authorization request endpoint"
  case authorization = "the authorization endpoint"
  case revocation = "the revocation endpoint"
  case userinfo = "the UserInfo endpoint"
  case registration = "the client registration endpoint"
  case metadata = "the metadata endpoint"
  case jwks = "the JWK Set endpoint"
  case resource = "SERVER"

  /// The HTTP status of a correct response.
  private var success: Int { self == .par || self == .registration ? 201 : 200 }

  /// The expected result for an incorrect body.
  func outcome(of body: String) -> HostileRow.Outcome {
    switch body {
    case "crumbs": .accepted
    case "two_lengths": malformed()
    // These responses cannot be repeated, so the fields beyond the limit are dropped.
    case "flood" where self == .token || self == .registration: .accepted
    case "huge", "flood", "endless": .misbehaved("the answer of \(rawValue) is too large")
    case "redirect": redirect(307, "it leads to ELSEWHERE")
    case "two_locations": redirect(302, nil)
    case "drop", "truncated": .unreachable("the connection to SERVER's HOST was interrupted")
    // The type of public documents is ignored, because servers use many. A JSON object comes from the server itself.
    case "type": isDocument ? .accepted : malformed(success, nil, ": text/plain")
    case "two_types": isDocument ? .accepted : malformed(success)
    case "html": self == .metadata ? .noMetadata : isDocument ? malformed(success) : notJSON("text/html")
    case "empty", "array", "deep", "bomb": malformed(self == .metadata ? nil : success)
    default: .refused("no such body", -1, body)
    }
  }

  func malformed(_ status: Int? = nil, _ member: String? = nil, _ words: String = "") -> HostileRow.Outcome {
    let place = rawValue + (member.map { " (\($0))" } ?? "")
    return .misbehaved("the answer of \(place) is malformed" + Self.told(status) + words)
  }

  private var isDocument: Bool { self == .metadata || self == .jwks }

  private func redirect(_ status: Int, _ target: String?) -> HostileRow.Outcome {
    // Redirects of public documents within the same server are followed.
    let told = (isDocument ? "" : Self.told(status)) + (target.map { ": \($0)" } ?? "")
    return .misbehaved("\(rawValue) answered with a redirect that is not followed" + told)
  }

  private func notJSON(_ type: String?) -> HostileRow.Outcome {
    let told = Self.told(success) + (type.map { ": \($0)" } ?? "")
    let hint = "a proxy may have answered, or the sign-in page of a network: open any page in a browser, and try again"
    return .refused("server_unavailable", 4, "\(rawValue) did not answer with JSON\(told); \(hint)")
  }

  /// - Parameters:
  ///   - detail: The error code, or the status.
  ///   - description: The server's description.
  ///   - wait: How long the server gets no requests.
  func unavailable(_ detail: String, _ description: String? = nil, wait: String? = nil) -> HostileRow.Outcome {
    let told = (description.map { ": \($0)" } ?? "") + (wait.map { "; try again in \($0)" } ?? "")
    return .refused("server_unavailable", 4, "\(rawValue) is not available at the moment (\(detail))\(told)")
  }

  private static func told(_ status: Int?) -> String { status.map { " (HTTP status \($0))" } ?? "" }
}

extension HostileRow.Outcome {
  static func rejected(_ reason: String) -> Self {
    .refused("id_token_rejected", 1, "the ID Token was rejected: \(reason)")
  }
  static let keyNotPublished = Self.refused(
    "server_unavailable", 4,
    "the ID Token was not signed with any usable key of the server;"
      + " try again in a minute, when the keys are fetched again; if the error remains, the server must publish its key"
  )
  static let keySecret = keyUnusable("its key is published with its private or symmetric part")
  static let keyWeak = keyUnusable("its key is published but too weak")
  private static func keyUnusable(_ reason: String) -> Self {
    .refused(
      "server_unavailable", 4,
      "the ID Token was rejected: \(reason);"
        + " try again in a minute, when the keys are fetched again; if the error remains, the server must replace its key"
    )
  }
  static func misbehaved(_ message: String) -> Self { .refused("server_misbehaved", 1, message) }
  static func unreachable(_ message: String) -> Self { .refused("network", 4, message) }

  /// The result of a defect after the tokens, which are kept.
  var withTokensKept: Self {
    guard case .refused(let code, let status, let message) = self else { return self }
    let problem = message.split(separator: ";")[0]
    return .refused(code, status, problem + "; the server's answer was stored: try again in a minute")
  }

  /// The result for a sign-in to an account that already has a session.
  var leavingOther: Self {
    guard case .refused(let code, let status, let message) = self, let end = message.firstIndex(of: ";") else {
      return self
    }
    return .refused(code, status, message[..<end] + "; the new session still exists at the server" + message[end...])
  }

  static func notRevoked(_ reason: Self) -> Self {
    guard case .refused(_, let status, let message) = reason else { return .accepted }
    let cause = message.split(separator: ";")[0]
    let later = status == 4 ? "; revocation is retried for a day" : ""
    return .refused("not_revoked", 0, "the server may still accept the tokens: \(cause)\(later)")
  }

  static let otherUser = Self.refused(
    "identity_changed", 3,
    "the server answered for a different user than the one signed in to work;"
      + " to change the user: agent logout work && agent login work")
  static let otherClient = Self.refused(
    "identity_changed", 3,
    "the server answered for a different client than the one signed in to work;"
      + " to change the user: agent logout work && agent login work")
  static let otherSignIn = Self.refused(
    "identity_changed", 3,
    "the server answered for a different sign-in to work;"
      + " if that is right: agent logout work && agent login work")
  static let signedOut = Self.refused("signed_out", 3, "work is signed out; agent login work")
  static let expired = Self.refused(
    "session_expired", 3, "session expired, please sign in again; agent login work")
  static let noMetadata = Self.refused(
    "invalid_configuration", 1,
    "no metadata was found at SERVER/.well-known/openid-configuration (HTTP status 200); check the issuer's URL")
}
