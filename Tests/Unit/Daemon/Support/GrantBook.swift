import Encoding

/// The grants of a server with single-use refresh tokens, and the use of the tokens.
struct GrantBook: Sendable {
  /// The server's response to one token request.
  enum End: String, Sendable, CaseIterable {
    case rotation, sameToken, ended, unavailable, lost
  }

  struct Planned: Sendable {
    /// Nil if lost.
    let answer: PlayedServer.Answer?
  }

  /// The refresh tokens that were issued, but neither spent nor revoked.
  private(set) var live: Set<String> = ["rt-1"]
  /// The tokens sent after being spent, except those whose response was lost.
  private(set) var reused: [String] = []
  private var spent: Set<String> = []
  /// The tokens whose response was lost, with the tokens in that response.
  private(set) var lost: [String: String] = [:]
  private var last = 1
  /// The responses to the next requests, followed by ``End/rotation``.
  var ends: [End] = []
  /// Whether the user has approved the device code.
  var isApproved = true

  /// Adds a grant whose refresh token was issued to another program.
  mutating func add(_ token: String) { live.insert(token) }

  mutating func revoke(_ token: String) { live.remove(token) }

  mutating func answer(to grantType: String, _ token: String, from client: String) -> Planned {
    let end = ends.isEmpty ? .rotation : ends.removeFirst()
    if grantType.contains("token-exchange") {
      return Planned(answer: end == .unavailable ? .status(503) : .json(access(client, nil)))
    }
    if grantType.contains("device_code") {
      guard isApproved else { return Planned(answer: .error("authorization_pending")) }
      if end == .unavailable { return Planned(answer: .status(503)) }
      return end == .lost ? lose(nil) : Planned(answer: .json(access(client, issue())))
    }
    if end == .unavailable { return Planned(answer: .status(503)) }
    if let replacement = lost[token] {
      // A server that tolerates the loss issues another token (RFC 9700 section 4.14.2).
      live.remove(replacement)
      lost[token] = nil
      live.insert(token)
    } else if !live.contains(token) {
      if spent.contains(token) { reused.append(token) }
      return Planned(answer: .error("invalid_grant"))
    }
    switch end {
    case .sameToken: return Planned(answer: .json(access(client, nil)))
    case .ended:
      live.remove(token)
      return Planned(answer: .error("invalid_grant"))
    case .lost:
      live.remove(token)
      spent.insert(token)
      return lose(token)
    default:
      live.remove(token)
      spent.insert(token)
      return Planned(answer: .json(access(client, issue())))
    }
  }

  private mutating func issue() -> String {
    last += 1
    live.insert("rt-\(last)")
    return "rt-\(last)"
  }

  private mutating func lose(_ token: String?) -> Planned {
    let replacement = issue()
    if let token { lost[token] = replacement } else { live.remove(replacement) }
    return Planned(answer: nil)
  }

  private func access(_ client: String, _ refreshToken: String?) -> JSONObject {
    var answer: JSONObject = [
      "access_token": .string("at-\(last)-\(client)"), "token_type": "Bearer", "expires_in": 3600,
      "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
    ]
    answer["refresh_token"] = refreshToken.map { .string($0) }
    return answer
  }
}
