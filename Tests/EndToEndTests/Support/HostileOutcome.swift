import Encoding
import Platform
import TestSupport

extension HostileRow {
  /// What came of an attack, or must come of it.
  enum Outcome: Sendable, Hashable {
    case accepted
    /// With this failure code, exit status and message, in which the server is called `SERVER`.
    case refused(String, Int32, String)

    /// - Parameter server: The URL that stands for `SERVER`.
    static func refused(_ code: String, _ status: Int32, _ message: String, at server: String) -> Outcome {
      .refused(code, status, message.replacing(server, with: "SERVER"))
    }

    /// What a command with `--json` came to.
    init(_ result: ProcessResult, at server: String) {
      self =
        switch result.status {
        case .exited(0): .accepted
        case .exited(let status):
          .refused(result.failureCode ?? "none", status, result.failureMessage ?? "none", at: server)
        case .signalled(let signal): .refused("signal \(signal)", -1, "")
        }
    }

    /// What a command tells of that succeeds.
    var aside: Outcome {
      if case .refused(let code, _, let message) = self { .refused(code, 0, message) } else { .accepted }
    }
  }
}

/// Whom the messages speak of.
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

  /// The status of an answer that is as it should be.
  private var success: Int { self == .par || self == .registration ? 201 : 200 }

  /// What must come of a body that is not what it should be.
  func outcome(of body: String) -> HostileRow.Outcome {
    switch body {
    case "crumbs": .accepted
    case "two_lengths": malformed()
    case "huge", "flood", "endless": .misbehaved("the answer of \(rawValue) is too large")
    case "redirect": redirect(307)
    case "two_locations": redirect(302)
    case "drop", "truncated": .unreachable("the connection to \(rawValue) broke off")
    case "empty", "html", "array", "deep", "bomb", "type", "two_types":
      self == .metadata ? .noMetadata : malformed(success)
    default: .refused("no such body", -1, body)
    }
  }

  func malformed(_ status: Int? = nil, _ member: String? = nil) -> HostileRow.Outcome {
    let place = rawValue + (member.map { " (\($0))" } ?? "")
    return .misbehaved("the answer of \(place) is malformed" + Self.told(status))
  }

  private func redirect(_ status: Int) -> HostileRow.Outcome {
    // Public documents may be elsewhere at the same server, so their redirects are looked at.
    let told = self == .metadata || self == .jwks ? "" : Self.told(status)
    return .misbehaved("\(rawValue) answered with a redirect that is not followed" + told)
  }

  /// - Parameters:
  ///   - detail: The error code, or the status.
  ///   - description: What the server says of it.
  func unavailable(_ detail: String, _ description: String? = nil) -> HostileRow.Outcome {
    let told = description.map { ": \($0)" } ?? ""
    return .refused("server_unavailable", 4, "\(rawValue) is not available at the moment (\(detail))\(told)")
  }

  private static func told(_ status: Int?) -> String { status.map { " (HTTP status \($0))" } ?? "" }
}

extension HostileRow.Outcome {
  static func rejected(_ reason: String) -> Self {
    .refused("id_token_rejected", 1, "the ID Token was rejected: \(reason)")
  }
  static func misbehaved(_ message: String) -> Self { .refused("server_misbehaved", 1, message) }
  static func unreachable(_ message: String) -> Self { .refused("network", 4, message) }
  static func other(_ what: String) -> Self {
    .refused("identity_changed", 3, "the server answered for another \(what)")
  }

  static func notRevoked(_ reason: Self) -> Self {
    guard case .refused(_, _, let message) = reason else { return .accepted }
    return .refused("not_revoked", 0, "the server may still honour the tokens: \(message)")
  }

  static let otherUser = other("user than the one signed in to work")
  /// Of a session that ended in this way, however it did.
  static let otherIdentity = other("user or client than the one signed in to work")
  static let otherSignIn = other("sign-in than that of work")
  static let signedOut = Self.refused("signed_out", 3, "work is signed out")
  static let expired = Self.refused("session_expired", 3, "Session expired, please sign in again")
  static let noMetadata = Self.refused(
    "invalid_configuration", 1, "no metadata was found for the issuer (HTTP status 200)")
}
