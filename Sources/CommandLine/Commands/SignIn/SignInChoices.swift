internal import Encoding
internal import Platform
internal import Wire

struct SignInChoices {
  private let accounts: [JSON]
  /// Accounts, presets and services, by number.
  private let names: [String]
  private let activeAccount: String?

  init(_ client: DaemonClient) throws(Failure) {
    let listed = try client.ask(.state(.list))["accounts"]?.array ?? []
    let activeAccount =
      listed.isEmpty ? nil : (try? client.ask(.account(.show(account: nil))))?["account"]?.string
    let files = AdministratorFiles.ofThisMachine()
    for problem in files.problems { client.console.note(problem.text) }
    self.init(listed, presets: files.presets.map(\.name), activeAccount: activeAccount)
  }

  init(_ listed: [JSON], presets: [String] = [], activeAccount: String?) {
    accounts = listed.filter { $0[.inConfig]?.bool != false }
    self.activeAccount = activeAccount
    let own = accounts.compactMap { $0[.name]?.string }
    let prepared = presets.filter { !own.contains($0) }
    names = own + prepared + Provider.names.filter { !own.contains($0) && !prepared.contains($0) }
  }

  /// Asks until the answer is unambiguous. Returns an account, service or issuer URL; nil at the end of input.
  func ask() throws(Failure) -> String? {
    let question =
      activeAccount.map { Phrase("Sign in to (number, name or issuer URL; Enter for \($0))") }
      ?? Phrase("Sign in to (number, name or issuer URL)")
    Console.printToStandardError(text(columns: OutputTerminal.current?.columns() ?? 80))
    while true {
      guard let answer = try Confirmation.askForLine(question, orElse: activeAccount) else { return nil }
      let matching = matches(for: answer)
      if matching.isEmpty, Int(answer) != nil {
        Console.printToStandardError(Phrase("choose a number from 1 to \(names.count)").localized() + "\n")
        continue
      }
      if matching.count == 1 { return matching[0] }
      let similar = matching.isEmpty ? Suggestion.candidates(for: answer, among: names) : matching
      guard !similar.isEmpty else { return answer }
      Console.printToStandardError(Phrase("did you mean \(Phrase.choices(similar))?").localized() + "\n")
    }
  }

  /// The matches for a number, name, prefix or company, accounts first. Empty for other text.
  func matches(for answer: String) -> [String] {
    if let number = Int(answer) { return names.indices.contains(number - 1) ? [names[number - 1]] : [] }
    let letters = answer.lowercased()
    if let name = names.first(where: { $0.hasSameBytes(as: answer) || $0.hasSameBytes(as: letters) }) {
      return [name]
    }
    func fitting(_ names: ArraySlice<String>) -> [String] {
      names.filter { $0.lowercased().utf8.starts(with: letters.utf8) }
    }
    let own = fitting(names.prefix(accounts.count))
    let matching = own.isEmpty ? fitting(names.dropFirst(accounts.count)) : own
    return matching.isEmpty ? ProviderName.known(as: answer).map(\.rawValue) : matching
  }

  /// More accounts share lines, so that the text fits 24 lines.
  private static let maximumLines = 10

  /// One line per account if few, then the services side by side.
  func text(columns: Int) -> String {
    var listing = Listing()
    let detailed = accounts.count <= Self.maximumLines ? accounts : []
    for (index, account) in detailed.enumerated() {
      listing.add([
        String(index + 1), account[.name]?.string ?? "?", account[.person]?.string ?? "",
        AccountText.stateName(account).localized(),
      ])
    }
    var text = listing.text(columns: columns)
    if !detailed.isEmpty { text += "\n" }
    let cells = names.enumerated().dropFirst(detailed.count).map { "\($0 + 1) \($1)" }
    let width = 2 + (cells.map(\.count).max() ?? 0)
    let inRow = max(1, (columns + 2) / width)
    for start in stride(from: 0, to: cells.count, by: inRow) {
      let row = cells[start..<min(start + inRow, cells.count)]
      let padded = row.dropLast().map { $0 + String(repeating: " ", count: width - $0.count) }
      text += padded.joined() + (row.last ?? "") + "\n"
    }
    return text
  }
}
