package import Encoding

/// A message before the result of a long request.
package indirect enum Event: Sendable, Hashable {
  case deviceCode(DeviceCode)

  /// The next event's URL as a QR code.
  case qrCode(QRCode)

  case browser(Browser)

  case confirm(Confirm)

  /// A pasted URL is not this sign-in's redirect; another may follow.
  case redirectRefused(Failure)

  /// One sentence, safe for a terminal.
  case notice(Phrase)

  case response(ResponseHead)

  /// A part of the response's body, if inline.
  case body([UInt8])

  /// The client may send the request body's next part.
  case bodyWanted

  /// A step of a ``RequestEnvelope/verbose`` request; nil without time or code.
  case progress(LogLine?)

  /// Following has begun: every later event is sent.
  case following

  /// Nil if of an unknown kind.
  case session(SessionEntry?)

  /// Nil if of an unknown kind.
  case leaseEntry(LeaseEntry?)

  case tokenFile(TokenFile)

  /// A lease was opened or used.
  case lease(Lease)

  case leaseQuestion(LeaseQuestion)

  /// Asks the user to enter a code on any device (RFC 8628, section 3.2).
  package struct DeviceCode: EventBody, Sendable, Hashable {
    package var loginID: String
    package var account: String
    package var issuer: String
    package var clientID: String
    package var scope: String?
    /// Exactly as received.
    package var userCode: String
    package var verificationURI: String
    package var verificationURIComplete: String?
    /// In unix seconds.
    package var expiresAt: Int
    /// Seconds between polls.
    package var interval: Int
    /// Warns of the risk of codes (RFC 8628 section 5.4); nil from older daemons.
    package var warning: String?

    package init(
      loginID: String, account: String, issuer: String, clientID: String, scope: String?, userCode: String,
      verificationURI: String, verificationURIComplete: String?, expiresAt: Int, interval: Int
    ) {
      self.loginID = loginID
      self.account = account
      self.issuer = issuer
      self.clientID = clientID
      self.scope = scope
      self.userCode = userCode
      self.verificationURI = verificationURI
      self.verificationURIComplete = verificationURIComplete
      self.expiresAt = expiresAt
      self.interval = interval
    }

    static let emptyInstance = Self(
      loginID: "", account: "", issuer: "", clientID: "", scope: nil, userCode: "", verificationURI: "",
      verificationURIComplete: nil, expiresAt: 0, interval: 0)

    package var event: Event { .deviceCode(self) }
    package var manualEntry: EventManualEntry {
      EventManualEntry("device_code", "The user must open a URL and enter a code; see RFC 8628, section 3.3.")
    }

    package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
      try members.visitSignIn(&loginID, &account, &issuer)
      try members.visitClient(&clientID, &scope)
      try members.visitText("user_code", &userCode, "The code, exactly as sent by the server.")
      try members.visitText("verification_uri", &verificationURI, "The URL.")
      try members.visitText("verification_uri_complete", &verificationURIComplete, "The URL that contains the code.")
      try members.visitNumber("expires_at", &expiresAt, "When the code expires.")
      try members.visitNumber("interval", &interval, "Seconds between two polls of the server.")
      try members.visitText("warning", &warning, "What to show the user beside the code, in English.")
    }
  }

  private var body: any EventBody {
    switch self {
    case .response(let head): head
    case .body(let bytes): Body(bytes: Base64Bytes(bytes))
    case .bodyWanted: EmptyEvent.bodyWanted
    case .deviceCode(let code): code
    case .qrCode(let code): code
    case .browser(let browser): browser
    case .confirm(let confirm): confirm
    case .redirectRefused(let failure): RedirectRefused(failure: failure)
    case .notice(let message): Notice(message: message)
    case .progress(let line): Self.progressBody(line)
    case .lease(let lease): lease
    case .leaseQuestion(let question): question
    case .following: EmptyEvent.following
    case .session(let entry): Self.sessionBody(entry)
    case .leaseEntry(let entry): Self.leaseEntryBody(entry)
    case .tokenFile(let file): file
    }
  }

  /// All kinds, with blank members, in the manual's order.
  package static let declarations: [any EventBody] = [
    ResponseHead(status: 0, headers: []), Body(bytes: Base64Bytes([])), EmptyEvent.bodyWanted, DeviceCode.emptyInstance,
    QRCode.emptyInstance,
    Browser.emptyInstance, Confirm.emptyInstance, RedirectRefused(failure: Failure(.redirectRejected, "")),
    Notice(message: ""),
    progressBody(nil), Lease(name: "", account: ""),
    LeaseQuestion(number: 0, method: "", origin: nil, peer: nil), EmptyEvent.following, sessionBody(nil),
    leaseEntryBody(nil), TokenFile(account: "", path: ""),
  ]

  /// `{"event":…}`, for `--json`.
  package var json: JSONObject {
    let body = body
    var object = JSONObject([("event", .string(body.manualEntry.name))])
    let members = body.memberObject
    for name in members.names { object[name] = members[name] }
    return object
  }

  /// Nil for an unknown event.
  package init?(json: JSON) {
    guard let name = json["event"]?.string,
      let body = Self.declarations.first(where: { $0.manualEntry.name.hasSameBytes(as: name) })?.withValues(from: json)
    else { return nil }
    self = body.event
  }

  fileprivate static func progressBody(_ line: LogLine?) -> some EventBody {
    EntryBody(
      entry: line, meaning: "One entry, as in the result of `daemon_log`.", make: Event.progress,
      manualEntry: EventManualEntry("progress", "A step of a request with `verbose`. It contains no secrets."))
  }

  fileprivate static func sessionBody(_ entry: SessionEntry?) -> some EventBody {
    EntryBody(
      entry: entry, meaning: "One entry, as in the result of `events`.", make: Event.session,
      manualEntry: EventManualEntry("session", "An event of a session or account. It contains no secrets."))
  }

  fileprivate static func leaseEntryBody(_ entry: LeaseEntry?) -> some EventBody {
    EntryBody(
      entry: entry, meaning: "One entry, as in the result of `events` with `leases`.", make: Event.leaseEntry,
      manualEntry: EventManualEntry("lease_entry", "An event of a lease."))
  }
}

