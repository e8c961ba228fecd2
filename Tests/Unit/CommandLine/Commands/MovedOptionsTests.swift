import Testing
import Vocabulary

@testable import CommandLine

@Suite struct `The options of a sign-in` {
  private static let login = Main.commands.named(.login)

  @Test func `are at most 30`() { #expect(Self.login.options.count <= 30) }

  @Test func `are offered, or refused with another command`() {
    let offered = Set(Self.login.options.map(\.name))
    #expect(offered.isDisjoint(with: MovedOptions.declarations.map(\.name)))
    let all = offered.union(MovedOptions.declarations.map(\.name))
    for option in Options.accountSettings { #expect(all.contains(option.name), "\(option.name)") }
  }

  @Test(arguments: MovedOptions.declarations.map(\.name)) func `are refused if they have moved`(name: String) throws {
    let option = try #require(MovedOptions.declarations.first { $0.name == name })
    let value: [String] =
      switch option.argument {
      case .none: []
      case .choice(_, let words, _): [words()[0]]
      default: ["x"]
      }
    let line = ["login", "work", "--\(name)"] + value
    #expect(MovedOptions(try Parser.parse(line)) != nil)
    #expect(MovedOptions(try Parser.parse(["login", "work"])) == nil)
    // An account in memory has no stored settings.
    let isSetting = AccountSetting.withOption.contains { $0.optionName == name && $0.option?.group != .workload }
    #expect((MovedOptions(try Parser.parse(line + ["--ephemeral"])) == nil) == (isSetting && name != "protect"))
  }
}
