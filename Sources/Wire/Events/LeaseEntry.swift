package import Encoding

extension Event {
  /// A lease's state, when opened and before each request.
  package struct Lease: EventBody, Sendable, Hashable {
    /// 16 hexadecimal digits.
    package var name: String
    package var account: String
    /// Nil for no limit.
    package var usesLeft: Int?

    package init(name: String, account: String, usesLeft: Int? = nil) {
      self.name = name
      self.account = account
      self.usesLeft = usesLeft
    }

    package var event: Event { .lease(self) }
    package var manualEntry: EventManualEntry {
      EventManualEntry("lease", "A lease was opened, or a peer's request begins.")
    }

    package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
      try members.visitText("lease", &name, "The lease's name in events.")
      try members.visitText("account", &account, "The account's current name.")
      try members.visitNumber("uses_left", &usesLeft, "The number of requests left.")
    }
  }

  /// Asks the user to permit a peer's first request to an origin; see ``LeaseAnswerRequest``.
  package struct LeaseQuestion: EventBody, Sendable, Hashable {
    /// Identifies the question.
    package var number: Int
    /// The request's method, or `token` if the peer requests the token itself.
    package var method: String
    /// Nil if the peer requests the token itself.
    package var origin: String?
    package var peer: LeaseEntry.Peer?

    package init(number: Int, method: String, origin: String?, peer: LeaseEntry.Peer?) {
      self.number = number
      self.method = method
      self.origin = origin
      self.peer = peer
    }

    package var event: Event { .leaseQuestion(self) }
    package var manualEntry: EventManualEntry {
      EventManualEntry("lease_question", "A peer's request waits for the user's permission.")
    }

    package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
      try members.visitNumber("question", &number, "Its number, for `lease_answer`.")
      try members.visitText("method", &method, "The method of the request, or `token` for the token itself.")
      try members.visitText("origin", &origin, "The request's origin; absent for the token.")
      try members.visitPeer(&peer)
    }
  }
}

extension MemberVisitor {
  fileprivate mutating func visitPeer(_ peer: inout LeaseEntry.Peer?) throws(Problem) {
    var (process, user) = (peer?.processID, peer?.userID)
    try visitNumber("pid", &process, "The peer's process ID; 0 in another PID namespace.")
    try visitNumber("uid", &user, "Its user.")
    peer = user.flatMap { user in process.map { LeaseEntry.Peer(userID: user, processID: $0) } }
  }
}

/// An event of a lease, for the user, without paths and queries.
package struct LeaseEntry: Sendable, Hashable, EventEntry, MemberList {
  /// In unix seconds.
  package private(set) var time: Int
  /// 16 hexadecimal digits.
  package private(set) var lease: String
  package private(set) var event: Event
  /// The requesting process when it connected; nil if no peer caused the event.
  package private(set) var peer: Peer?

  /// A process that uses the lease.
  package struct Peer: Sendable, Hashable {
    package let userID: Int
    /// 0 in another PID namespace.
    package let processID: Int

    package init(userID: Int, processID: Int) {
      self.userID = userID
      self.processID = processID
    }
  }

  package enum Event: Sendable, Hashable {
    case opened(account: String)
    /// A peer's request ended with status and body bytes, or failed. `dropped` header fields were not forwarded.
    case used(method: String, origin: String, status: Int?, bytes: Int?, dropped: Int, FailureCode?)
    /// The code is nil on success.
    case tokenRequested(FailureCode?)
    case refused(FailureCode)
    case ended(Cause)
  }

  package enum Cause: String, Sendable, CaseIterable {
    /// The process that opened the lease has ended.
    case closed
    /// The lease reached its time limit or maximum of requests.
    case time, uses
    case signedOut = "signed_out"
    /// The account was removed.
    case removed
    case stopping
  }

  package init(time: Int, lease: String, event: Event, peer: Peer? = nil) {
    self.time = time
    self.lease = lease
    self.event = event
    self.peer = peer
  }

  package enum Kind: String, CaseIterable {
    case opened = "lease_opened"
    case used = "lease_used"
    case tokenRequested = "lease_token"
    case refused = "lease_refused"
    case ended = "lease_ended"
  }

  package init(_ kind: Kind) {
    let event: Event =
      switch kind {
      case .opened: .opened(account: "")
      case .used: .used(method: "", origin: "", status: nil, bytes: nil, dropped: 0, nil)
      case .tokenRequested: .tokenRequested(nil)
      case .refused: .refused(.notPermitted)
      case .ended: .ended(.closed)
      }
    self.init(time: 0, lease: "", event: event)
  }

  /// `{"time":…,"event":…,"lease":…}` and more.
  package var json: JSONObject { memberObject }

  package init?(json: JSON) {
    guard let kind = json["event"]?.string.flatMap(Kind.init), let entry = Self(kind).withValues(from: json) else {
      return nil
    }
    self = entry
  }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    var kind = kindAndText.kind
    try members.visitNumber("time", &time, "When it happened.")
    try members.visitChoice("event", &kind, "What happened.")
    try members.visitText("lease", &lease, "The lease.")
    switch event {
    case .opened(var account):
      try members.visitText("account", &account, "The account.")
      event = .opened(account: account)
    case .used(var method, var origin, var status, var bytes, let dropped, var code):
      try members.visitText("method", &method, "The method of the request.")
      try members.visitText("origin", &origin, "Its origin, never a path.")
      try members.visitNumber("status", &status, "The response's status.")
      try members.visitNumber("body_bytes", &bytes, "The size of its body in bytes.")
      var count = dropped == 0 ? nil : dropped
      try members.visitNumber("dropped_headers", &count, "The number of request headers that were dropped, if any.")
      try members.visitValue("code", &code, "The error, if there is no response.")
      event = .used(method: method, origin: origin, status: status, bytes: bytes, dropped: count ?? 0, code)
    case .tokenRequested(var code):
      try members.visitValue("code", &code, "The error, if the token was not returned.")
      event = .tokenRequested(code)
    case .refused(var code):
      try members.visitValue("code", &code, "The error.")
      event = .refused(code)
    case .ended(var cause):
      try members.visitChoice("cause", &cause, "Why it ended.")
      event = .ended(cause)
    }
    try members.visitPeer(&peer)
  }

  private var kindAndText: (kind: Kind, text: String) {
    switch event {
    case .opened(let account): (.opened, "opened for \(TerminalText.clean(account, limit: 64))")
    case .used(let method, let origin, let status, let bytes, let dropped, let code):
      (
        .used,
        "\(TerminalText.clean(method, limit: 32)) \(TerminalText.clean(origin, limit: 300))"
          + (status.map { ": status \($0), \(bytes ?? 0) bytes" } ?? code.map { ": \($0.rawValue)" } ?? "")
          + (dropped == 0 ? "" : ", headers left out: \(dropped)")
      )
    case .tokenRequested(let code):
      (.tokenRequested, code.map { "no token handed out: \($0.rawValue)" } ?? "token handed out")
    case .refused(let code): (.refused, "refused: \(code.rawValue)")
    case .ended(let cause): (.ended, "ended: \(cause.rawValue)")
    }
  }

  /// One line without newline; `stamp` formats unix seconds.
  package func text(_ stamp: (Int) -> String) -> String {
    let by = peer.map { ", process \($0.processID) of user \($0.userID)" } ?? ""
    return "\(stamp(time)) \(TerminalText.clean(lease, limit: 16)): \(kindAndText.text)\(by)"
  }
}
