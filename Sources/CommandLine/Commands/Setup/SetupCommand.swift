internal import AgentSocket
internal import Encoding
internal import Platform
internal import Vocabulary
internal import Wire

/// `agent setup`: configures a program to ask a helper, and undoes that.
struct SetupCommand {
  private enum Mode { case apply, print, dryRun, undo, test }

  private let client: SetupClient?
  private let mode: Mode
  /// `--host` as typed.
  private let host: String?
  /// The account named on the command line.
  private let account: String?
  private let entryName: String?
  private let user: String?
  private let role: String?
  private let isConfirmed: Bool
  private let daemon: DaemonClient

  private var console: Console { daemon.console }

  static func run(_ invocation: Invocation) throws(Failure) -> Action {
    let command = try SetupCommand(invocation)
    return Action { () throws(Failure) in try command.run() }
  }

  private init(_ invocation: Invocation) throws(Failure) {
    client = try invocation.operands.first.map { (word) throws(Failure) in try Self.client(word) }
    let modes: [(Option<Bool>, Mode)] = [
      (.setupPrint, .print), (.setupDryRun, .dryRun), (.setupUndo, .undo), (.setupTest, .test),
    ]
    let given = modes.filter { invocation[$0.0] }
    if given.count > 1 { throw Invocation.choice(given[0].0.declaration, given[1].0.declaration) }
    mode = given.first?.1 ?? .apply
    account = try invocation.namedAccount(operand: nil)
    isConfirmed = invocation[.setupYes]
    daemon = DaemonClient(invocation)
    if let client {
      host = invocation[.setupHost]
      // The others are refused as options without effect.
      let isNamed = ![.git, .docker, .go, .pip, .uv].contains(client)
      entryName = isNamed ? invocation[.setupName] : nil
      user = client.isMail || client.link(.standard) == HelperName.keyringProgram ? invocation[.user] : nil
      role = client == .aws ? invocation[.roleARN] : nil
    } else {
      (host, entryName, user, role) = (nil, nil, nil, nil)
      if mode != .apply, mode != .undo {
        throw Failure(.invalidRequest, "no program given", hint: "agent setup")
      }
    }
  }

  private static func client(_ word: String) throws(Failure) -> SetupClient {
    guard let client = SetupClient(rawValue: word) else {
      throw Failure(
        .invalidRequest, "setup does not know the program \(TokenShape.shown(word))",
        hint: Phrase.meant(by: word, among: SetupClient.allCases.map(\.rawValue))
          ?? Phrase("choose one of \(SetupClient.allCases.map(\.rawValue).joined(separator: ", "))"))
    }
    return client
  }

  private func run() throws(Failure) -> Int32 {
    if [.apply, .undo].contains(mode) { try DaemonLauncher.refuseForeignDirectories() }
    guard let client else {
      if mode == .undo { return try undo() }
      try console.answer(SetupList.json(try .read()), showing: SetupList.text)
      return 0
    }
    switch mode {
    case .undo: return try undo()
    case .test:
      let context = try context(client)
      guard !context.url.isEmpty || client == .go else {
        throw Failure(.invalidRequest, "no host given", hint: "use \("--host")")
      }
      guard try isSetUp(client, context) else {
        throw Failure(
          .missingValue, Phrase("\(outcome(client, context, .works).subject) is not set up"),
          hint: client == .go && context.set("GOAUTH") != nil ? "unset GOAUTH" : hint(client, []))
      }
      try SetupTrial(client, context).run(isHeard: !console.json)
      try tell(outcome(client, context, .works))
    case .print: try print(client, try context(client))
    case .apply where client.isPrintedOnly, .dryRun where client.isPrintedOnly: try print(client, try context(client))
    case .apply, .dryRun: try apply(client, try context(client))
    }
    return 0
  }

