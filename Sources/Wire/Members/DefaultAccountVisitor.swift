/// Sets the member `account` of a request that lacks it. Ignores all other members.
struct DefaultAccountVisitor: MemberVisitor {
  let account: String

  func visitText(
    _ name: String, _ value: inout String?, limit: Int?, isRequired: Bool, _ meaning: () -> String
  ) {
    if value == nil, name == "account" { value = account }
  }

  func visitFlag(_ name: String, _ value: inout Bool, _ meaning: @autoclosure () -> String) {}

  func visitNumber(
    _ name: String, _ value: inout Int?, in range: ClosedRange<Int>, isRequired: Bool, _ meaning: () -> String
  ) {}

  func visitTexts(_ name: String, _ value: inout [String], orOne: Bool, _ meaning: @autoclosure () -> String) {}

  func visitNumbers(
    _ name: String, _ value: inout [Int], in range: ClosedRange<Int>, limit: Int, _ meaning: @autoclosure () -> String
  ) {}

  func visitWord(
    _ name: String, _ value: inout String?, among words: () -> [String], isRequired: Bool, _ meaning: () -> String
  ) -> Bool { false }

  func visitValue<Value: MemberValue>(
    _ name: String, _ value: inout Value?, isRequired: Bool, _ meaning: () -> String
  ) {}

  func visitSettings(_ value: inout AccountSettings, among settings: [AccountSetting]) {}

  func check(_ isValid: @autoclosure () -> Bool, _ message: @autoclosure () -> Phrase) {}
}
