internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// Adds, shows, changes, renames and removes accounts. Each change is a job that locks the account.
final class AccountRequests: AccountPart {
  private let signIns: SignIns
  private let signOuts: SignOuts
  private let tokenFiles: TokenFiles
  private let events: SessionEvents

  init(
    _ context: DaemonContext, _ broker: TokenBroker, _ signIns: SignIns, _ signOuts: SignOuts, _ tokenFiles: TokenFiles,
    _ events: SessionEvents
  ) {
    self.signIns = signIns
    self.signOuts = signOuts
    self.tokenFiles = tokenFiles
    self.events = events
    super.init(context, broker)
  }

  /// Makes an account active. `-` is the previously active one.
  func use(_ name: String, _ ticket: Ticket) throws(Failure) {
    let name = try broker.resolve(name == "-" ? previous() : name).name
    context.activate(name, for: ticket) { [self] outcome in
      send(outcome, name, ticket) { _ in JSONObject([("account", .string(name.text))]) }
    }
  }

  /// Sets the account for a directory's commands; nil unsets it.
  func use(_ name: String?, in directory: String, _ ticket: Ticket) throws(Failure) {
    guard let path = DirectoryPath(directory) else { throw .relativeDirectory }
    let account: AccountName?
    if let name {
      account = try broker.resolve(name == "-" ? previous() : name).name
    } else {
      let nearest = try settings().directories.nearest(to: path)
      guard nearest?.path == path else {
        let command = nearest.map { "agent use --clear --directory \(ShellWord.quoted($0.path.text))" }
        throw Failure(
          .invalidRequest, "no account is set for \(TerminalText.clean(path.text))",
          hint: .command(command ?? "agent list"))
      }
      account = nil
    }
    // Ephemeral accounts end with the daemon.
    if let account, services.ephemeral.contains(account) {
      throw Failure(.invalidRequest, "\(account.text) is ephemeral, so no directory can use it")
    }
    context.changeSettings(for: ticket) { (settings) throws(ConfigurationError) in
      try settings.setDirectoryAccount(account, in: path)
    } then: { [self] outcome in
      send(outcome, account, ticket) { _ in
        log.note(.settingsChanged(.directory), account)
        announceSettings()
        var result = JSONObject()
        result["account"] = account.map { .string($0.text) }
        result["directory"] = .string(path.text)
        return result
      }
    }
  }

  /// Sets the program for desktop notices of ended sessions; nil for none.
  func setNotificationProgram(_ program: String?, _ ticket: Ticket) throws(Failure) {
    context.changeSettings(for: ticket) { (settings) throws(ConfigurationError) in
      try settings.setDesktopNotifier(program)
    } then: { [self] outcome in
      send(outcome, nil, ticket) { _ in JSONObject([("notify", .bool(program != nil))]) }
    }
  }

  /// The previously active account's name. Throws `invalid_request` if there is none.
  private func previous() throws(Failure) -> String {
    if let previous = try settings().previous { return previous.text }
    throw Failure(.invalidRequest, "no other account was the active one before", hint: "agent list")
  }

  func manage(_ request: AccountRequest, _ ticket: Ticket, passed: [SharedDescriptor]) throws(Failure) {
    switch request {
    case .add(let account, let settings): try add(try AccountName(requested: account), settings, ticket)
    case .show(let account): try show(account, ticket)
    case .set(let account, let settings, let unset): try set(account, settings, unset, ticket)
    case .rename(let account, let newName): try rename(account, to: try AccountName(requested: newName), ticket)
    case .remove(let account, let local): try remove(account, isLocal: local, ticket)
    case .import(let account, let settings, let passedSecrets):
      let sources = try SecretSources(passed, announced: passedSecrets, hasLeading: true)
      let options =
        settings.commandLineOptions() + (passedSecrets.contains(.clientSecret) ? ["--client-secret-prompt"] : [])
      try importToken(try AccountName(requested: account), settings, sources, enteredOptions: options, ticket)
    case .clientMetadata(let account, let settings, let passedSecrets):
      try clientMetadata(account, settings, try SecretSources(passed, announced: passedSecrets), ticket)
    }
  }

  /// Throws if the account exists or is being signed in.
  func requireNew(_ account: AccountName) throws(Failure) {
    try signIns.requireNoSignIn(to: account)
    if try settings()[account] != nil { throw Failure(ConfigurationError(.accountExists, account.text)) }
  }

  // MARK: Adding

