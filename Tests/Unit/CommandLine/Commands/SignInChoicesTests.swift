import Encoding
import Testing

@testable import CommandLine

@Suite struct `The choices of a sign-in` {
  @Test(arguments: [1, 10, 11, 25]) func `fit the first screen of a sign-in, however many accounts there are`(
    count: Int
  ) {
    let accounts = (1...count).map { JSON.object(JSONObject([("name", .string("account\($0)"))])) }
    let lines = SignInChoices(accounts, activeAccount: nil).text(columns: 80).split(separator: "\n")
    #expect(lines.count <= 22, "\(lines)")
    #expect(lines.contains { $0.contains("account\(count)") } && lines.contains { $0.contains("github") })
  }
}
