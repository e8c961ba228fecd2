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

  private func reporter(quiet: Bool = false) -> LoginReporter {
    let screen = screen
    return LoginReporter(
      console: Console(json: false, quiet: quiet), isTerminal: true, time: time, tell: { screen.write($0) })
  }

  private var code: Event.DeviceCode {
    Event.DeviceCode(
      account: "work", issuer: "https://id.example.com", clientID: "cli", scope: nil, userCode: "WDJB-MJHT",
      verificationURI: "https://id.example.com/device", verificationURIComplete: nil,
      expiresAt: time.wallSeconds() + 62, interval: 5)
  }

  @Test func `rewrites the countdown once a second and takes it away at the end`() throws {
    var reporter = reporter()
    reporter.update()
    #expect(screen.take() == "" && reporter.nextUpdate == nil)
    try reporter.tell(.deviceCode(code))
    #expect(screen.take() == LoginText.instructions(code))
    #expect(reporter.nextUpdate == time.now())
    reporter.update()
    #expect(screen.take() == "\r\u{1B}[KWaiting for the approval, 1:02 left. Ctrl-C cancels.")
    reporter.update()
    #expect(screen.take() == "")
    #expect(reporter.nextUpdate == time.now().advanced(by: .seconds(1)))
    time.advance(seconds: 1)
    reporter.update()
    #expect(screen.take() == "\r\u{1B}[KWaiting for the approval, 1:01 left. Ctrl-C cancels.")
    reporter.failed(Failure(.accessDenied, "no"))
    #expect(screen.take() == "\r\u{1B}[K")
    #expect(reporter.nextUpdate == nil)
  }

  @Test func `after a suspend it goes on from now, and does not catch up`() throws {
    var reporter = reporter()
    try reporter.tell(.deviceCode(code))
    reporter.update()
    time.advance(seconds: 100)
    _ = screen.take()
    reporter.update()
    #expect(screen.take() == "\r\u{1B}[KWaiting for the approval; the code is about to expire.")
    #expect(reporter.nextUpdate == time.now().advanced(by: .seconds(1)))
  }

  @Test func `a quiet sign-in still shows the code, or nobody could sign in`() throws {
    var reporter = reporter(quiet: true)
    try reporter.tell(.deviceCode(code))
    #expect(screen.take() == LoginText.instructions(code))
  }
}