  private func add(_ account: AccountName, _ given: AccountSettings, _ ticket: Ticket) throws(Failure) {
    try requireNew(account)
    var given = given
    _ = given.selectProvider(named: account.text)
    var configuration = try AccountConfiguration(given)
    try configuration.refuseSelfAssertion(as: account)
    // The sign-in stores the proxy's password.
    _ = try configuration.replaceProxy(from: given)
    let (services, cancellation) = (services(for: account), context.cancellation(of: ticket))
    context.runSettingsChange(as: .changes(account), cancellation) { [configuration] () throws(SessionError) in
      try services.add(account, configuration) { cancellation.isCancelled }
    } then: { [self] outcome in
      if case .success = outcome {
        log.note(.settingsChanged(.added), account)
        announceSettings()
      }
      send(outcome, account, ticket) { settings in
        JSONObject([("account", .string(account.text)), ("active", .bool(settings.active == account))])
      }
    }
  }

  // MARK: Showing

  /// `requested` is nil for the active account.
  private func show(_ requested: String?, _ ticket: Ticket) throws(Failure) {
    let account = try broker.resolve(requested)
    let isActive = try settings().active == account.name
    var result = JSONObject([("account", .string(account.name.text)), ("active", .bool(isActive))])
    result["directory"] = context.directoryEntries[ticket].map { .string($0.path.text) }
    result["preset"] = StatusRequests.preset(of: account.name, account.configuration).map { .object($0) }
    let (name, settings) = (account.name, account.configuration.settingsForDisplay.json())
    jobs.run({ [services] () throws(SessionError) in try services.protection(of: name) }) { [self, result] outcome in
      var result = result
      // A vault error does not fail the request.
      result["protection"] = (try? outcome.get()).flatMap { $0 }.map { .string($0.rawValue) }
      result["settings"] = .object(settings)
      loop.send(.result(result), to: ticket)
    }
  }

  // MARK: Changing

  private func set(
    _ requested: String, _ given: AccountSettings, _ unset: [AccountSetting], _ ticket: Ticket
  ) throws(Failure) {
    let account = try broker.resolve(requested)
    let old = account.configuration
    try broker.refuseEphemeral(account.name)
    try signIns.requireNoSignIn(to: account.name)
    var changed = old
    for setting in unset { changed.unset(setting) }
    try changed.change(to: given)
    try changed.refuseSelfAssertion(as: account.name)
    if given.proxy != nil, try changed.replaceProxy(from: given) != nil {
      throw Failure(
        .invalidRequest, "a proxy password is accepted only at sign-in", hint: .command("agent login \(requested)"))
    }
    let change = Change(account: account.name, old: old, new: changed)
    let added = try changed.originEntries(named: given.origins).map { ResourceOrigin(of: $0) }
    let (protection, hasAuthorities) = (given.protection, given.caFile != nil)
    let isSealed = !added.isEmpty || changed.origins != old.origins || hasAuthorities
    let kept = changed.keepsAccessToken ? account.ownSlot.session.grant : nil
    let cancellation = context.cancellation(of: ticket)
    context.runSettingsChange(as: .changes(account.name), cancellation) {
      [services = services(for: account.name)] () throws(SessionError) in
      // May fail, so it runs first.
      let moved = try protection.flatMap { (level) throws(SessionError) in
        try services.changeProtection(of: change.account, to: level)
      }
      let effect = try services.change(change.account, from: change.old, to: change.new) { cancellation.isCancelled }
      let confirmed =
        isSealed
        ? try services.sealOrigins(added, of: change.account, change.new, confirmsAuthorities: hasAuthorities) : nil
      let moves = [moved, confirmed].compactMap { $0 }
      let keeping = try kept.flatMap { (grant) throws(SessionError) in
        effect == .none ? try services.storeToken(of: grant, of: change.account, after: moves) : nil
      }
      return ChangeResult(
        effect: confirmed == nil ? effect : services.effect(of: change.new, on: change.account),
        hasNewProtection: moved != nil, storesAccessToken: keeping != nil,
        moves: moves + [keeping].compactMap { $0 })
    } then: { [self] outcome in
      self.handleChangeResult(change, outcome, ticket)
    }
  }

  private struct Change: Sendable {
    let account: AccountName
    let old: AccountConfiguration
    let new: AccountConfiguration
  }

  private struct ChangeResult: Sendable {
    let effect: SettingsEffect
    let hasNewProtection: Bool
    let storesAccessToken: Bool
    /// The record's generations before and after each rewrite.
    let moves: [RecordRewrite]
  }

