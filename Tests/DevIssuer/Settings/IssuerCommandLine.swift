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
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let row = IssuerSetting.all.first(where: { $0.option == parts[0] }) else {
        throw Problem(argument.hasPrefix("-") ? "unknown option \(parts[0])" : "unexpected argument \(argument)")
      }
      guard seen.insert(parts[0]).inserted || row.mayRepeat else { throw Problem("\(parts[0]) comes twice") }
      guard row.values == nil || parts.count == 2 || !rest.isEmpty else { throw Problem("\(parts[0]) needs a value") }
      guard row.values != nil || parts.count == 1 else { throw Problem("\(parts[0]) takes no value") }
      let value = row.values == nil ? row.implied : parts.count == 2 ? parts[1] : rest.removeFirst()
      guard row.set(&settings, value) else {
        throw Problem("\(parts[0]): wrong value; it takes \(row.values ?? "none")")
      }
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
        \(lines(parameters.sorted(), width: 90).replacing("\n", with: "\n  "))

      The first line on standard output is a JSON object that names the issuer and the clients.

      """
  }

  /// The names in lines of at most that many characters.
  static func lines(_ names: [String], width: Int) -> String {
    var lines = [names.first ?? ""]
    for name in names.dropFirst() {
      let longer = lines[lines.count - 1] + ", " + name
      let fits = longer.utf8.count <= width
      lines[lines.count - 1] = fits ? longer : lines[lines.count - 1] + ","
      if !fits { lines.append(name) }
    }
    return lines.joined(separator: "\n")
  }
}
