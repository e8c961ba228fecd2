internal import Encoding
internal import Wire

/// A command line that users can paste, for hints.
struct HintCommand: Sendable {
  private let command: Command?
  private let path: [String]
  private var operands: [String]
  /// The options, named without dashes.
  private var options: [Correction.Addition]

  /// An invocation with other operands and without some options.
  init(_ invocation: Invocation, operands: [String], without dropped: [OptionDeclaration]) {
    command = invocation.command
    path = ["agent"] + invocation.commandWords
    self.operands = operands
    options = invocation.given.filter { given in !dropped.contains { $0.name == given.option.name } }.map { given in
      Correction.Addition(given.option.name, given.option.argument.metavar == nil ? nil : given.text)
    }
  }

  /// Nil if repeating has another effect, for example with `--resume`.
  init?(repeating invocation: Invocation) {
    guard invocation.command != nil, invocation.trailingArguments == nil,
      invocation.arguments(of: Option.resume.declaration).isEmpty
    else { return nil }
    self.init(invocation, operands: invocation.operands, without: [])
  }

  mutating func add(_ option: OptionDeclaration, _ value: String) { options.append(.init(option.name, value)) }

  /// Nil if the command does not have the options to add.
  func corrected(by correction: Correction) -> HintCommand? {
    guard let command, !correction.added.isEmpty || [.login, .workload].contains(command.name),
      correction.added.allSatisfy({ added in
        added.name == Correction.account && command.operands.candidates == .accounts
          || (command.options + Options.common).contains { $0.name == added.name }
      })
    else { return nil }
    var changed = self
    changed.options.removeAll { option in
      correction.removed.contains(option.name) || correction.added.contains { $0.name == option.name }
    }
    for addition in correction.added where !changed.replaceOperand(by: addition) { changed.options.append(addition) }
    return changed
  }

  /// Makes an added account the first operand, or replaces another spelling of an added issuer. Otherwise returns
  /// false.
  private mutating func replaceOperand(by addition: Correction.Addition) -> Bool {
    if addition.name == Correction.account, let account = addition.value, command?.operands.candidates == .accounts {
      operands = [account] + operands.dropFirst()
      return true
    }
    guard addition.name == Option.issuer.name, let issuer = addition.value,
      let index = operands.firstIndex(where: { $0.utf8.contains(UInt8(ascii: ":")) && Self.isSame($0, issuer) })
    else { return false }
    operands[index] = issuer
    return true
  }

  /// Whether a URL is the issuer or its metadata's URL (RFC 8414, section 3.1), ignoring final slashes.
  private static func isSame(_ url: String, _ issuer: String) -> Bool {
    let parts = url.split(separator: "/", omittingEmptySubsequences: true)
    guard let index = parts.firstIndex(of: ".well-known"), index + 1 < parts.count else {
      return parts == issuer.split(separator: "/", omittingEmptySubsequences: true)
    }
    return Array(parts[..<index] + parts[(index + 2)...])
      == issuer.split(separator: "/", omittingEmptySubsequences: true)
  }

  var text: String {
    let options = options.flatMap { ["--\($0.name)"] + [$0.value].compactMap { $0 } }
    return (path + operands + options).map(ShellWord.quoted).joined(separator: " ")
  }
}