  /// Whether the client's own configuration makes it ask this program.
  private func isSetUp(_ client: SetupClient, _ context: SetupContext) throws(Failure) -> Bool {
    if client == .git {
      let entries = GitHelperEntry.all().filter { $0.isFor(context.place) }
      // An empty helper discards all previous ones.
      return entries.split(omittingEmptySubsequences: false) { $0.helper.isEmpty }.last?.first?.isOurs ?? false
    }
    let plan = try client.plan(context)
    // The variable overrides the file.
    if client == .go, let commands = context.set("GOAUTH") {
      return try plan.isIn(Array("GOAUTH=\(commands)".utf8), of: "GOAUTH")
    }
    for file in plan.file == nil ? try client.files(context) : [plan.file].compactMap({ $0 }) {
      if let bytes = try file.read(), try plan.isIn(bytes, of: file.path) { return true }
    }
    return false
  }

  // MARK: The account

  /// Finds the account that lists the origin, before anything is written.
  ///
  /// - Parameter mayPermit: Whether the user may be asked to add the origin to an account.
  private func context(_ client: SetupClient, mayPermit: Bool = true) throws(Failure) -> SetupContext {
    let name = ProgramName.current
    let program = try SetupContext.ownPath(name)
    let all = try ListedPlace.all(of: nil, daemon).filter { client.wants($0.entry) }
    let own = account.map { account in all.filter { $0.account.utf8.elementsEqual(account.utf8) } } ?? all
    var place: OriginEntry?
    if let host {
      place = try Self.place(host, client, among: own)
    } else if !client.isForAllPlaces {
      place = try onlyPlace(of: own, client)
    }
    guard let place else {
      guard let first = own.first else {
        throw Failure(
          .placeNotListed, "no account lists a host for \(client.rawValue)", hint: "name it with \("--host")")
      }
      return context(client, program, name, place: nil, first)
    }
    let fits = { (places: [ListedPlace]) in
      let fitting = places.filter {
        $0.entry.origin.utf8.elementsEqual(place.origin.utf8) && $0.entry.covers(place.path)
      }
      let longest = fitting.map(\.entry.path.utf8.count).max()
      return fitting.filter { $0.entry.path.utf8.count == longest }
    }
    guard let first = fits(own).first else {
      try permit(place.origin + place.path, client, mayAsk: mayPermit)
      return try context(client, mayPermit: false)
    }
    let others = fits(client.canNameAccount && account != nil ? own : all).filter { $0.account != first.account }
    if let other = others.first {
      let accounts = Phrase.all([first.account, other.account])
      throw client.canNameAccount
        ? Failure(
          .invalidRequest, Phrase("\(accounts) may send their tokens to \(place.text)"),
          hint: Phrase("choose one: \(Phrase.choices([first.account, other.account], of: "account"))"))
        : Failure(
          .invalidConfiguration,
          Phrase(
            "\(accounts) may send their tokens to \(place.text), but \(client.rawValue) cannot choose between them"))
    }
    return context(client, program, name, place: place, first)
  }

  private func context(
    _ client: SetupClient, _ program: String, _ name: ProgramName, place: OriginEntry?, _ listed: ListedPlace
  ) -> SetupContext {
    SetupContext(
      program: program, name: name, place: place, account: listed.account, listed: listed.entry,
      namesAccount: client.canNameAccount && account != nil, entryName: entryName, user: user, role: role,
      serverURL: client == .mcp ? host.flatMap { OriginEntry.uri($0)?.text } : nil)
  }

  /// The origin named by `--host`: a host, or a URL. A mail server's scheme may be omitted, and the URL of an MCP
  /// server may have a query, which is ignored.
  ///
  /// - Parameter listed: The origins to search for a host without a scheme.
  private static func place(
    _ host: String, _ client: SetupClient, among listed: [ListedPlace] = []
  ) throws(Failure) -> OriginEntry {
    let hasScheme = host.utf8.contains(UInt8(ascii: "/"))
    let isSchemeless = client.isMail && !hasScheme
    let schemes = isSchemeless ? ["imaps://", "submission://", "submissions://"] : [""]
    let text = client == .mcp ? String(decoding: host.utf8.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self) : host
    let places = schemes.compactMap { OriginEntry($0 + text, allowHTTPLoopback: true) }
      .filter { !isSchemeless || client.wants($0) }
    let place = places.first { place in listed.contains { place.hasPlace(of: $0.entry) } } ?? places.first
    guard let place, place.isBare,
      host.utf8.allSatisfy({ $0.isVisibleASCII && !"\"'\\`$#;".utf8.contains($0) }),
      client != .mcp || OriginEntry.uri(host) != nil
    else { throw Failure(.invalidRequest, "\(TokenShape.shown(host)) is neither a host nor an https URL") }
    return place
  }

