package import Encoding

extension Event {
  /// A lease, when it was opened and after each request.
  package struct Lease: Sendable, Hashable {
    /// Its name in ``LeaseEntry``: 16 hexadecimal digits.
    package var name: String
    package var account: String
    /// Nil where their number has no limit.
    package var usesLeft: Int?

    package init(name: String, account: String, usesLeft: Int? = nil) {
      self.name = name
      self.account = account
      self.usesLeft = usesLeft
    }

    /// `{"event":"lease","lease","account","uses_left"}`.
    var json: JSONObject {
      var object = JSONObject([("event", "lease"), ("lease", .string(name)), ("account", .string(account))])
      object["uses_left"] = usesLeft.map { .int($0) }
      return object
    }

    init?(json: JSON) {
      guard let name = json["lease"]?.string, let account = json["account"]?.string else { return nil }
      self.init(name: name, account: account, usesLeft: json["uses_left"]?.int)
    }
  }
}

extension Event {
  /// A peer of a lease wants to make its first request for an origin, and waits for a ``LeaseAnswerRequest``.
  package struct LeaseQuestion: Sendable, Hashable {
    package var number: Int
    /// `token` where the peer wants the token itself.
    package var method: String
    /// Nil where it wants the token itself.
    package var origin: String?
    package var peer: LeaseEntry.Peer?

    package init(number: Int, method: String, origin: String?, peer: LeaseEntry.Peer?) {
      self.number = number
      self.method = method
      self.origin = origin
      self.peer = peer
    }

    /// `{"event":"lease_question","question","method","origin","pid","uid"}`.
    var json: JSONObject {
      var object = JSONObject([
        ("event", "lease_question"), ("question", .int(number)), ("method", .string(method)),
      ])
      object["origin"] = origin.map { .string($0) }
      object["pid"] = peer.map { .int($0.process) }
      object["uid"] = peer.map { .int($0.user) }
      return object
    }

    init?(json: JSON) {
      guard let number = json["question"]?.int, let method = json["method"]?.string else { return nil }
      self.init(number: number, method: method, origin: json["origin"]?.string, peer: LeaseEntry.Peer(json))
    }
  }
}

/// An event of a lease, for the person who gave it. A path or a query is never part of it.
package struct LeaseEntry: Sendable, Hashable {
  /// Unix seconds.
  package let time: Int
  package let lease: String
  package let event: Event
  /// The process that asked, as the system told it when it connected; nil for what no peer did.
  package let peer: Peer?

  package struct Peer: Sendable, Hashable {
    package let user: Int
    /// 0 for a process that is not seen from here.
    package let process: Int

    package init(user: Int, process: Int) {
      self.user = user
      self.process = process
    }

    init?(_ json: JSON) {
      guard let user = json["uid"]?.int, let process = json["pid"]?.int else { return nil }
      self.init(user: user, process: process)
    }
  }

  package enum Event: Sendable, Hashable {
    case opened(account: String)
    /// A request was answered, with its status and the size of the body in bytes; or not, with the code of the failure.
    case used(method: String, origin: String, status: Int?, bytes: Int?, FailureCode?)
    /// The token was handed out, or not, with the code of the failure.
    case handedOut(FailureCode?)
    case refused(FailureCode)
    case ended(Cause)
  }

  /// Why a lease is over.
  package enum Cause: String, Sendable, CaseIterable {
    /// The process that gave it has ended.
    case closed
    case time, uses
    case signedOut = "signed_out"
    case removed
    case stopping
  }

  package init(time: Int, lease: String, event: Event, peer: Peer? = nil) {
    self.time = time
    self.lease = lease
    self.event = event
    self.peer = peer
  }

  /// `{"time","event","lease",…}`.
  package var json: JSONObject {
    var object = JSONObject([("time", .int(time)), ("event", .string(name)), ("lease", .string(lease))])
    switch event {
    case .opened(let account): object["account"] = .string(account)
    case .used(let method, let origin, let status, let bytes, let code):
      object["method"] = .string(method)
      object["origin"] = .string(origin)
      object["status"] = status.map { .int($0) }
      object["body_bytes"] = bytes.map { .int($0) }
      object["code"] = code.map { .string($0.rawValue) }
    case .handedOut(let code): object["code"] = code.map { .string($0.rawValue) }
    case .refused(let code): object["code"] = .string(code.rawValue)
    case .ended(let cause): object["cause"] = .string(cause.rawValue)
    }
    object["pid"] = peer.map { .int($0.process) }
    object["uid"] = peer.map { .int($0.user) }
    return object
  }

  /// Reads what ``json`` writes; nil for an event that this build does not know.
  package init?(json: JSON) {
    guard let time = json["time"]?.int, let lease = json["lease"]?.string, let event = Event(json) else {
      return nil
    }
    self.init(time: time, lease: lease, event: event, peer: Peer(json))
  }

  private var name: String {
    switch event {
    case .opened: "lease_opened"
    case .used: "lease_used"
    case .handedOut: "lease_token"
    case .refused: "lease_refused"
    case .ended: "lease_ended"
    }
  }

  /// The entry as text, without a line feed.
  ///
  /// - Parameter stamp: Writes unix seconds as the reader wants them.
  package func text(_ stamp: (Int) -> String) -> String {
    let by = peer.map { ", process \($0.process) of user \($0.user)" } ?? ""
    let what =
      switch event {
      case .opened(let account): "opened for \(TerminalText.clean(account, limit: 64))"
      case .used(let method, let origin, let status, let bytes, let code):
        "\(TerminalText.clean(method, limit: 32)) \(TerminalText.clean(origin, limit: 300))"
          + (status.map { ": status \($0), \(bytes ?? 0) bytes" } ?? code.map { ": \($0.rawValue)" } ?? "")
      case .handedOut(let code): code.map { "no token handed out: \($0.rawValue)" } ?? "token handed out"
      case .refused(let code): "refused: \(code.rawValue)"
      case .ended(let cause): "ended: \(cause.rawValue)"
      }
    return "\(stamp(time)) \(TerminalText.clean(lease, limit: 16)): \(what)\(by)"
  }
}

extension LeaseEntry.Event {
  fileprivate init?(_ json: JSON) {
    let code = json["code"]?.string.flatMap { FailureCode(rawValue: $0) }
    let event: Self? =
      switch json["event"]?.string {
      case "lease_opened": json["account"]?.string.map { .opened(account: $0) }
      case "lease_used":
        json["method"]?.string.flatMap { method in
          json["origin"]?.string.map {
            .used(method: method, origin: $0, status: json["status"]?.int, bytes: json["body_bytes"]?.int, code)
          }
        }
      case "lease_token": .handedOut(code)
      case "lease_refused": code.map { .refused($0) }
      case "lease_ended": json["cause"]?.string.flatMap { LeaseEntry.Cause(rawValue: $0) }.map { .ended($0) }
      default: nil
      }
    guard let event else { return nil }
    self = event
  }
}
