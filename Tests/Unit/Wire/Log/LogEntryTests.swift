import Encoding
import Testing
import Vocabulary
import Wire

@Suite struct `An entry of the log` {
  static let events: [LogEvent] =
    [
      .started, .stopping, .refreshBegan(attempt: 3), .refreshEnded(milliseconds: 12, nil),
      .refreshRetry(attempt: 2, waitMilliseconds: 480), .refreshQueued(seconds: 10), .tokenExpiring(seconds: 60),
      .tokenExpired, .networkChanged, .watchUnavailable, .clockSet(seconds: -3600), .signInBegan,
      .signInCode(seconds: 600),
      .signInSlowed(seconds: 10), .signInApproved, .unrelatedRedirect, .signInEnded(milliseconds: 9000, nil),
      .requestTimedOut, .keySetWarning(.privateKey), .keySetWarning(.symmetricKey),
    ] + FailureCode.allCases.map { .refreshEnded(milliseconds: 0, $0) }
    + FailureCode.allCases.map { .signInEnded(milliseconds: 1, $0) }
    + LogEvent.SignOut.allCases.map { .signedOut($0) } + CheckResult.allCases.map { .checked(milliseconds: 5, $0) }
    + LogEvent.SettingsChange.allCases.map { .settingsChanged($0) }
    + LogEvent.PeerProblem.allCases.map { .peerDropped($0) }
    + [.exited(3), .signalled(9), .timedOut, .notStarted(errno: 2)].map { .commandFailed(position: 1, $0) }
    + [.commandsDropped(count: 7)] + LogEvent.TokenFileChange.allCases.map { .tokenFile($0) } + steps.map { .step($0) }

  private static func line(_ role: EndpointRole) -> RequestLine {
    RequestLine(role, "POST", url: "https://as.example/token")
  }

  static let steps: [LogStep] =
    [
      .tokenServed(secondsLeft: 12), .tokenServed(secondsLeft: nil), .refreshNeeded(.noToken),
      .refreshNeeded(.requested),
      .refreshNeeded(.refused), .refreshNeeded(.expiring(secondsLeft: 12, secondsWanted: 60)), .refreshJoined,
      .recordChanged, .identityKnown, .signInPending(seconds: 5), .servedOffline,
    ] + sessionSteps.map { .session($0) }
    + FailureCode.allCases.map { .unanswered(line(.token), $0, nil, milliseconds: 34) }
    + ConnectionProblem.allCases.map { .unanswered(line(.token), .network, $0, milliseconds: 34) }

  private static let sessionSteps: [SessionStep] =
    [.waitedForAccount(milliseconds: 30), .recordRead, .recordWritten, .cachedKeysRejected, .cachedMetadataRejected]
    + EndpointRole.allCases.map { .cachedDocumentUsed($0, ageSeconds: 3600) }
    + EndpointRole.allCases.map { .answered(line($0), status: 200, milliseconds: 34) }
    + SigningAlgorithm.allCases.map { .idTokenVerified($0) }

  @Test(arguments: events, [nil, "work"]) func `is written as a daemon of version 1 does, with its sentence`(
    event: LogEvent, account: String?
  )
    throws
  {
    let line = LogEntry(time: 1_700_000_000, account: account, event: event).line
    let bytes = JSON.object(line.json).serialized()
    #expect(try LogLine(json: JSON(parsing: bytes)) == line)
    let names = (account == nil ? ["time"] : ["time", "account"]) + ["event"]
    #expect(Array(line.json.names.prefix(names.count)) == names && line.json.names.last == "text")
    #expect(line.sentence == (account.map { "\($0): " } ?? "") + event.properties.text)
  }

