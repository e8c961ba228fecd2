import Crypto
import Platform

/// One device authorization, from its request until its code is used (RFC 8628 section 3).
struct DeviceGrant: Sendable {
  enum Decision: Sendable { case pending, approved, denied }

  let userCode: String
  /// Without a user until one approves.
  var grant: IssuerGrant
  let expiresAt: Instant
  /// The least time between two polls.
  var interval: Duration
  var decision = Decision.pending
  var lastPoll: Instant?

  /// Notes a poll. False when it came too early: then the interval has grown by five seconds (RFC 8628 section 3.5).
  mutating func notePoll(at now: Instant) -> Bool {
    // Clients measure the interval between their sends; the network may bring two closer together.
    let isTimely = lastPoll.map { $0.duration(to: now) + .milliseconds(100) >= interval } ?? true
    lastPoll = now
    if !isTimely { interval += .seconds(5) }
    return isTimely
  }

  mutating func decide(approves: Bool, _ username: String, at unixSeconds: Int) {
    decision = approves ? .approved : .denied
    (grant.username, grant.authTime) = (username, unixSeconds)
  }
}

/// Device authorizations; more than the tables hold push out the oldest.
struct DeviceStore: Sendable {
  /// Why a user code cannot be used, for the user.
  struct CodeProblem: Error { let text: String }

  private static let guessLimit = 20

  /// By device code.
  var grants = BoundedTable<DeviceGrant>(capacity: 1000)
  /// Device codes by user code.
  private var deviceCodes = BoundedTable<String>(capacity: 1000)
  private var guesses: (count: Int, since: Instant)?

  mutating func add(_ device: DeviceGrant) throws -> String {
    let deviceCode = try grants.add(device)
    deviceCodes[device.userCode] = deviceCode
    return deviceCode
  }

  /// The authorization that waits for a decision under a code that was typed.
  func pending(_ typed: String, at now: Instant) throws(CodeProblem) -> (deviceCode: String, device: DeviceGrant) {
    guard let code = UserCode.read(typed), let deviceCode = deviceCodes[code], let device = grants[deviceCode] else {
      throw CodeProblem(text: "There is no such code. Look again at your device.")
    }
    let state = device.expiresAt <= now ? "has expired" : device.decision == .pending ? nil : "was used already"
    if let state { throw CodeProblem(text: "This code \(state). Start again on your device.") }
    return (deviceCode, device)
  }

  /// RFC 8628 section 5.1: twenty wrong codes in a minute are enough.
  mutating func mayGuess(at now: Instant) -> Bool {
    if let guesses, guesses.since.duration(to: now) >= .seconds(60) { self.guesses = nil }
    return guesses?.count ?? 0 < Self.guessLimit
  }

  mutating func noteWrongGuess(at now: Instant) { guesses = (1 + (guesses?.count ?? 0), guesses?.since ?? now) }
}

/// What the user types: eight consonants, so that no word can appear (RFC 8628 section 6.1).
enum UserCode {
  private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)

  /// What was typed, as it is shown: case, hyphens and spaces do not matter. Nil for what is no code.
  static func read(_ text: String) -> String? {
    let letters = text.utf8.filter { !"- ".utf8.contains($0) }.map { $0 >= 0x61 ? $0 & 0xDF : $0 }
    guard text.utf8.count <= 64, letters.count == 8, letters.allSatisfy(alphabet.contains) else { return nil }
    return String(decoding: letters.prefix(4) + [UInt8(ascii: "-")] + letters.suffix(4), as: UTF8.self)
  }

  /// A new code; each of the 20^8 is as likely as the others.
  static func random() throws -> String {
    var letters: [UInt8] = []
    while letters.count < 8 {
      // Bytes from 240 on would make some letters more likely.
      letters += try Random.bytes(8).filter { $0 < 240 }.map { alphabet[Int($0) % alphabet.count] }
    }
    return read(String(decoding: letters.prefix(8), as: UTF8.self)) ?? ""
  }
}
