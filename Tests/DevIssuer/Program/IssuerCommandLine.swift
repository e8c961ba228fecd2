/// Reads the command line strictly: nothing unknown, nothing twice, no operands.
enum IssuerCommandLine {
  /// A command line that cannot be obeyed.
  struct Problem: Error, Hashable {
    /// One sentence, lower case, no full stop.
    let message: String
    init(_ message: String) { self.message = message }
  }

  /// - Parameter arguments: Without the name of the program.
  /// - Returns: Nil when help is asked for.
  static func settings(_ arguments: [String]) throws(Problem) -> IssuerSettings? {
    var settings = IssuerSettings()
    var seen: Set<String> = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--help" || argument == "-h" { return nil }
      let (name, given) = ASCII.halves(argument, at: "=")
      guard let row = IssuerSetting.all.first(where: { $0.option == name }) else {
        throw Problem(argument.hasPrefix("-") ? "unknown option \(name)" : "unexpected argument \(argument)")
      }
      guard seen.insert(name).inserted || row.mayRepeat else { throw Problem("\(name) comes twice") }
      guard row.values != nil || given == nil else { throw Problem("\(name) takes no value") }
      guard let value = row.values == nil ? row.implied : given ?? rest.popFirst() else {
        throw Problem("\(name) needs a value")
      }
      guard row.set(&settings, value) else { throw Problem("\(name): wrong value; it takes \(row.values ?? "none")") }
    }
    return settings
  }

  static var help: String {
    let column = 32
    let rows = IssuerSetting.all.compactMap { row in
      row.option.map { option in
        let left = "  " + option + (row.values.map { " " + $0 } ?? "")
        return left + String(repeating: " ", count: max(1, column - left.count))
          + row.help.replacing("\n", with: "\n" + String(repeating: " ", count: column))
      }
    }
    let parameters = IssuerSetting.all.compactMap(\.parameter) + DevelopmentIssuer.controlActions.map(\.name)
    return """
      usage: devissuer [OPTION]…

      An OAuth 2.0 and OpenID Connect authorization server for development and tests.
      It listens on 127.0.0.1 only, asks for no password, and forgets everything when it ends.

      \(rows.joined(separator: "\n"))
        --help                        print this

      POST requests to /control take a form with these names; off ends a fault:
        \(IssuerSetting.lines(parameters.sorted(), width: 90).replacing("\n", with: "\n  "))

      The first line on standard output is a JSON object that names the issuer and the clients.

      """
  }
}
