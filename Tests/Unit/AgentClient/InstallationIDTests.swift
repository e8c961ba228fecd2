import Testing

import AgentClient

@Suite struct `An installation's number` {
  @Test func `is another one each time`() {
    let made = (0..<100).map { _ in InstallationID.random() }
    #expect(Set(made).count == 100)
    for number in made { #expect(InstallationID(number.text) == number) }
  }

  @Test(arguments: [
    "", "0", String(repeating: "0", count: 31), String(repeating: "0", count: 33), String(repeating: "G", count: 32),
    String(repeating: "A", count: 32),
  ])
  func `is nothing but 32 digits`(text: String) {
    #expect(InstallationID(text) == nil)
  }
}
