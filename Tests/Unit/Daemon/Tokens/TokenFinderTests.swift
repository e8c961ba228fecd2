import Crypto
import Testing

@testable import Daemon

@Suite struct `The search for tokens in an environment` {
  private static func found(_ values: [String], _ tokens: [String]) throws -> [Int] {
    var secrets: [SharedSecret] = []
    for token in tokens {
      let bytes = Array(token.utf8)
      secrets.append(SharedSecret(try SecretBytes(copying: bytes.span)))
    }
    let bytes: [UInt8] = values.flatMap { (value: String) -> [UInt8] in Array(value.utf8) + [0] }
    return try TokenFinder(secrets).indicesOfValues(withTokensIn: bytes.span)
  }

  @Test func `finds one that a value is or contains, and names the value`() throws {
    let values = [
      "none at all", "tok+en/1234", "Bearer tok+en/1234", "https://u/?t=tok%2Ben%2f1234&x", #"{"t":"tok+en\/1234"}"#,
    ]
    #expect(try Self.found(values, ["tok+en/1234"]) == [1, 2, 3, 4])
    #expect(try Self.found(values, ["other-token-1", "none at all"]) == [0])
  }

  @Test(arguments: ["", "tok+en/123", "ok+en/1234", "tok+en/123%", "tok+en/123%3", #"tok+en\"#])
  func `finds none in a part of it`(value: String) throws {
    #expect(try Self.found([value], ["tok+en/1234"]).isEmpty)
  }

  @Test func `finds one that begins like a part before it, and none that is too short to be told from a word`() throws {
    #expect(try Self.found(["aaaaaaaaaaab"], ["aaaaaaaaab"]) == [0])
    #expect(try Self.found(["the password"], ["passwor"]).isEmpty)
    #expect(try Self.found([], ["aaaaaaaaab"]).isEmpty)
  }
}
