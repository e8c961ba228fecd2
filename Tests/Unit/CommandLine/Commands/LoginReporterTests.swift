import Encoding
import Platform
import TestSupport
import Testing
import Wire

@testable import CommandLine

@Suite struct `Telling of a sign-in on a terminal` {
  private final class Screen: Sendable {
    private let text = Monitor("")
    func write(_ more: String) { text.withLock { $0 += more } }
    func take() -> String {
      text.withLock { text in
        defer { text = "" }
        return text
      }
    }
  }

  private let screen = Screen()
  private let time = ManualTime()

  private func reporter(quiet: Bool = false, term: String = "xterm") -> LoginReporter {
    let screen = screen
    return LoginReporter(
      console: Console(usesJSON: false, isQuiet: quiet),
      terminal: OutputTerminal(term: term, noColour: nil, columns: { 80 }), time: time, write: { screen.write($0) })
  }

  private var code: Event.DeviceCode {
    Event.DeviceCode(
      loginID: "0f", account: "work", issuer: "https://id.example.com", clientID: "cli", scope: nil,
      userCode: "WDJB-MJHT",
      verificationURI: "https://id.example.com/device", verificationURIComplete: nil,
      expiresAt: time.wallSeconds() + 62, interval: 5)
  }

  @Test func `rewrites the countdown once a second and takes it away at the end`() throws {
    var reporter = reporter()
    reporter.update()
    #expect(screen.take() == "" && reporter.nextUpdate == nil)
    try reporter.report(.deviceCode(code))
    #expect(screen.take() == SignInScreen(columns: 80, isStyled: true).text(code))
    #expect(reporter.nextUpdate == time.now())
    reporter.update()
    #expect(screen.take() == "\r\u{1B}[JWaiting for your approval, 1:02 left. Ctrl-C cancels.\r")
    reporter.update()
    #expect(screen.take() == "")
    #expect(reporter.nextUpdate == time.now().advanced(by: .seconds(1)))
    time.advance(seconds: 1)
    reporter.update()
    #expect(screen.take() == "\r\u{1B}[JWaiting for your approval, 1:01 left. Ctrl-C cancels.\r")
    reporter.reportFailure(Failure(.accessDenied, "no"))
    #expect(screen.take() == "\r\u{1B}[J")
    #expect(reporter.nextUpdate == nil)
  }

  @Test func `a text above the countdown does not take it away until the next second`() throws {
    var reporter = reporter()
    try reporter.report(.deviceCode(code))
    reporter.update()
    _ = screen.take()
    try reporter.report(.notice("the server is slow"))
    #expect(screen.take().hasPrefix("\r\u{1B}[J"))
    #expect(reporter.nextUpdate == time.now())
    reporter.update()
    #expect(screen.take() == "\r\u{1B}[JWaiting for your approval, 1:02 left. Ctrl-C cancels.\r")
  }

  @Test func `after a suspend it goes on from now, and does not catch up`() throws {
    var reporter = reporter()
    try reporter.report(.deviceCode(code))
    reporter.update()
    time.advance(seconds: 100)
    _ = screen.take()
    reporter.update()
    #expect(screen.take() == "\r\u{1B}[JWaiting for your approval; the code is about to expire.\r")
    #expect(reporter.nextUpdate == time.now().advanced(by: .seconds(1)))
  }

  @Test func `a quiet sign-in still shows the code, or nobody could sign in`() throws {
    var reporter = reporter(quiet: true)
    try reporter.report(.deviceCode(code))
    #expect(screen.take() == SignInScreen(columns: 80, isStyled: true).briefText(code))
    #expect(reporter.nextUpdate == nil)
  }

  @Test func `a server that takes its time is named after a second, until the code is there`() throws {
    var reporter = reporter()
    reporter.startServerWait()
    reporter.update()
    #expect(screen.take() == "")
    time.advance(seconds: 1)
    reporter.update()
    #expect(screen.take() == "\r\u{1B}[Jwaiting for the authorization server…\r")
    try reporter.report(.deviceCode(code))
    #expect(screen.take() == "\r\u{1B}[J" + SignInScreen(columns: 80, isStyled: true).text(code))
  }

  @Test func `a notice takes the place of the countdown, which goes on below it`() throws {
    var reporter = reporter(quiet: false)
    try reporter.report(.deviceCode(code))
    reporter.update()
    _ = screen.take()
    try reporter.report(.notice("the clock is wrong"))
    #expect(screen.take() == "\r\u{1B}[J")
    time.advance(seconds: 1)
    reporter.update()
    #expect(screen.take() == "\r\u{1B}[JWaiting for your approval, 1:01 left. Ctrl-C cancels.\r")
  }

  @Test(arguments: ["dumb", ""]) func `a terminal that can do nothing gets no escape and no countdown`(
    term: String
  ) throws {
    var reporter = reporter(term: term)
    reporter.startServerWait()
    try reporter.report(.deviceCode(code))
    reporter.update()
    reporter.reportInterruption()
    let text = screen.take()
    #expect(text.hasSuffix("\nWaiting for your approval, 1m left. Ctrl-C cancels.\n"))
    #expect(!text.utf8.contains { $0 < 0x20 && $0 != UInt8(ascii: "\n") })
  }
}