  private func handleChangeResult(
    _ change: Change, _ outcome: Result<ChangeResult, SessionError>, _ ticket: Ticket
  ) {
    if case .success(let changed) = outcome {
      log.note(.settingsChanged(.changed), change.account)
      if changed.effect != .none { broker.publish(of: change.account) { $0.recordSignOut(.settings) } }
      if let account = broker.accounts[change.account], account.configuration == change.old {
        if changed.effect == .none, account.ownSlot.session.grant != nil {
          account.configuration = change.new
          account.slots.forEach(broker.schedule)
          for move in changed.moves {
            for slot in account.slots where slot.session.grant?.recordGeneration == move.from {
              slot.session.applyRecordRewrite(
                to: move.to, protection: changed.hasNewProtection ? change.new.protection : nil)
            }
          }
        } else {
          broker.applySettings(change.new, to: account)
        }
      }
    }
    let answer = { [self] in
      send(outcome, change.account, ticket) { changed in
        let isSignedOut = changed.effect != .none
        var result = JSONObject([("account", .string(change.account.text)), ("signed_out", .bool(isSignedOut))])
        if case .signedOut(let setting) = changed.effect { result["setting"] = .string(setting) }
        if changed.storesAccessToken { result["kept"] = true }
        return result
      }
    }
    guard change.new.tokenFiles != change.old.tokenFiles else { return answer() }
    announceSettings()
    tokenFiles.whenFilesAreWritten(change.account, answer)
  }

  // MARK: Renaming

  private func rename(_ requested: String, to newName: AccountName, _ ticket: Ticket) throws(Failure) {
    let account = try broker.resolve(requested)
    try broker.refuseEphemeral(account.name)
    try signIns.requireNoSignIn(to: account.name)
    try signIns.requireNoSignIn(to: newName)
    try account.configuration.refuseSelfAssertion(as: newName)
    let rename = (old: account.name, new: newName)
    broker.renames.append(rename)
    let caller = context.cancellation(of: ticket)
    context.runSettingsChange(as: .changes(rename.old), Cancellation()) {
      [services = services(for: rename.old)] () throws(SessionError) in
      try services.rename(rename.old, to: rename.new) { caller.isCancelled }
    } then: { [self] outcome in
      handleRenameResult(rename, outcome, ticket)
    }
  }

  private typealias Rename = (old: AccountName, new: AccountName)

  private func handleRenameResult(
    _ rename: Rename, _ outcome: Result<RenamedAccount, SessionError>, _ ticket: Ticket
  ) {
    if let index = broker.renames.firstIndex(where: { $0 == rename }) {
      broker.renames.remove(at: index)
    }
    if case .success(let outcome) = outcome {
      log.note(.settingsChanged(.renamed), rename.old)
      log.note(.settingsChanged(.named), rename.new)
      events.publishRename(rename.old, to: rename.new)
      move(rename, outcome)
    }
    let isDone = if case .success = outcome { true } else { false }
    send(outcome, isDone ? rename.new : rename.old, ticket) { outcome in
      JSONObject([
        ("account", .string(rename.new.text)), ("renamed_from", .string(rename.old.text)),
        ("active", .bool(outcome.settings.active == rename.new)),
      ])
    }
  }

  private func move(_ rename: Rename, _ outcome: RenamedAccount) {
    guard let account = broker.rename(rename.old, to: rename.new) else { return }
    if let generation = outcome.recordGeneration {
      for slot in account.slots { slot.session.applyRecordRewrite(to: generation) }
    }
    if let configuration = outcome.settings[rename.new] { account.configuration = configuration }
    for slot in account.slots {
      let waiters = slot.takeWaiters()
      for waiter in waiters { broker.obtain(for: waiter, account) }
      broker.schedule(slot)
    }
  }

  // MARK: Removing

  /// Without revocation at the server if `isLocal`.
  private func remove(_ requested: String, isLocal: Bool, _ ticket: Ticket) throws(Failure) {
    try signOuts.withTarget(requested, ticket) { [self] (name, account) throws(Failure) in
      try signIns.requireNoApprovedSignIn(to: name)
      let wasActive = try settings().active == name
      let signOut = signOuts.beginSignOut(name, account, isLocal: isLocal)
      context.runSettingsChange(as: .signOut(name), signOut.cancellation) { () throws(SessionError) in
        try signOut.remove()
      } then: { [self] outcome in
        handleRemovalResult(name, wasActive: wasActive, outcome, ticket)
      }
    }
  }

  private func handleRemovalResult(
    _ name: AccountName, wasActive: Bool, _ outcome: Result<AccountRemoval, SessionError>, _ ticket: Ticket
  ) {
    signOuts.endSignOut(name)
    switch outcome {
    case .success(let outcome):
      signOuts.handleRevocationResult(outcome.revocationResult, name)
      log.note(.settingsChanged(.removed), name)
      if !outcome.revocationResult.foundNothing { broker.publish(of: name) { $0.recordSignOut(.removed) } }
      services.removeEphemeral(name)
      broker.remove(name, because: .noAccount(name: name.text))
      announceSettings()
    case .failure:
      log.note(.signedOut(.failed), name)
      broker.accounts[name]?.ownSlot.session.forgetToken()
      tokenFiles.requestNewTokens(for: name)
    }
    send(outcome, name, ticket) { outcome in
      var result = outcome.revocationResult.json(name)
      outcome.registration?.add(to: &result)
      if wasActive { result["active_account"] = outcome.active.map { .string($0.text) } }
      return result
    }
  }
}
