internal import Encoding

/// Sets a missing member `account` and ignores all others.
struct DefaultAccountVisitor: MemberVisitor {
  let account: String

  func visit(
    _ name: String, _ value: inout JSON?, _ form: MemberForm, isRequired: Bool, _ meaning: () -> String
  ) {
    if value == nil, name == "account" { value = .string(account) }
  }

  func visitValue<Value: MemberValue>(
    _ name: String, _ value: inout Value?, isRequired: Bool, _ meaning: () -> String
  ) {}

  func visitSettings(_ value: inout AccountSettings, among settings: [AccountSetting]) {}
}
