import Crypto
import OAuth
import Platform
import Sessions
import Testing
import Vault

// RFC 8693.
@Suite struct `A token that is got for another` {
  let home: Home

  init() throws { home = try Home() }

  @Test(arguments: Protection.allCases) func `is at the level of that one, so that a lock takes it and its use counts`(
    level: Protection
  ) throws {
    try home.store()
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2"))
    let target = try #require(try TokenTarget.make(scope: [], resources: [], audience: "api", isExchanged: true))
    let exchanged = try ExchangeOperation(
      account: home.account, configuration: Home.configuration, subject: grant("at-1", protection: level),
      target: target, services: home.services, cancellation: Cancellation()
    ).run()
    #expect(exchanged.accessToken.text == "at-2")
    #expect(exchanged.protection == level)
    #expect(home.http.requests.last?.form?.contains("subject_token=at-1") == true)
  }
}
