import Crypto
import Encoding
import OAuth
import Platform
import TestSupport
import Testing
import Vocabulary

@testable import Sessions

@Suite struct `The end of a grant` {
  private static let now = 1_800_000_000
  private static let day = 86_400

  private static func answer(_ members: String = "") throws -> TokenResponse {
    let more = members.isEmpty ? "" : ",\(members)"
    let text = #"{"access_token":"a","token_type":"Bearer","refresh_token":"r"\#(more)}"#
    return try TokenResponse.parse(response(200, JSON(parsing: Array(text.utf8))))
  }

  private static func refreshToken(_ seconds: Int) -> String { #""refresh_token_expires_in":\#(seconds)"# }
  private static func authorization(_ seconds: Int) -> String { #""authorization_expires_in":\#(seconds)"# }

  private func expiry(_ answers: (String, isNew: Bool, at: Int)...) throws -> GrantExpiry {
    var expiry = GrantExpiry()
    for (members, isNew, now) in answers { expiry.update(try Self.answer(members), isNewToken: isNew, now: now) }
    return expiry
  }

  @Test func `is the first of those that the server names`() throws {
    let now = Self.now
    #expect(try expiry(("", true, now)).earliest == nil)
    #expect(try expiry((Self.refreshToken(100), true, now)).earliest == now + 100)
    #expect(try expiry((Self.refreshToken(100) + "," + Self.authorization(50), true, now)).earliest == now + 50)
    #expect(try expiry((Self.refreshToken(100) + "," + Self.authorization(500), true, now)).earliest == now + 100)
  }

  @Test func `is replaced by a new value, and has no bound where an answer names none`() throws {
    let (now, first) = (Self.now, (Self.refreshToken(1000), true, Self.now))
    #expect(try expiry(first, (Self.refreshToken(5000), true, now + 10)).refreshTokenExpiresAt == now + 5010)
    #expect(try expiry(first, (Self.refreshToken(500), false, now + 10)).refreshTokenExpiresAt == now + 510)
    #expect(try expiry(first, ("", false, now + 10)).refreshTokenExpiresAt == nil)
    #expect(try expiry(first, ("", true, now + 10)).refreshTokenExpiresAt == nil)
    var unread = try expiry(first)
    unread.update(nil, isNewToken: true, now: now)
    #expect(unread.earliest == nil)
    // An unreadable value says nothing about the grant, nor about the same token.
    var kept = try expiry((Self.authorization(1000) + "," + Self.refreshToken(2000), true, now))
    kept.update(nil, isNewToken: false, now: now + 10)
    #expect(kept.authorizationExpiresAt == now + 1000 && kept.refreshTokenExpiresAt == now + 2000)
    #expect(try expiry((Self.authorization(1000), true, now), ("", true, now + 10)).earliest == nil)
  }

  // draft-ietf-oauth-refresh-token-expiration-03; the earlier name is used by older services.
  @Test func `is read by its present name before the earlier one`() throws {
    #expect(try Self.answer(#""refresh_token_timeout":60"#).refreshTokenExpiresIn == 60)
    #expect(try Self.answer(#""refresh_token_expires_in":50,"refresh_token_timeout":60"#).refreshTokenExpiresIn == 60)
    #expect(try Self.answer(#""refresh_token_expires_in":50,"refresh_token_timeout":"x""#).refreshTokenExpiresIn == 50)
  }

  @Test func `is told some days before, and not when it is over`() throws {
    let expiry = try expiry((Self.refreshToken(10 * Self.day), true, Self.now))
    let end = Self.now + 10 * Self.day
    #expect(expiry.endToWarnAbout(now: Self.now) == nil)
    #expect(expiry.endToWarnAbout(now: end - 3 * Self.day - 1) == nil)
    #expect(expiry.endToWarnAbout(now: end - 3 * Self.day) == end)
    #expect(expiry.endToWarnAbout(now: end - 1) == end)
    #expect(expiry.endToWarnAbout(now: end) == nil)
  }

  @Test func `is told later where each refresh moves it on`() throws {
    let (first, later) = ((Self.refreshToken(4000), true, Self.now), Self.now + 1000)
    #expect(try expiry(first).endToWarnAbout(now: Self.now) == Self.now + 4000)
    let moved = try expiry(first, (Self.refreshToken(4000), true, later))
    #expect(moved.endToWarnAbout(now: later + 2999) == nil)
    #expect(moved.endToWarnAbout(now: later + 3000) == later + 4000)
    // The same end, in seconds from another moment.
    let same = try expiry(first, (Self.refreshToken(3001), true, later))
    #expect(same.endToWarnAbout(now: later) == later + 3001)
  }

  @Test(arguments: [
    "-1", "0.5", "1000000000000000000", "1e18", "\"soon\"", "\"-5\"", "null", "true", "[]", "{}", "0", "\"\"",
    "99999999999999999999999999",
  ])
  func `is unknown where the value is absurd`(value: String) throws {
    for name in ["refresh_token_timeout", "refresh_token_expires_in", "authorization_expires_in"] {
      let answer = try Self.answer("\"\(name)\":\(value)")
      #expect(answer.refreshTokenExpiresIn == nil && answer.authorizationExpiresIn == nil)
      #expect(answer.refreshToken != nil)
    }
  }

  @Test func `may be written as a string`() throws {
    #expect(try Self.answer(#""refresh_token_expires_in":"3600""#).refreshTokenExpiresIn == 3600)
    #expect(try Self.answer(#""authorization_expires_in":3600.0"#).authorizationExpiresIn == 3600)
  }

  @Test func `is read as it was written`() throws {
    for members in ["", Self.refreshToken(1), Self.authorization(9) + "," + Self.refreshToken(7)] {
      let expiry = try expiry((members, true, Self.now))
      #expect(GrantExpiry(json: expiry.json) == expiry)
    }
    #expect(GrantExpiry(json: "x") == GrantExpiry() && GrantExpiry(json: ["refresh_token": "x"]) == GrantExpiry())
  }
}
