package import Encoding

/// An event of a long request before its result.
package enum Event: Sendable, Hashable {
  /// The user must open ``DeviceCode/verificationURI`` and type ``DeviceCode/userCode``.
  case deviceCode(DeviceCode)

  /// The URL of the previous event as a QR code.
  case qrCode(QRCode)

  /// The user must open ``Browser/url``.
  case browser(Browser)

  /// The user must say whether they are the one who signed in.
  case confirm(Confirm)

  /// A pasted URL is not the response of this sign-in, which continues.
  case redirectRefused(Failure)

  /// A notice: one sentence, safe for a terminal.
  case notice(Phrase)

  /// The head of a resource's response, before its body.
  case response(ResponseHead)

  /// A part of the body of a resource's response to an inline request.
  case body([UInt8])

  /// The next part of the body that is sent to a resource may come.
  case bodyWanted

  /// A step of a ``RequestEnvelope/verbose`` request; nil for one that this build does not know.
  case progress(LogEntry?)

  /// From now on every event is sent.
  case following

  /// A session event; nil for one that this build does not know.
  case session(SessionEntry?)

  /// An event of a lease; nil for one that this build does not know.
  case leaseEntry(LeaseEntry?)

  /// A token file was written or removed.
  case tokenFile(TokenFile)

  /// A lease was opened or used.
  case lease(Lease)

  /// A peer of a lease waits for the person's word.
  case leaseQuestion(LeaseQuestion)

  /// The part of a device authorization response that the user needs (RFC 8628, section 3.3).
  package struct DeviceCode: Sendable, Hashable {
    /// Identifies the sign-in.
    package var login: String
    package var account: String
    package var issuer: String
    package var clientID: String
    package var scope: String?
    /// Exactly as the server sent it.
    package var userCode: String
    package var verificationURI: String
    package var verificationURIComplete: String?
    /// Unix seconds.
    package var expiresAt: Int
    /// Seconds between two polls.
    package var interval: Int

    package init(
      login: String, account: String, issuer: String, clientID: String, scope: String?, userCode: String,
      verificationURI: String, verificationURIComplete: String?, expiresAt: Int, interval: Int
    ) {
      self.login = login
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
  }

  /// `{"event":…}` without the protocol's version: what `--json` prints.
  package var json: JSONObject {
    switch self {
    case .response(let head): return head.json
    case .body(let bytes): return JSONObject([("event", "body"), ("base64", .string(Base64.encode(bytes)))])
    case .bodyWanted: return JSONObject([("event", "body_wanted")])
    case .qrCode(let code): return code.json
    case .progress(let entry):
      var object = JSONObject([("event", "progress")])
      object["entry"] = entry.map { .object($0.json) }
      return object
    case .following: return JSONObject([("event", "following")])
    case .session(let entry):
      var object = JSONObject([("event", "session")])
      object["entry"] = entry.map { .object($0.json) }
      return object
    case .leaseEntry(let entry):
      var object = JSONObject([("event", "lease_entry")])
      object["entry"] = entry.map { .object($0.json) }
      return object
    case .tokenFile(let file): return file.json
    case .lease(let lease): return lease.json
    case .leaseQuestion(let question): return question.json
    case .notice(let message):
      var object = JSONObject([("event", "notice")])
      message.addMembers(to: &object, as: "message")
      return object
    case .browser(let browser): return browser.json
    case .confirm(let confirm): return confirm.json
    case .redirectRefused(let failure):
      var object = JSONObject([("event", "redirect_refused")])
      if let members = failure.json.object {
        for name in members.names { object[name] = members[name] }
      }
      return object
    case .deviceCode(let code):
      var object = JSONObject([
        ("event", "device_code"), ("login", .string(code.login)), ("account", .string(code.account)),
        ("issuer", .string(code.issuer)),
        ("client_id", .string(code.clientID)),
      ])
      if let scope = code.scope { object["scope"] = .string(scope) }
      object["user_code"] = .string(code.userCode)
      object["verification_uri"] = .string(code.verificationURI)
      if let complete = code.verificationURIComplete { object["verification_uri_complete"] = .string(complete) }
      object["expires_at"] = .int(code.expiresAt)
      object["interval"] = .int(code.interval)
      return object
    }
  }

  /// Reads what ``json`` writes; nil for an event that this build does not know.
  package init?(json: JSON) {
    switch json["event"]?.string {
    case "response":
      guard let head = ResponseHead(json: json) else { return nil }
      self = .response(head)
    case "body":
      guard let text = json["base64"]?.string, let bytes = try? Base64.decode(text) else { return nil }
      self = .body(bytes)
    case "body_wanted": self = .bodyWanted
    case "progress": self = .progress(json["entry"].flatMap { LogEntry(json: $0) })
    case "following": self = .following
    case "session": self = .session(json["entry"].flatMap { SessionEntry(json: $0) })
    case "lease_entry": self = .leaseEntry(json["entry"].flatMap { LeaseEntry(json: $0) })
    case "token_file":
      guard let file = TokenFile(json: json) else { return nil }
      self = .tokenFile(file)
    case "lease":
      guard let lease = Lease(json: json) else { return nil }
      self = .lease(lease)
    case "lease_question":
      guard let question = LeaseQuestion(json: json) else { return nil }
      self = .leaseQuestion(question)
    case "notice":
      guard let message = Phrase(json, "message") else { return nil }
      self = .notice(message)
    case "qr_code":
      guard let code = QRCode(json: json) else { return nil }
      self = .qrCode(code)
    case "browser":
      guard let browser = Browser(json: json) else { return nil }
      self = .browser(browser)
    case "confirm":
      guard let confirm = Confirm(json: json) else { return nil }
      self = .confirm(confirm)
    case "redirect_refused":
      guard let failure = Failure(json: json) else { return nil }
      self = .redirectRefused(failure)
    case "device_code":
      guard let login = json["login"]?.string, let account = json["account"]?.string,
        let issuer = json["issuer"]?.string,
        let clientID = json["client_id"]?.string, let userCode = json["user_code"]?.string,
        let verificationURI = json["verification_uri"]?.string, let expiresAt = json["expires_at"]?.int,
        let interval = json["interval"]?.int
      else { return nil }
      self = .deviceCode(
        DeviceCode(
          login: login, account: account, issuer: issuer, clientID: clientID, scope: json["scope"]?.string,
          userCode: userCode,
          verificationURI: verificationURI, verificationURIComplete: json["verification_uri_complete"]?.string,
          expiresAt: expiresAt, interval: interval))
    default: return nil
    }
  }
}
