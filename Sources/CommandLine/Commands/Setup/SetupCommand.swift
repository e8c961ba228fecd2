internal import Encoding
internal import Wire

extension Option<String?> {
  static var setupHost: Self {
    Self("host", in: .service, .text("HOST"), "The host or URL to get tokens for")
  }
  static var setupName: Self {
    Self(
      "name", in: .service, .text("NAME"), "The name of the profile, registry or server; in the program's own settings")
  }
}

extension Option<Bool> {
  static var setupPrint: Self { Self("print", in: .output, "Print what to put into the settings, and change nothing") }
  static var setupDryRun: Self { Self("dry-run", in: .output, "Show what would be added, and change nothing") }
  static var setupUndo: Self { Self("undo", in: .service, "Remove what was added") }
  static var setupTest: Self { Self("test", in: .service, "Ask for a credential as the program would") }
  static var setupYes: Self { Self("yes", in: .scripts, short: "y", "Change the program's settings without asking") }
}

struct SetupCommand {
  static let setup = Command(
    .setup, topic: .programs,
    summary: "Configure other programs to get tokens",
    options: [
      Option.setupHost.declaration, Option.setupName.declaration, Option.roleARN.declaration,
      Option.user.declaration, Option.setupPrint.declaration, Option.setupDryRun.declaration,
      Option.setupUndo.declaration, Option.setupTest.declaration, Option.setupYes.declaration,
    ],
    shortHelp: ["host", "name", "print", "dry-run", "undo", "test", "yes"],
    operands: .setupProgram,
    examples: [
      Example("Set git up to ask for tokens", "agent setup git --host git.example.com --yes"),
      Example("Show the settings that docker would get", "agent setup docker --host registry.example.com --print"),
      Example("Undo everything", "agent setup --undo"),
    ],
    makeAction: makeAction)

  enum Mode { case apply, print, dryRun, undo, test }

  /// Nil to list the programs or to undo all.
  let client: SetupClient?
  let mode: Mode
  /// `--host` as typed.
  let host: String?
  let account: String?
  /// `--name`, if the client supports it.
  let entryName: String?
  let user: String?
  /// `--role-arn`, if the client supports it.
  let role: String?
  /// Whether `--yes` is given.
  private let isConfirmed: Bool
  let daemon: DaemonClient

  var console: Console { daemon.console }

  static func makeAction(_ invocation: Invocation) throws(Failure) -> Action {
    let command = try SetupCommand(invocation)
    return Action { () throws(Failure) in try command.run() }
  }

  private init(_ invocation: Invocation) throws(Failure) {
    client = try invocation.operands.first.map { (word) throws(Failure) in try Self.client(word) }
    let modes: [(Option<Bool>, Mode)] = [
      (.setupPrint, .print), (.setupDryRun, .dryRun), (.setupUndo, .undo), (.setupTest, .test),
    ]
    let given = modes.filter { invocation[$0.0] }
    if given.count > 1 { throw invocation.conflict(given[0].0.declaration, given[1].0.declaration) }
    mode = given.first?.1 ?? .apply
    account = try invocation.namedAccount(operand: nil)
    isConfirmed = invocation[.setupYes]
    daemon = DaemonClient(invocation)
    if let client {
      host = invocation[.setupHost]
      entryName = client.choices.contains(.name) ? invocation[.setupName] : nil
      user = client.choices.contains(.user) ? invocation[.user] : nil
      role = client.choices.contains(.role) ? invocation[.roleARN] : nil
    } else {
      (host, entryName, user, role) = (nil, nil, nil, nil)
      if mode != .apply, mode != .undo {
        throw Failure(.invalidRequest, "no program given", hint: "agent setup")
      }
    }
  }

  private static func client(_ word: String) throws(Failure) -> SetupClient {
    guard let client = SetupClient.named(word) else {
      throw Failure(
        .invalidRequest, "setup does not know the program \(TokenShape.redacted(word))",
        hint: Phrase.didYouMean(word, among: SetupClient.names)
          ?? Phrase("choose one of \(SetupClient.names.joined(separator: ", "))"))
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
      guard try client.isSetUp(context) else {
        throw Failure(
          .missingValue, Phrase("\(outcome(client, context, .works).subject) is not set up"),
          hint: client == .go && context.files.nonEmptyValue("GOAUTH") != nil ? "unset GOAUTH" : hint(client, []))
      }
      try client.trial(context).run(showsErrors: !console.usesJSON)
      try report(outcome(client, context, .works))
    case .print: try print(client, try context(client))
    case .apply where client.isPrintedOnly, .dryRun where client.isPrintedOnly: try print(client, try context(client))
    case .apply, .dryRun: try apply(client, try context(client))
    }
    return 0
  }

