import Crypto
@testable import OAuth
import Testing

@testable import Daemon

@Suite struct `Credentials of roles in memory` {
  private func key(_ number: Int = 0) throws -> RoleCache.Key {
    RoleCache.Key(
      endpoint: try Endpoint("https://sts.example", allowHTTPLoopback: false),
      role: try #require(
        WebIdentityRole(arn: "arn:aws:iam::123456789012:role/\(number)", sessionName: "a.", seconds: nil)))
  }

  @Test(arguments: [(3600, 2400), (43_200, 42_000), (900, 450), (0, 0), (-5, 0)])
  func `are renewed in time for programs that ask 15 minutes before the end`(lifetime: Int, freshFor: Int) throws {
    var cache = RoleCache()
    cache.store(try Self.credentials(until: 1000 + lifetime), for: try key(), now: 1000)
    if freshFor > 0 { #expect(try cache.freshCredentials(for: key(), now: 999 + freshFor) != nil) }
    #expect(try cache.freshCredentials(for: key(), now: 1000 + freshFor) == nil)
    #expect(try cache.freshCredentials(for: key(1), now: 1000) == nil)
  }

  @Test func `are 32 at most`() throws {
    var cache = RoleCache()
    for number in 0..<33 { cache.store(try Self.credentials(until: 5000 + number), for: try key(number), now: 1000) }
    #expect(try cache.freshCredentials(for: key(0), now: 1000) == nil)
    #expect(try cache.freshCredentials(for: key(1), now: 1000) != nil)
    #expect(try cache.freshCredentials(for: key(32), now: 1000) != nil)
  }

  private static func credentials(until end: Int) throws -> WebIdentityRole.Credentials {
    let secret = SealedSecret(SharedSecret(try SecretBytes(copying: [0x61].span)))
    return WebIdentityRole.Credentials(accessKeyID: "A", secretAccessKey: secret, sessionToken: secret, expiresAt: end)
  }
}
