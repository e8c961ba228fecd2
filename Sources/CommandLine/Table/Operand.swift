/// One operand: an argument that is no option.
struct Operand: Sendable {
  /// What a shell completes the operand with.
  enum Completion: Sendable {
    case none
    case account
    case command
  }

  /// Its name in usage lines.
  let metavar: String
  var isOptional = true
  var completion = Completion.none

  static let account = Operand(metavar: "ACCOUNT", completion: .account)
}
