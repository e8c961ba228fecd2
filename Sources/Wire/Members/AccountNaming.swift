internal import Vocabulary

/// Sets the member `account` of a request without one. Ignores all other members.
struct AccountNaming: MemberPass {
  let account: String

  func text(
    _ name: String, _ value: inout String?, limit: Int?, isRequired: Bool, _ meaning: () -> String
  ) {
    if value == nil, name == "account" { value = account }
  }

  func flag(_ name: String, _ value: inout Bool, _ meaning: @autoclosure () -> String) {}

  func number(
    _ name: String, _ value: inout Int?, in range: ClosedRange<Int>, isRequired: Bool, _ meaning: () -> String
  ) {}

  func texts(_ name: String, _ value: inout [String], orOne: Bool, _ meaning: @autoclosure () -> String) {}

  func numbers(
    _ name: String, _ value: inout [Int], in range: ClosedRange<Int>, limit: Int, _ meaning: @autoclosure () -> String
  ) {}

  func word(
    _ name: String, _ value: inout String?, among words: () -> [String], isRequired: Bool, _ meaning: () -> String
  ) -> Bool { false }

  func value<Value: MemberValue>(
    _ name: String, _ value: inout Value?, isRequired: Bool, _ meaning: () -> String
  ) {}

  func settings(_ value: inout AccountSettings, among settings: [AccountSetting]) {}

  func check(_ isValid: @autoclosure () -> Bool, _ message: @autoclosure () -> Phrase) {}
}
