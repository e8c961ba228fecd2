internal import Encoding
internal import Platform
internal import Wire

/// `agent token-file`: manages files with tokens of signed-in accounts.
enum StandingFileCommand {
  static let tokenFile = Command(
    .tokenFile,
    summary: "Keep tokens in files while accounts are signed in",
    answer: [
      .objects(
        "token_files", "The files: for `add` the new one, for `remove` the remaining ones of the account.",
        members: [
          .text("account", "The account."), .text("path", "The file."),
          .flag("id_token", "True if it contains the ID Token."),
          .flag("written", "Whether the file is there, as while the account is signed in."),
        ])
    ],
    options: [
      Option.idToken.withSummary("Keep the ID Token instead of the access token", in: .service), wlcg.declaration,
    ],
    operands: .tokenFile,
    examples: [
      Example(
        "Keep a token for programs that read a file", "export BEARER_TOKEN_FILE=\"$(agent token-file add work)\""),
      Example("Keep it where programs of the grid look for it", "agent token-file add work --wlcg"),
      Example("Remove the files of an account", "agent token-file remove work"),
    ],
    makeAction: makeAction)

  private static let wlcg = Option<Bool>(
    "wlcg", in: .service, "Use the file that grid programs read; `bt_uUID` in `XDG_RUNTIME_DIR`")

  static func makeAction(_ invocation: Invocation) throws(Failure) -> Action {
    let client = DaemonClient(invocation)
    guard let word = invocation.operands.first else { return list(try invocation.namedAccount(), client) }
    guard let action = TokenFileAction(rawValue: word) else {
      let actions = TokenFileAction.allCases.map(\.rawValue)
      let known = WordSuggestions.commands(for: word).compactMap { $0.split(separator: " ").last.map(String.init) }
      let meant = known.filter(actions.contains) + Suggestion.candidates(for: word, among: actions)
      throw Failure(
        .invalidRequest, "unknown action \(TokenShape.redacted(word)), only: \(actions.joined(separator: ", "))",
        hint: Phrase.didYouMean(commands: meant.prefix(1).map { "agent token-file \($0)" })
          ?? .command(known.contains("list") ? "agent token-file" : "agent help token-file"))
    }
    if action == .add, invocation[.noDaemon] {
      // A private daemon could not renew the file.
      throw Failure(.invalidRequest, "\"--\(Option.noDaemon.name)\" has no effect here", hint: "agent help token-file")
    }
    let account = try invocation.account(operand: invocation.operands.dropFirst().first)
    let (kind, isOfGrid): (TokenKind, Bool) = (invocation[.idToken] ? .idToken : .accessToken, invocation[wlcg])
    let path = invocation.operands.dropFirst(2).first
    guard path == nil || !isOfGrid else {
      throw Failure(.invalidRequest, "use only one of --\(wlcg.name) and a path")
    }
    return .doing { () throws(Failure) in
      let named =
        try isOfGrid ? wlcgPath() : path.map { (path) throws(Failure) in try SettingsOptions.absolute(path) }
      switch action {
      case .add: try add(account, kind, at: named, client)
      case .remove: try remove(account, invocation.has(.idToken) ? kind : nil, at: named, client)
      }
    }
  }

  private static let timeout = Duration.seconds(10)

  /// The first default path of WLCG Bearer Token Discovery.
  private static func wlcgPath() throws(Failure) -> String {
    guard let directory = Environment.value("XDG_RUNTIME_DIR"), directory.utf8.first == UInt8(ascii: "/") else {
      throw Failure(
        .invalidRequest, "XDG_RUNTIME_DIR is not set",
        hint: "give a path, and set BEARER_TOKEN_FILE to it")
    }
    return "\(directory)/bt_u\(Machine.userID)"
  }

  private static func files(
    _ account: String?, _ client: DaemonClient
  ) throws(Failure) -> (account: String, values: [String]) {
    let shown = try client.ask(.account(.show(account: account)))
    return (
      shown["account"]?.string ?? "",
      shown["settings"]?[AccountSetting.table.tokenFiles.name]?.array?.compactMap(\.string) ?? []
    )
  }

