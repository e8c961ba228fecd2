import Platform
import Testing
import Vault

@testable import Daemon
import Vocabulary

@Suite struct `The lock by itself` {
  private let start = Instant.now

  @Test func `is never due while nothing is unlocked, or when it is not wanted`() {
    var idle = IdleLock()
    #expect(idle.lockTime(0) == .distantFuture && !idle.isCounting)
    idle.begin(nil, start, 0)
    #expect(idle.lockTime(0) == .distantFuture && idle.isCounting)
    idle.recordUse(start.advanced(by: .seconds(5)), 0)
    #expect(idle.lockTime(1_000_000) == .distantFuture)
  }

  @Test func `is due after its time, which each use begins anew`() {
    var idle = IdleLock()
    idle.begin(.seconds(60), start, 0)
    #expect(idle.lockTime(0) == start.advanced(by: .seconds(60)))
    idle.recordUse(start.advanced(by: .seconds(59)), 0)
    #expect(idle.lockTime(0) == start.advanced(by: .seconds(119)))
    idle.end()
    #expect(idle.lockTime(0) == .distantFuture && !idle.isCounting)
    // A use reported later does not restart the countdown.
    idle.recordUse(start.advanced(by: .seconds(120)), 0)
    #expect(idle.lockTime(0) == .distantFuture)
  }

  @Test func `is due earlier after a pause that only the machine's clock shows`() {
    var idle = IdleLock()
    idle.begin(.seconds(60), start, 1_000)
    #expect(idle.lockTime(1_045) == start.advanced(by: .seconds(15)))
    #expect(idle.lockTime(1_060) <= start)
    // Rounding differences are not a jump, and setting the clock back does not extend the time.
    for offset in [1_001, 1_002, 400] { #expect(idle.lockTime(offset) == start.advanced(by: .seconds(60))) }
    idle.recordUse(start.advanced(by: .seconds(5)), 1_045)
    #expect(idle.lockTime(1_045) == start.advanced(by: .seconds(65)))
  }
}

@Suite struct `A passphrase` {
  private func isUTF8(_ bytes: [UInt8]) -> Bool { VaultSecret.isUTF8(bytes.span) }

  @Test func `is well-formed UTF-8 (RFC 3629 section 4), as the standard library reads it`() {
    var failures: [[UInt8]] = []
    let interesting: [UInt8] = [
      0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
      0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
    ]
    func check(_ bytes: [UInt8]) {
      let isValid = String(validating: bytes, as: UTF8.self) != nil
      if isUTF8(bytes) != isValid { failures.append(bytes) }
    }
    for first in interesting {
      check([first])
      for second in interesting {
        check([first, second])
        for third in interesting {
          check([first, second, third])
          for fourth in interesting where first >= 0xE0 { check([first, second, third, fourth]) }
        }
      }
    }
    #expect(failures == [])
    #expect(isUTF8(Array("grün \u{1F511} ключ".utf8)))
  }
}
