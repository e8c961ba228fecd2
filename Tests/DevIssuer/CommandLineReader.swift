/// Reads the command line strictly: nothing unknown, nothing twice, no operands.
enum CommandLineReader {
  enum Invocation: Sendable {
    case run(Options)
    case help
  }

  /// - Parameter arguments: Without the name of the program.
  static func read(_ arguments: [String]) throws(UsageError) -> Invocation {
    var options = Options()
    var seen: Set<String> = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--help" || argument == "-h" { return .help }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts.first.map(String.init) ?? ""
      guard let option = OptionSpecification.all.first(where: { $0.name == name }) else {
        throw UsageError(name.hasPrefix("-") ? "unknown option \(name)" : "unexpected argument \(argument)")
      }
      guard seen.insert(name).inserted || option.mayRepeat else { throw UsageError("\(name) comes twice") }
      try option.apply(try value(of: option, parts.count == 2 ? String(parts[1]) : nil, &rest), &options)
    }
    return .run(options)
  }

  static var help: String {
    let column = 32
    let lines = OptionSpecification.all.map { option in
      let left = "  " + option.name + (option.metavariable.map { " " + $0 } ?? "")
      return left + String(repeating: " ", count: max(1, column - left.count))
        + option.help.split(separator: "\n").joined(separator: "\n" + String(repeating: " ", count: column))
    }
    return """
      usage: devissuer [OPTION]…

      An OAuth 2.0 and OpenID Connect authorization server for development and tests.
      It listens on 127.0.0.1 only, asks for no password, and forgets everything when it ends.

      \(lines.joined(separator: "\n"))
        --help                        print this

      POST requests to /control take a form with these names; off ends a fault:
        \(controls)

      The first line on standard output is a JSON object that names the issuer and the clients.

      """
  }

  private static var controls: String {
    let names = ControlRequest.parameterNames.sorted() + [ControlRequest.failurePrefix + "ENDPOINT"]
    return lines(names, width: 90).joined(separator: "\n  ")
  }

  /// The names in lines of about that many characters.
  static func lines(_ names: [String], width: Int) -> [String] {
    var lines = [names.first ?? ""]
    for name in names.dropFirst() {
      let longer = lines[lines.count - 1] + ", " + name
      if longer.utf8.count <= width {
        lines[lines.count - 1] = longer
      } else {
        lines[lines.count - 1] += ","
        lines.append(name)
      }
    }
    return lines
  }

  private static func value(
    of option: OptionSpecification, _ attached: String?, _ rest: inout ArraySlice<String>
  ) throws(UsageError) -> String {
    guard option.metavariable != nil else {
      guard attached == nil else { throw UsageError("\(option.name) takes no value") }
      return ""
    }
    guard let value = attached ?? rest.popFirst() else { throw UsageError("\(option.name) needs a value") }
    return value
  }
}