  /// The default origin if none is named.
  private func onlyPlace(of places: [ListedPlace], _ client: SetupClient) throws(Failure) -> OriginEntry? {
    var texts: [String] = []
    for place in places {
      let text = place.entry.origin + place.entry.path
      if !texts.contains(where: { $0.utf8.elementsEqual(text.utf8) }) { texts.append(text) }
    }
    guard texts.count < 2 else {
      throw Failure(
        .invalidRequest, Phrase("no host given: \(Phrase.choices(texts))"), hint: hint(client, ["--host", texts[0]]))
    }
    return try texts.first.map { (text) throws(Failure) in try Self.place(text, client) }
  }

  /// Adds a URL to the origins of the named or the active account, if the user agrees.
  ///
  /// - Throws: `place_not_listed`, with the command that adds it. An MCP server is signed in to instead: it names its
  ///   own authorization server.
  private func permit(_ url: String, _ client: SetupClient, mayAsk: Bool) throws(Failure) {
    let shown = ShellWord.quoted(url)
    let own = AccountRequest.show(account: Invocation.accountOfEnvironment)
    let isSignInBetter = client == .mcp && (try? URI(url))?.isHTTPS ?? false
    guard let name = account ?? (isSignInBetter ? nil : try? daemon.ask(.account(own)))?["account"]?.string else {
      throw Failure(
        .placeNotListed, "no account may send its token to \(url)",
        hint: isSignInBetter ? "agent login \(shown)" : "agent help account set")
    }
    let question = Phrase("\(name) may not send its token to \(url). Permit it?")
    guard mayAsk, mode == .apply, console.mayAsk, !console.json, try Confirmation.ask(question) ?? false else {
      throw Failure(
        .placeNotListed, "\(name) may not send its token to \(url)", hint: "agent account set \(name) --host \(shown)")
    }
    var settings = AccountSettings()
    settings.origins = [url]
    _ = try daemon.ask(.account(.set(account: name, settings, unset: [])))
  }

  // MARK: Setting up

  private func apply(_ client: SetupClient, _ context: SetupContext) throws(Failure) {
    let plan = try client.plan(context)
    guard let file = plan.file else { return try print(client, context) }
    let place = client.isForAllPlaces ? nil : context.url
    let old: [UInt8]?
    do throws(Failure) { old = try file.read() } catch {
      throw Failure(error.code, error.text, hint: error.advice ?? Phrase(verbatim: hint(client, ["--print"])))
    }
    let earlier = try SetupReceipts.read().all.first { $0.isFor(client, place, plan.entry, in: file) }
    if let piece = earlier?.piece, piece.isIn(old ?? []) {
      guard plan.isSame(as: piece) else {
        throw Failure(
          .invalidConfiguration, "\(file.path) is already set up differently",
          hint: hint(client, ["--undo"], isUndo: true))
      }
      if mode == .apply { try makeLink(client, context) }
      return try finish(outcome(client, context, .unchanged, file), client, context, plan)
    }
    let insertion = try plan.insertion(in: old, of: file.path)
    var piece: SetupPiece?
    switch insertion {
    case .inserted(_, let inserted): piece = inserted
    case .present:
      let isMissing = client.link(context.name).map { context.path(of: $0) == nil } ?? false
      if !isMissing || earlier != nil || mode == .dryRun {
        if mode == .apply, earlier != nil { try makeLink(client, context) }
        return try finish(outcome(client, context, .unchanged, file), client, context, plan)
      }
    case .exists(let key):
      try refuse(client, plan, Phrase("\(file.path) already has \(key) and was not changed"))
    case .refused:
      try refuse(client, plan, Phrase("\(file.path) has a format that setup does not change"))
    }
    let text = piece?.shown ?? []
    if mode == .dryRun {
      if !console.json { show(file.path, text) }
      return try tell(outcome(client, context, .proposed, file, text))
    }
    try confirm(client, context, file.path, text)
    let receipt = SetupReceipt(
      client: client, place: place, entry: plan.entry, account: context.account, file: file.path, piece: piece,
      isFileMade: old == nil,
      linkName: linkName(client, context), linkTarget: linkName(client, context).map { _ in context.program })
    try SetupReceipts.change { (receipts) throws(Failure) in
      let before = receipts
      receipts.all.removeAll { $0.isFor(client, place, plan.entry, in: file) }
      receipts.all.append(receipt)
      try receipts.write()
      do throws(Failure) {
        try makeLink(client, context)
        if case .inserted(let bytes, _) = insertion { try file.replace(old, by: bytes) }
      } catch {
        receipts = before
        throw error
      }
    }
    try finish(outcome(client, context, .setUp, file, text), client, context, plan)
  }

