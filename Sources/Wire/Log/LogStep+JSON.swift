internal import Encoding
internal import Vocabulary

extension LogStep {
  /// The `event` member.
  var name: String {
    switch self {
    case .tokenServed: "token_served"
    case .servedOffline: "served_offline"
    case .refreshNeeded: "refresh_needed"
    case .refreshJoined: "refresh_joined"
    case .recordChanged: "record_changed"
    case .session(.waitedForAccount): "waited_for_account"
    case .session(.recordRead): "record_read"
    case .session(.recordWritten): "record_written"
    case .session(.documentKept): "document_kept"
    case .session(.keysDoubted): "keys_doubted"
    case .session(.metadataDoubted): "metadata_doubted"
    case .session(.answered): "answered"
    case .unanswered: "unanswered"
    case .session(.idTokenVerified): "id_token_verified"
    case .identityKnown: "identity_known"
    case .signInPending: "sign_in_pending"
    }
  }

  /// Writes the members that go with ``name``.
  func addMembers(to object: inout JSONObject) {
    switch self {
    case .servedOffline, .refreshJoined, .recordChanged, .identityKnown,
      .session(.recordRead), .session(.recordWritten), .session(.keysDoubted), .session(.metadataDoubted):
      break
    case .tokenServed(let left): object["seconds_left"] = left.map { .int($0) }
    case .refreshNeeded(let reason): reason.addMembers(to: &object)
    case .session(.waitedForAccount(let time)): object["duration_ms"] = .int(time)
    case .session(.documentKept(let endpoint, let age)):
      object["endpoint"] = .string(endpoint.rawValue)
      object["seconds"] = .int(age)
    case .session(.answered(let line, let status, let time)):
      line.addMembers(to: &object)
      object["status"] = .int(status)
      object["duration_ms"] = .int(time)
    case .unanswered(let line, let code, let problem, let time):
      line.addMembers(to: &object)
      object["result"] = .string(code.rawValue)
      object["cause"] = problem.map { .string($0.rawValue) }
      object["duration_ms"] = .int(time)
    case .session(.idTokenVerified(let algorithm)): object["algorithm"] = .string(algorithm.rawValue)
    case .signInPending(let seconds): object["seconds"] = .int(seconds)
    }
  }

  /// Reads ``name`` and its members; nil for a step that this build does not know.
  init?(_ json: JSON) {
    func number(_ member: String) -> Int? { json[member]?.int }
    func word<Word: RawRepresentable<String>>(_ member: String) -> Word? {
      json[member]?.string.flatMap { Word(rawValue: $0) }
    }
    let endpoint: EndpointRole? = word("endpoint")
    let step: LogStep? =
      switch json["event"]?.string {
      case "token_served": .tokenServed(secondsLeft: number("seconds_left"))
      case "served_offline": .servedOffline
      case "refresh_needed": RefreshReason(json).map { .refreshNeeded($0) }
      case "refresh_joined": .refreshJoined
      case "record_changed": .recordChanged
      case "waited_for_account": number("duration_ms").map { .session(.waitedForAccount(milliseconds: $0)) }
      case "record_read": .session(.recordRead)
      case "record_written": .session(.recordWritten)
      case "document_kept":
        endpoint.flatMap { endpoint in number("seconds").map { .session(.documentKept(endpoint, ageSeconds: $0)) } }
      case "keys_doubted": .session(.keysDoubted)
      case "metadata_doubted": .session(.metadataDoubted)
      case "answered":
        RequestLine(json).flatMap { line in
          number("status").flatMap { status in
            number("duration_ms").map { .session(.answered(line, status: status, milliseconds: $0)) }
          }
        }
      case "unanswered":
        RequestLine(json).flatMap { line in
          word("result").flatMap { code in
            number("duration_ms").map { .unanswered(line, code, word("cause"), milliseconds: $0) }
          }
        }
      case "id_token_verified": word("algorithm").map { .session(.idTokenVerified($0)) }
      case "identity_known": .identityKnown
      case "sign_in_pending": number("seconds").map { .signInPending(seconds: $0) }
      default: nil
      }
    guard let step else { return nil }
    self = step
  }
}

extension RequestLine {
  fileprivate func addMembers(to object: inout JSONObject) {
    object["endpoint"] = .string(role.rawValue)
    object["method"] = .string(method)
    object["url"] = .string(url)
  }

  fileprivate init?(_ json: JSON) {
    guard let role = json["endpoint"]?.string.flatMap(EndpointRole.init(rawValue:)),
      let method = json["method"]?.string,
      let url = json["url"]?.string
    else { return nil }
    self.init(role, method, url: url)
  }
}

extension LogStep.RefreshReason {
  fileprivate func addMembers(to object: inout JSONObject) {
    switch self {
    case .noToken: object["reason"] = "no_token"
    case .asked: object["reason"] = "asked"
    case .refused: object["reason"] = "refused"
    case .ending(let left, let wanted):
      object["reason"] = "ending"
      object["seconds_left"] = .int(left)
      object["seconds_wanted"] = .int(wanted)
    }
  }

  fileprivate init?(_ json: JSON) {
    switch json["reason"]?.string {
    case "no_token": self = .noToken
    case "asked": self = .asked
    case "refused": self = .refused
    case "ending":
      guard let left = json["seconds_left"]?.int, let wanted = json["seconds_wanted"]?.int else { return nil }
      self = .ending(secondsLeft: left, secondsWanted: wanted)
    default: return nil
    }
  }
}
