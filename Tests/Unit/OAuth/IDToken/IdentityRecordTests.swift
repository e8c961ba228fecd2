import Encoding
@testable import OAuth
import Testing

@Suite struct `Identity records` {
  @Test func `a record survives being written`() throws {
    let full = IdentityRecord(
      issuer: issuerText, subject: "alice", audience: ["a", "b"], authorizedParty: "a", authTime: 7, nonce: "n")
    let bare = IdentityRecord(issuer: issuerText, subject: "alice", audience: ["a"])
    for record in [full, bare] {
      #expect(IdentityRecord(json: try JSON(parsing: record.json.serialized())) == record)
    }
    #expect(bare.json.object?.names == ["iss", "sub", "aud"])
  }

  @Test(arguments: [
    "null", "{}", #"{"iss":"i","sub":"s"}"#, #"{"iss":"i","sub":"s","aud":[]}"#, #"{"iss":"i","sub":"s","aud":[1]}"#,
    #"{"iss":1,"sub":"s","aud":["a"]}"#, #"{"iss":"i","aud":["a"]}"#,
  ])
  func `anything else is no record`(text: String) throws {
    #expect(IdentityRecord(json: try JSON(parsing: Array(text.utf8))) == nil)
  }
}
