import Crypto
import Encoding
@testable import OAuth

let now = 1_700_000_000

let goodClaims: JSONObject = [
  "iss": .string(issuerText), "sub": "alice", "aud": "agent", "exp": .int(now + 300), "iat": .int(now),
]

/// Verifies a token; `change` modifies the expectation.
func verify(
  _ claims: JSONObject, by key: SigningKey? = nil, header: JSONObject = ["typ": "JWT"], keys: JWKSet? = nil,
  change: (inout IDTokenExpectation) throws -> Void = { _ in }
) throws -> IDToken {
  let key = try key ?? SigningKey.shared.get(.ES256)
  let token = try secret(try key.sign(claims, header: header))
  var expecting = IDTokenExpectation(
    issuer: try testIssuer(), clientID: "agent", algorithms: [.RS256, .ES256, .ES384, .EdDSA], now: now)
  try change(&expecting)
  return try IDToken.verify(token, keys: keys ?? key.set, expecting: expecting)
}

func with(_ name: String, _ value: JSON?) -> JSONObject {
  var claims = goodClaims
  claims[name] = value
  return claims
}
