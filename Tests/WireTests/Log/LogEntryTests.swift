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
      .signInSlowed(seconds: 10), .signInApproved, .redirectForeign, .signInEnded(milliseconds: 9000, nil),
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
      .tokenServed(secondsLeft: 12), .tokenServed(secondsLeft: nil), .refreshNeeded(.noToken), .refreshNeeded(.asked),
      .refreshNeeded(.refused), .refreshNeeded(.ending(secondsLeft: 12, secondsWanted: 60)), .refreshJoined,
      .recordChanged, .identityKnown, .signInPending(seconds: 5), .servedOffline,
    ] + sessionSteps.map { .session($0) }
    + FailureCode.allCases.map { .unanswered(line(.token), $0, nil, milliseconds: 34) }
    + ConnectionProblem.allCases.map { .unanswered(line(.token), .network, $0, milliseconds: 34) }

  private static let sessionSteps: [SessionStep] =
    [.waitedForAccount(milliseconds: 30), .recordRead, .recordWritten, .keysDoubted, .metadataDoubted]
    + EndpointRole.allCases.map { .documentKept($0, ageSeconds: 3600) }
    + EndpointRole.allCases.map { .answered(line($0), status: 200, milliseconds: 34) }
    + SigningAlgorithm.allCases.map { .idTokenVerified($0) }

  @Test(arguments: events, [nil, "work"]) func `is read back as it was written`(event: LogEvent, account: String?)
    throws
  {
    let entry = LogEntry(time: 1_700_000_000, account: account, event: event)
    let bytes = JSON.object(entry.json).serialized()
    #expect(LogEntry(json: try JSON(parsing: bytes)) == entry)
  }

  @Test(arguments: events) func `is one line of ASCII`(event: LogEvent) {
    let text = LogEntry(time: 0, account: "work", event: event).text
    #expect(text.hasPrefix("1970-01-01T00:00:00Z work: "))
    #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) })
    #expect(text.utf8.count < 200)
  }

  @Test(arguments: [
    (LogEvent.refreshEnded(milliseconds: 12, nil), "2023-11-14T22:13:20Z work: refresh ended after 12 ms: ok"),
    (.refreshEnded(milliseconds: 7, .network), "2023-11-14T22:13:20Z work: refresh ended after 7 ms: network"),
    (.peerDropped(.silent), "2023-11-14T22:13:20Z work: a peer was dropped: silent"),
    (
      .step(.refreshNeeded(.ending(secondsLeft: 12, secondsWanted: 60))),
      "2023-11-14T22:13:20Z work: the cached token has 12 s left, less than 60 s: refreshing"
    ),
    (
      .step(.session(.answered(line(.token), status: 200, milliseconds: 34))),
      "2023-11-14T22:13:20Z work: token endpoint: POST https://as.example/token: HTTP status 200 in 34 ms"
    ),
  ]) func `says what happened`(event: LogEvent, text: String) {
    #expect(LogEntry(time: 1_700_000_000, account: "work", event: event).text == text)
  }

  @Test func `without an account names none`() {
    #expect(LogEntry(time: 0, account: nil, event: .started).text == "1970-01-01T00:00:00Z the daemon started")
  }

  @Test(arguments: [
    #"{}"#, #"{"time":1}"#, #"{"time":1,"event":"from_the_future"}"#, #"{"event":"started"}"#,
    #"{"time":1,"event":"refresh_ended","duration_ms":1}"#,
    #"{"time":1,"event":"refresh_ended","duration_ms":1,"result":"new_code"}"#,
    #"{"time":1,"event":"peer_dropped","reason":"free text"}"#,
    #"{"time":1,"event":"answered","endpoint":"https://as.example","status":200,"duration_ms":1}"#,
    #"{"time":1,"event":"id_token_verified","algorithm":"none"}"#, #"{"time":1,"event":"refresh_needed"}"#,
    #"{"time":1,"event":"refresh_needed","reason":"ending","seconds_left":1}"#,
    #"{"time":"now","event":"started"}"#, "[]",
  ]) func `of a form that is not known is none`(text: String) throws {
    #expect(LogEntry(json: try JSON(parsing: Array(text.utf8))) == nil)
  }

  @Test func `tells failures from the rest`() {
    #expect(LogEvent.refreshEnded(milliseconds: 1, .network).isFailure)
    #expect(!LogEvent.refreshEnded(milliseconds: 1, nil).isFailure)
    #expect(!LogEvent.checked(milliseconds: 1, .signedOutElsewhere).isFailure)
  }
}