/// A kind of event: its members and description.
package protocol EventBody: MemberList, Sendable {
  var manualEntry: EventManualEntry { get }
  var event: Event { get }
}

/// An event's description in the manual.
package struct EventManualEntry: Sendable {
  package let name: String
  /// In mdoc notation.
  package let purpose: String

  init(_ name: String, _ purpose: String) {
    self.name = name
    self.purpose = purpose
  }
}

extension MemberVisitor {
  /// Visits the members common to sign-in events.
  mutating func visitSignIn(
    _ loginID: inout String, _ account: inout String, _ issuer: inout String
  ) throws(Problem) {
    try visitText("login", &loginID, "The sign-in's ID: 128 random bits.")
    try visitText("account", &account, "The account.")
    try visitText("issuer", &issuer, "Its authorization server.")
  }

  mutating func visitClient(_ id: inout String, _ scope: inout String?) throws(Problem) {
    try visitText("client_id", &id, "The client ID.")
    try visitText("scope", &scope, "The requested scope.")
  }
}

// MARK: Events without their own type

private struct EmptyEvent: EventBody {
  let event: Event
  let manualEntry: EventManualEntry

  static let bodyWanted = EmptyEvent(
    event: .bodyWanted,
    manualEntry: EventManualEntry("body_wanted", "The next part of the body may be sent with `resource_body`."))
  static let following = EmptyEvent(
    event: .following, manualEntry: EventManualEntry("following", "All events are sent from now on."))

  mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {}
}

private struct Notice: EventBody {
  var message: Phrase

  var event: Event { .notice(message) }
  var manualEntry: EventManualEntry { EventManualEntry("notice", "A notice for the user.") }

  mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    try members.visitValue("message", &message, "One sentence, safe to show on a terminal.")
  }
}

private struct RedirectRefused: EventBody {
  var failure: Failure

  var event: Event { .redirectRefused(failure) }
  var manualEntry: EventManualEntry {
    EventManualEntry(
      "redirect_refused",
      "The pasted URL is not the redirect of this sign-in, which continues.")
  }

  mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    var (code, message, hint) = (failure.code.rawValue, failure.text, failure.advice)
    try members.visitText("code", &code, "`redirect_rejected`.")
    try members.visitValue("message", &message, "The reason, safe to show on a terminal.")
    try members.visitValue("hint", &hint, "What to do, if known.")
    failure = Failure(FailureCode(rawValue: code) ?? .internalError, message, hint: hint)
  }
}

private struct Body: EventBody {
  var bytes: Base64Bytes

  var event: Event { .body(bytes.bytes) }
  var manualEntry: EventManualEntry {
    EventManualEntry("body", "The next part of the response's body, for an inline request.")
  }

  mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    try members.visitValue("base64", &bytes, "At most 48 KiB, in base64.")
  }
}

private struct Base64Bytes: MemberValue {
  static let memberTypeName = "text"
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }
  func addMembers(to object: inout JSONObject, as name: String) { object[name] = .string(Base64.encode(bytes)) }

  init?(_ json: JSON, _ name: String) {
    guard let text = json[name]?.string, let bytes = try? Base64.decode(text) else { return nil }
    self.bytes = bytes
  }
}

/// `entry` is nil if of an unknown kind.
private struct EntryBody<Entry: EventEntry>: EventBody {
  var entry: Entry?
  /// For the manual.
  let meaning: String
  let make: @Sendable (Entry?) -> Event
  let manualEntry: EventManualEntry

  var event: Event { make(entry) }

  mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    let meaning = meaning  // The pass has exclusive access to this value.
    try members.visitValue("entry", &entry, meaning)
  }
}