  /// Shows the manual configuration, and fails.
  private func refuse(_ client: SetupClient, _ plan: SetupPlan, _ reason: Phrase) throws(Failure) {
    if !console.json, let file = plan.file { show(file.path, plan.text) }
    throw Failure(.invalidConfiguration, reason, hint: hint(client, ["--print"]))
  }

  private func outcome(
    _ client: SetupClient, _ context: SetupContext, _ state: SetupOutcome.State, _ file: SetupFile? = nil,
    _ text: [String] = []
  ) -> SetupOutcome {
    SetupOutcome(
      client: client, place: context.place.map { _ in context.url }, account: context.account, file: file?.path,
      state: state, text: text)
  }

  private func print(_ client: SetupClient, _ context: SetupContext) throws(Failure) {
    let plan = try client.plan(context)
    let outcome = outcome(client, context, .printed, plan.file, plan.text)
    try console.answer(outcome.json) { _ in plan.text.joined(separator: "\n") + "\n" }
    if !console.json { console.note(outcome.phrase) }
    for note in plan.notes { console.note(note) }
    noteTrial(client)
  }

  private func noteTrial(_ client: SetupClient) {
    if !console.json { console.note(Phrase("to try it: \(hint(client, ["--test"]))")) }
  }

  private func tell(_ outcome: SetupOutcome) throws(Failure) {
    try console.confirm(outcome.json) { _ in outcome.phrase }
  }

  private func finish(
    _ outcome: SetupOutcome, _ client: SetupClient, _ context: SetupContext, _ plan: SetupPlan
  ) throws(Failure) {
    try tell(outcome)
    for note in plan.notes { console.note(note) }
    if let link = linkName(client, context), context.path(of: link) == nil {
      let line = "PATH=\(ShellWord.quoted(try SetupLinks.directory())):\"$PATH\""
      console.note(Phrase("add this line to the startup file of your shell: export \(line)"))
    }
    noteTrial(client)
  }

  /// The name to link in the user's directory, unless this program is on the `PATH` by that name.
  private func linkName(_ client: SetupClient, _ context: SetupContext) -> String? {
    client.link(context.name).flatMap { name in
      guard let found = context.path(of: name) else { return name }
      let directory = (try? SetupLinks.directory()) ?? ""
      return found.utf8.elementsEqual("\(directory)/\(name)".utf8) ? name : nil
    }
  }

  private func makeLink(_ client: SetupClient, _ context: SetupContext) throws(Failure) {
    if let name = linkName(client, context) { try SetupLinks.make(name, to: context.program) }
  }

  /// Shows the added text, and nothing of the existing content.
  private func show(_ path: String, _ text: [String]) {
    guard !console.quiet || mode == .dryRun else { return }
    let lines = text.map { "+ \(TerminalText.clean($0.expandingTabs, limit: 1000))\n" }
    Console.tell("\(TerminalText.clean(path, limit: 1000)):\n\(lines.joined())")
  }

  private func confirm(
    _ client: SetupClient, _ context: SetupContext, _ path: String, _ text: [String]
  ) throws(Failure) {
    if !console.json { show(path, text) }
    if isConfirmed { return }
    let answer = console.mayAsk ? try Confirmation.ask(Phrase("Write this to \(path)?")) : nil
    guard let answer else {
      throw Failure(
        .invalidRequest, "no terminal to ask for confirmation to change \(path)", hint: hint(client, ["--yes"]))
    }
    if !answer { throw Failure(.cancelled, "cancelled; nothing changed") }
  }