  /// The codes and members that clients of version 1 know.
  @Test(arguments: [
    (LogEvent.started, #"{"event":"started"}"#),
    (.refreshEnded(milliseconds: 12, nil), #"{"event":"refresh_ended","duration_ms":12,"result":"ok"}"#),
    (
      .refreshEnded(milliseconds: 3, .sessionExpired, reason: "AADSTS700082: gone"),
      #"{"event":"refresh_ended","duration_ms":3,"result":"session_expired","reason":"AADSTS700082: gone"}"#
    ),
    (.refreshRetry(attempt: 2, waitMilliseconds: 480), #"{"event":"refresh_retry","attempt":2,"wait_ms":480}"#),
    (.checked(milliseconds: 5, .valid), #"{"event":"checked","duration_ms":5,"result":"ok"}"#),
    (.signInCode(seconds: 600), #"{"event":"sign_in_code","seconds":600}"#),
    (
      .commandFailed(position: 1, .exited(3)),
      #"{"event":"command_failed","position":1,"reason":"exited","status":3}"#
    ),
    (
      .commandFailed(position: 1, .notStarted(errno: 2)),
      #"{"event":"command_failed","position":1,"reason":"not_started","errno":2}"#
    ),
    (.step(.tokenServed(secondsLeft: nil)), #"{"event":"token_served"}"#),
    (
      .step(.refreshNeeded(.expiring(secondsLeft: 12, secondsWanted: 60))),
      #"{"event":"refresh_needed","reason":"ending","seconds_left":12,"seconds_wanted":60}"#
    ),
    (
      .step(.unanswered(line(.token), .network, .refused, milliseconds: 3)),
      #"{"event":"unanswered","endpoint":"token","method":"POST","url":"https://as.example/token","result":"network","#
        + #""cause":"refused","duration_ms":3}"#
    ),
    (
      .step(.session(.cachedDocumentUsed(.keys, ageSeconds: 3))),
      #"{"event":"document_kept","endpoint":"keys","seconds":3}"#
    ),
  ]) func `has the members of version 1`(event: LogEvent, members: String) {
    var json = LogEntry(time: 1, account: nil, event: event).line.json
    (json["time"], json["text"]) = (nil, nil)
    #expect(String(decoding: JSON.object(json).serialized(), as: UTF8.self) == members)
  }

  @Test(arguments: events) func `is one line of ASCII`(event: LogEvent) {
    let text = LogEntry(time: 0, account: "work", event: event).line.text { Timestamp.rfc3339($0) }
    #expect(text.hasPrefix("1970-01-01T00:00:00Z work: "))
    #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) })
    #expect(text.utf8.count < 200)
  }

  @Test(arguments: [
    (LogEvent.refreshEnded(milliseconds: 12, nil), "2023-11-14T22:13:20Z work: refresh ended after 12 ms: ok"),
    (.refreshEnded(milliseconds: 7, .network), "2023-11-14T22:13:20Z work: refresh ended after 7 ms: network"),
    (
      .refreshEnded(milliseconds: 7, .sessionExpired, reason: "too old"),
      "2023-11-14T22:13:20Z work: refresh ended after 7 ms: session_expired: too old"
    ),
    (.peerDropped(.silent), "2023-11-14T22:13:20Z work: a peer was dropped: silent"),
    (
      .step(.refreshNeeded(.expiring(secondsLeft: 12, secondsWanted: 60))),
      "2023-11-14T22:13:20Z work: the cached token has 12 s left, less than 60 s: refreshing"
    ),
    (
      .step(.session(.answered(line(.token), status: 200, milliseconds: 34))),
      "2023-11-14T22:13:20Z work: token endpoint: POST https://as.example/token: HTTP status 200 in 34 ms"
    ),
  ]) func `says what happened`(event: LogEvent, text: String) {
    let line = LogEntry(time: 1_700_000_000, account: "work", event: event).line
    #expect(line.text { Timestamp.rfc3339($0) } == text)
  }

  @Test func `without an account names none`() {
    #expect(LogEntry(time: 7, account: nil, event: .started).line.text { "\($0)" } == "7 the daemon started")
  }

  @Test(arguments: [#"{}"#, #"{"time":1}"#, #"{"event":"started"}"#, #"{"time":"now","event":"started"}"#, "[]"])
  func `of a form that is not known is none`(text: String) throws {
    #expect(LogLine(json: try JSON(parsing: Array(text.utf8))) == nil)
  }

  @Test(arguments: [
    (#"{"time":1,"event":"new","text":"something new","count":2}"#, "something new"),
    (#"{"time":1,"account":"work","event":"new","count":2}"#, #"work: new {"count":2}"#),
    (#"{"time":1,"event":"started"}"#, "started"), (#"{"time":1,"event":"x","text":"a\nb"}"#, "ab"),
  ]) func `is shown even if its code is unknown`(line: String, sentence: String) throws {
    #expect(try #require(LogLine(json: try JSON(parsing: Array(line.utf8)))).sentence == sentence)
  }

  @Test func `tells failures from the rest`() {
    #expect(LogEvent.refreshEnded(milliseconds: 1, .network).properties.isFailure)
    #expect(!LogEvent.refreshEnded(milliseconds: 1, nil).properties.isFailure)
    #expect(!LogEvent.checked(milliseconds: 1, .signedOutElsewhere).properties.isFailure)
  }
}
