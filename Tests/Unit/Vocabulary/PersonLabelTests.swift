import Encoding
import Testing
import Vocabulary

@Suite struct `The label of a person` {
  private func claims(_ text: String) throws -> JSONObject { try #require(try JSON(parsing: Array(text.utf8)).object) }

  @Test func `is the e-mail address, else the preferred user name, else the name`() throws {
    let all = try claims(#"{"sub":"1","name":"Ann B.","preferred_username":"ann","email":"ann@example.com"}"#)
    #expect(PersonLabel(claims: all)?.text == "ann@example.com")
    #expect(PersonLabel(claims: try claims(#"{"name":"Ann B.","preferred_username":"ann","email":7}"#))?.text == "ann")
    #expect(PersonLabel(claims: try claims(#"{"name":"Ann B.","preferred_username":" "}"#))?.text == "Ann B.")
    #expect(PersonLabel(claims: try claims(#"{"sub":"1"}"#)) == nil)
  }

  @Test func `is cleaned, and at most 128 bytes that are cut at a character`() {
    #expect(PersonLabel("An\u{202E}n\u{1B}[2J\n")?.text == "Ann[2J")
    #expect(PersonLabel("\u{200B}\n") == nil)
    #expect(PersonLabel(String(repeating: "a", count: 128))?.text.utf8.count == 128)
    #expect(PersonLabel(String(repeating: "a", count: 1000))?.text.utf8.count == 128)
    let label = PersonLabel(String(repeating: "ä", count: 1000))?.text
    #expect(label == String(repeating: "ä", count: 62) + "…")
    #expect(label.flatMap(PersonLabel.init)?.text == label)
  }
}