  /// This command line with other options.
  private func hint(_ client: SetupClient, _ more: [String], isUndo: Bool = false) -> String {
    var words = ["agent", "setup", client.rawValue]
    for (option, value) in [("host", host), ("name", entryName)] {
      if let value { words += ["--\(option)", value] }
    }
    for (option, value) in [("account", account), ("user", user), ("role-arn", role)] where !isUndo {
      if let value { words += ["--\(option)", value] }
    }
    return (words + more).map(ShellWord.quoted).joined(separator: " ")
  }

  // MARK: Undoing

  /// Removes unchanged additions, and reports the others.
  private func undo() throws(Failure) -> Int32 {
    var place: String?
    if let client, let host {
      let entry = try Self.place(host, client)
      place = entry.origin + entry.path
    }
    let outcomes = try SetupReceipts.change { (receipts) throws(Failure) in
      var outcomes: [SetupOutcome] = []
      for receipt in receipts.all.reversed() where isMeant(receipt, place) {
        outcomes.append(try receipts.undo(receipt))
      }
      return outcomes
    }
    let left = outcomes.contains { $0.state == .changed }
    if console.json {
      try Console.answer(JSONObject([("undone", .array(outcomes.map { .object($0.json) }))]))
    } else {
      if outcomes.isEmpty { console.note(Phrase("none of this is set up")) }
      for outcome in outcomes { console.note(outcome.phrase) }
    }
    return left ? ExitStatus.failed.rawValue : 0
  }

  private func isMeant(_ receipt: SetupReceipt, _ place: String?) -> Bool {
    guard client == nil || receipt.client == client else { return false }
    if let account, receipt.account != account { return false }
    if let entryName, let entry = receipt.entry, entry != entryName { return false }
    guard let place, let other = receipt.place else { return true }
    return place.utf8.elementsEqual(other.utf8)
  }
}

extension SetupReceipts {
  /// Removes one addition from its file, and its receipt unless it was changed there.
  fileprivate mutating func undo(_ receipt: SetupReceipt) throws(Failure) -> SetupOutcome {
    var outcome = receipt.outcome
    outcome.state = .undone
    if let piece = receipt.piece {
      let file = try SetupFile(receipt.file)
      let old = try file.read()
      if let old, let (bytes, left) = piece.removed(from: old) {
        remove(receipt)
        let isEmpty = receipt.isFileMade && bytes == piece.emptyFile
        if !isEmpty { handOn(receipt, left) }
        try file.replace(old, by: isEmpty ? nil : bytes)
      } else if old.map({ piece.hasTrace(in: $0) }) ?? false {
        outcome.state = .changed
        return outcome
      } else {
        outcome.state = .missing
      }
    }
    remove(receipt)
    if let link = receipt.link, !all.contains(where: { $0.linkName == link.name }) {
      try SetupLinks.remove(link.name, to: link.target)
    }
    return outcome
  }

  private mutating func remove(_ receipt: SetupReceipt) { all.removeAll { $0 == receipt } }

  /// Transfers the ownership of the file and objects created for a removed member to a receipt of another one in them.
  private mutating func handOn(_ receipt: SetupReceipt, _ left: Int) {
    guard case .member(let path, _, _)? = receipt.piece else {
      if receipt.isFileMade, let heir = all.firstIndex(where: { $0.file == receipt.file && $0.piece != nil }) {
        all[heir].isFileMade = true
      }
      return
    }
    for index in all.indices where all[index].file == receipt.file {
      if receipt.isFileMade { all[index].isFileMade = true }
      if left > 0, let piece = all[index].piece?.making(atLeast: left, around: path) {
        all[index].piece = piece
        return
      }
    }
  }
}

extension String {
  /// The text with spaces for each tab, which terminal texts must not contain.
  fileprivate var expandingTabs: String {
    String(decoding: utf8.flatMap { $0 == UInt8(ascii: "\t") ? Array("  ".utf8) : [$0] }, as: UTF8.self)
  }
}