  // MARK: Setting up

  private func apply(_ client: SetupClient, _ context: SetupContext) throws(Failure) {
    let plan = try client.plan(context)
    guard let file = plan.file else { return try print(client, context) }
    let url = client.hasSingleSetting ? nil : context.url
    let old: [UInt8]?
    do throws(Failure) { old = try file.read() } catch {
      throw Failure(error.code, error.text, hint: error.advice ?? Phrase(verbatim: hint(client, ["--print"])))
    }
    let earlier = try SetupReceipts.read().all.first { $0.matches(client, url, plan.entry, in: file) }
    if let addition = earlier?.addition, addition.isIn(old ?? []) {
      guard plan.isSame(as: addition) else {
        throw Failure(
          .invalidConfiguration, "\(file.path) is already set up differently",
          hint: hint(client, ["--undo"], isUndo: true))
      }
      if mode == .apply { try makeLink(client, context) }
      return try finish(outcome(client, context, .unchanged, file), client, context, plan)
    }
    let insertion = try plan.insertion(in: old, of: file.path)
    var addition: SetupAddition?
    switch insertion {
    case .inserted(_, let inserted): addition = inserted
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
    let text = addition?.addedLines ?? []
    if mode == .dryRun {
      if !console.usesJSON { show(file.path, text) }
      return try report(outcome(client, context, .proposed, file, text))
    }
    try confirm(client, context, file.path, text)
    let receipt = SetupReceipt(
      client: client, url: url, entry: plan.entry, account: context.account, file: file.path, addition: addition,
      hasCreatedFile: old == nil,
      linkName: linkName(client, context), linkTarget: linkName(client, context).map { _ in context.program })
    try SetupReceipts.change { (receipts) throws(Failure) in
      let before = receipts
      receipts.all.removeAll { $0.matches(client, url, plan.entry, in: file) }
      receipts.all.append(receipt)
      try receipts.write(SetupReceipts.directory())
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

  /// Prints the settings to add by hand, and throws.
  private func refuse(_ client: SetupClient, _ plan: SetupPlan, _ reason: Phrase) throws(Failure) {
    if !console.usesJSON, let file = plan.file { show(file.path, plan.text) }
    throw Failure(.invalidConfiguration, reason, hint: hint(client, ["--print"]))
  }

  private func outcome(
    _ client: SetupClient, _ context: SetupContext, _ state: SetupOutcome.State, _ file: SetupFile? = nil,
    _ text: [String] = []
  ) -> SetupOutcome {
    SetupOutcome(
      client: client, url: context.origin.map { _ in context.url }, account: context.account, file: file?.path,
      state: state, text: text)
  }

  private func print(_ client: SetupClient, _ context: SetupContext) throws(Failure) {
    let plan = try client.plan(context)
    let files = try client.printedSettingsFiles?(context.files) ?? []
    let outcome = outcome(client, context, .printed, plan.file ?? files.first, plan.text)
    if !console.usesJSON { console.note(outcome.phrase) }
    try console.answer(outcome.json) { _ in plan.text.joined(separator: "\n") + "\n" }
    for note in plan.notes { console.note(note) }
    noteTrial(client)
  }

  /// Prints the command that tests the settings.
  private func noteTrial(_ client: SetupClient) {
    if !console.usesJSON { console.note(Phrase("to try it: \(hint(client, ["--test"]))")) }
  }

  private func report(_ outcome: SetupOutcome) throws(Failure) {
    try console.confirm(outcome.json) { _ in outcome.phrase }
  }

  /// Reports the result and the remaining steps.
  private func finish(
    _ outcome: SetupOutcome, _ client: SetupClient, _ context: SetupContext, _ plan: SetupPlan
  ) throws(Failure) {
    try report(outcome)
    for note in plan.notes { console.note(note) }
    if let link = linkName(client, context), context.path(of: link) == nil {
      let line = "PATH=\(ShellWord.quoted(try SetupLinks.directory())):\"$PATH\""
      console.note(Phrase("add this line to the startup file of your shell: export \(line)"))
    }
    noteTrial(client)
  }

  /// The link to create; nil if `PATH` already has this program by that name.
  private func linkName(_ client: SetupClient, _ context: SetupContext) -> String? {
    client.link(context.name).flatMap { name in
      guard let found = context.path(of: name) else { return name }
      let directory = (try? SetupLinks.directory()) ?? ""
      return found.hasSameBytes(as: "\(directory)/\(name)") ? name : nil
    }
  }

  private func makeLink(_ client: SetupClient, _ context: SetupContext) throws(Failure) {
    if let name = linkName(client, context) { try SetupLinks.make(name, to: context.program) }
  }

  /// Shows only the added lines of the file.
  private func show(_ path: String, _ text: [String]) {
    guard !console.isQuiet || mode == .dryRun else { return }
    let lines = text.map { "+ \(TerminalText.clean($0.expandingTabs, limit: 1000))\n" }
    Console.printToStandardError("\(TerminalText.clean(path, limit: 1000)):\n\(lines.joined())")
  }

  /// Throws if the user refuses the added lines.
  private func confirm(
    _ client: SetupClient, _ context: SetupContext, _ path: String, _ text: [String]
  ) throws(Failure) {
    if !console.usesJSON { show(path, text) }
    if isConfirmed { return }
    let answer = console.mayAsk ? try Confirmation.ask(Phrase("Write this to \(path)?")) : nil
    guard let answer else {
      throw Failure(
        .invalidRequest, "no terminal to ask for confirmation to change \(path)", hint: hint(client, ["--yes"]))
    }
    if !answer { throw Failure(.cancelled, "cancelled; nothing changed") }
  }

  /// This command line with more options. `isUndo` omits those that `--undo` ignores.
  func hint(_ client: SetupClient, _ more: [String], isUndo: Bool = false) -> String {
    var words = ["agent", "setup", client.name]
    for (option, value) in [("host", host), ("name", entryName)] {
      if let value { words += ["--\(option)", value] }
    }
    for (option, value) in [("account", account), ("user", user), ("role-arn", role)] where !isUndo {
      if let value { words += ["--\(option)", value] }
    }
    return (words + more).map(ShellWord.quoted).joined(separator: " ")
  }

  // MARK: Undoing

  /// Removes unchanged additions and reports changed ones. Returns the exit status.
  private func undo() throws(Failure) -> Int32 {
    var url: String?
    if let client, let host {
      let entry = try Self.parseHost(host, client)
      url = entry.origin + entry.path
    }
    let outcomes = try SetupReceipts.change { (receipts) throws(Failure) in
      var outcomes: [SetupOutcome] = []
      for receipt in receipts.all.reversed() where isSelected(receipt, url) {
        outcomes.append(try receipts.undo(receipt))
      }
      return outcomes
    }
    let left = outcomes.contains { $0.state == .changed }
    if console.usesJSON {
      try Console.answer(JSONObject([("undone", .array(outcomes.map { .object($0.json) }))]))
    } else {
      if outcomes.isEmpty { console.note(Phrase("none of this is set up")) }
      for outcome in outcomes { console.note(outcome.phrase) }
      notePermissions(outcomes)
    }
    return left ? ExitStatus.failed.rawValue : 0
  }

  /// Notes which accounts may still send tokens to undone hosts.
  private func notePermissions(_ outcomes: [SetupOutcome]) {
    let places = outcomes.filter { $0.state == .undone }.compactMap { outcome -> (account: String, url: String)? in
      if let account = outcome.account, let url = outcome.url { (account, url) } else { nil }
    }
    guard !places.isEmpty, let listed = try? ListedOrigin.all(of: nil, daemon) else { return }
    for account in Set(places.map(\.account)).sorted() {
      let own = listed.filter { $0.account == account }
      let undone = Set(places.filter { $0.account == account }.map(\.url))
      let (ended, others) = (
        own.filter { undone.contains($0.entry.origin + $0.entry.path) },
        own.filter { !undone.contains($0.entry.origin + $0.entry.path) }
      )
      guard !ended.isEmpty else { continue }
      let words = ["agent", "account", "set", account, "--unset", "host"]
      let command = (words + others.flatMap { ["--host", $0.entry.text] }).map(ShellWord.quoted).joined(separator: " ")
      let urls = Phrase.all(ended.map { $0.entry.origin + $0.entry.path })
      console.note(Phrase("\(account) may still send its token to \(urls); to end that: \(command)"))
    }
  }

  /// Whether the command line selects a receipt. `url` is the parsed `--host`.
  private func isSelected(_ receipt: SetupReceipt, _ url: String?) -> Bool {
    guard client == nil || receipt.client == client else { return false }
    if let account, receipt.account != account { return false }
    if let entryName, let entry = receipt.entry, entry != entryName { return false }
    guard let url, let other = receipt.url else { return true }
    return url.hasSameBytes(as: other)
  }
}

extension String {
  fileprivate var expandingTabs: String {
    String(decoding: utf8.flatMap { $0 == UInt8(ascii: "\t") ? Array("  ".utf8) : [$0] }, as: UTF8.self)
  }
}