  /// Adds a token file to the settings, and waits until it exists.
  private static func add(
    _ asked: String?, _ kind: TokenKind, at path: String?, _ client: DaemonClient
  ) throws(Failure) {
    let (account, values) = try files(asked, client)
    let runtime = try SocketLocation.currentDirectory()
    let suffix = kind == .idToken ? ".id_token" : ".token"
    let path = path ?? "\(runtime)/\(account)\(suffix)"
    guard let file = TokenFileSetting(kind, at: path) else {
      throw Failure(.invalidRequest, Phrase("\(path) is not the path of a file"))
    }
    let directory: PrivateDirectory
    do { directory = try PrivateDirectory.openForTokens(file.directory, or: runtime) } catch {
      throw Failure(error)
    }
    if !values.contains(where: { $0.hasSameBytes(as: file.value) }) {
      let isListed = try all(client).contains { $0.file.path.hasSameBytes(as: file.path) }
      guard !isListed, !exists(file, in: directory) else { throw Failure(.storage, Phrase("\(path) exists already")) }
      var settings = AccountSettings()
      settings.tokenFiles = values + [file.value]
      _ = try client.ask(.account(.set(account: account, settings, unset: [])))
    }
    if !exists(file, in: directory) {
      client.console.note(Phrase("\(path) will be written when \(account) is signed in"))
      let extras = TokenRequest.Extras(wantsIDToken: kind == .idToken)
      try client.askForToken(.token(TokenRequest(account: account, extras: extras))) { (answer, line) throws(Failure) in
        guard kind == .idToken else { return }
        try TokenField.idToken.withValue(in: answer, from: line) { (value) throws(Failure) in
          if value == nil { throw .missingIDToken(of: account) }
        }
      }
      let deadline = Instant.now.advanced(by: timeout)
      while !exists(file, in: directory) {
        guard Instant.now < deadline else {
          throw Failure(.storage, Phrase("\(path) was not written"), hint: "agent daemon log")
        }
        Threads.sleep(for: .milliseconds(20))
      }
    }
    try client.console.answer(answer([(account, file)])) { _ in "\(file.path)\n" }
  }

  private static func exists(_ file: TokenFileSetting, in directory: borrowing PrivateDirectory) -> Bool {
    ((try? directory.fileNames()) ?? []).contains { $0.hasSameBytes(as: file.name) }
  }

  /// Nil matches any.
  private static func remove(
    _ asked: String?, _ kind: TokenKind?, at path: String?, _ client: DaemonClient
  ) throws(Failure) {
    let (account, values) = try files(asked, client)
    let place = path.map { path in TokenFileSetting(.accessToken, at: path)?.path ?? path }
    let left = values.filter { value in
      guard let file = TokenFileSetting(value) else { return place != nil }
      return place.map { $0 != file.path } ?? false || kind.map { $0 != file.kind } ?? false
    }
    guard left.count < values.count else {
      throw Failure(.invalidRequest, "\(account) has no such token file", hint: "agent token-file")
    }
    var settings = AccountSettings()
    settings.tokenFiles = left
    _ = try client.ask(
      .account(.set(account: account, settings, unset: left.isEmpty ? [AccountSetting.table.tokenFiles] : [])))
    try client.console.confirm(answer(left.compactMap { TokenFileSetting($0) }.map { (account, $0) })) { _ in
      path.map { Phrase("removed \($0)") } ?? Phrase("removed the token files of \(account)")
    }
  }

  private static func all(_ client: DaemonClient) throws(Failure) -> [(account: String, file: TokenFileSetting)] {
    let accounts = try client.ask(.state(.list))["accounts"]?.array ?? []
    return accounts.flatMap { account in
      (account[.tokenFiles]?.array ?? []).compactMap { $0.string.flatMap { TokenFileSetting($0) } }.map {
        (account[.name]?.string ?? "", $0)
      }
    }
  }

  private static func list(_ named: String?, _ client: DaemonClient) -> Action {
    .doing { () throws(Failure) in
      let files = try all(client).filter { entry in named.map { $0 == entry.account } ?? true }
      try client.console.answer(answer(files)) { _ in
        var listing = Listing()
        for (account, file) in files {
          listing.add([
            Phrase(verbatim: account), file.kind == .idToken ? Phrase("ID Token") : Phrase("access token"),
            isWritten(file) ? Phrase("written") : Phrase("not written"), Phrase(verbatim: file.path),
          ])
        }
        return listing.text()
      }
    }
  }

  private static func isWritten(_ file: TokenFileSetting) -> Bool {
    guard let directory = try? PrivateDirectory(opening: file.directory, create: false) else { return false }
    return exists(file, in: directory)
  }

  private static func answer(_ files: [(account: String, file: TokenFileSetting)]) -> JSONObject {
    let objects = files.map { account, file in
      var object = JSONObject([("account", .string(account)), ("path", .string(file.path))])
      if file.kind == .idToken { object["id_token"] = true }
      object["written"] = .bool(isWritten(file))
      return JSON.object(object)
    }
    return JSONObject([("token_files", .array(objects))])
  }
}
