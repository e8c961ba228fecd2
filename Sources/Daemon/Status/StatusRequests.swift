internal import Encoding
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// Handles `status` and `list`.
final class StatusRequests: AccountPart {
  /// The command that gets the response.
  enum Purpose: Sendable { case status, list }

  private let signIns: SignIns

  init(_ context: DaemonContext, _ broker: TokenBroker, _ signIns: SignIns) {
    self.signIns = signIns
    super.init(context, broker)
  }

  /// Nil responds with all accounts.
  func listAccounts(_ purpose: Purpose, _ name: String?, _ ticket: Ticket) throws(Failure) {
    let settings = try settings()
    var (only, refusal): (AccountName?, Failure?) = (nil, nil)
    if let name {
      do throws(Failure) { only = try broker.resolve(name).name } catch {
        guard let left = try? AccountName(name) else { throw error }
        (only, refusal) = (left, error)
      }
    }
    jobs.run({ [services, only] in Self.scan(settings, only, services) }) { [self, refusal] found in
      let (summaries, vault) = found.get()
      if let refusal, summaries.isEmpty { return loop.send(.failure(refusal), to: ticket) }
      sendAccounts(purpose, ticket, summaries, vault, only: only)
    }
  }

  /// Reads the accounts and the vault. Blocking.
  static func scan(
    _ settings: Settings, _ only: AccountName?, _ services: SessionServices
  ) -> ([AccountSummary], vault: JSONObject) {
    let accounts = AccountScan.summaries(of: settings, only: only, services: services)
    let summary = services.vault.summary()
    var vault = summary.json
    vault["slots"] = .array(summary.slots.map { .string($0.name) })
    // Nil before the first sign-in.
    do throws(VaultError) {
      vault["installation"] = try services.vault.identifier().map { .string(HexDigit.text($0)) }
    } catch {
      vault["problem"] = Failure(error, account: nil).json
    }
    return (accounts, vault)
  }

  /// Responds with accounts and, for `status`, daemon and vault. `only` limits the pending sign-ins to one account.
  /// `more` adds members to each account's object.
  func sendAccounts(
    _ purpose: Purpose, _ ticket: Ticket, _ summaries: [AccountSummary], _ vault: JSONObject,
    only: AccountName? = nil, unknown: [UnknownSetting] = [],
    adding more: @escaping (AccountSummary, Account, inout JSONObject) -> Void = { _, _, _ in }
  ) {
    broker.checkClock()
    describe(summaries[...], for: purpose, adding: more) { [self] listed in
      var result = JSONObject([("accounts", .array(listed))])
      let waiting = signIns.pendingSignIns(for: only)
      if !waiting.isEmpty { result["sign_ins"] = .array(waiting.map { .object($0) }) }
      if purpose == .status {
        result["daemon"] = .object(context.status.json(time: services.time))
        result["vault"] = .object(vault)
      }
      if !unknown.isEmpty { result["unknown_settings"] = .array(unknown.map { .object(Self.json($0)) }) }
      loop.send(.result(result), to: ticket)
    }
  }

  /// Accounts described in one turn of the loop, so that other requests need not wait long.
  private static let accountsPerTurn = 16

  /// Passes all descriptions, with those in `described` first, to `finish`.
  private func describe(
    _ summaries: ArraySlice<AccountSummary>, after described: [JSON] = [], for purpose: Purpose,
    adding more: @escaping (AccountSummary, Account, inout JSONObject) -> Void, then finish: @escaping ([JSON]) -> Void
  ) {
    let now = services.time.now()
    let listed =
      described
      + summaries.prefix(Self.accountsPerTurn).map { (summary) -> JSON in
        guard summary.isConfigured else { return .object(deletedAccountMembers(summary, purpose)) }
        let account = broker.updatedAccount(summary.name, summary.configuration)
        account.applySummary(summary)
        var object = purpose == .list ? listMembers(summary, account, now) : statusMembers(summary, account, now)
        more(summary, account, &object)
        return .object(object)
      }
    let rest = summaries.dropFirst(Self.accountsPerTurn)
    guard !rest.isEmpty else { return finish(listed) }
    schedule(at: loop.now) { [self] in describe(rest, after: listed, for: purpose, adding: more, then: finish) }
  }

  private static func json(_ setting: UnknownSetting) -> JSONObject {
    var object = JSONObject([
      ("file", .string(setting.line.file)), ("line", .int(setting.line.position.line)),
      ("column", .int(setting.line.position.column)),
      ("name", .string(TerminalText.clean(setting.name))),
    ])
    object["account"] = setting.account.map { .string(TerminalText.clean($0)) }
    object["meant"] = setting.suggestion.map { .string($0) }
    return object
  }

  private func deletedAccountMembers(_ summary: AccountSummary, _ purpose: Purpose) -> JSONObject {
    let state: SessionState =
      summary.problem?.isLocked == true ? .locked : summary.isUnreadable ? .unreadable : .signedOut
    var object = JSONObject()
    object[.name] = .string(summary.name.text)
    object[.active] = false
    object[.issuer] = .string(summary.configuration.issuer)
    object[.state] = .string(state.rawValue)
    object[.inConfig] = false
    object[.person] = summary.label.map { .string($0.text) }
    guard purpose == .status else { return object }
    object[.clientID] = .string(summary.configuration.clientID)
    object[.protection] = summary.protection.map { .string($0.rawValue) }
    object[.subject] = summary.subject.map { .string($0) }
    object[.refresh] = .string(summary.configuration.refresh.rawValue)
    object[.problem] =
      Failure(
        .noAccount, "not in config.json: its session stays in the vault, but is neither used nor renewed",
        hint: "agent account remove \(summary.name.text)"
      ).json
    return object
  }

  private func listMembers(_ summary: AccountSummary, _ account: Account, _ now: Instant) -> JSONObject {
    var object = JSONObject()
    object[.name] = .string(summary.name.text)
    object[.active] = .bool(summary.isActive)
    if !summary.directories.isEmpty { object[.directories] = .array(summary.directories.map(JSON.string)) }
    let origins = summary.configuration.origins
    if !origins.isEmpty { object[.origins] = .array(origins.map { .string($0) }) }
    let files = summary.configuration.tokenFiles
    if !files.isEmpty { object[.tokenFiles] = .array(files.map { .string($0) }) }
    object[.issuer] = .string(summary.configuration.issuer)
    object[.state] = .string(state(summary, account, now).rawValue)
    if summary.isUnreadable { object[.problem] = summary.problem.map { Failure($0, account: summary.name.text).json } }
    object[.person] = summary.label.map { .string($0.text) }
    object[.preset] = Self.preset(of: summary.name, summary.configuration).map { .object($0) }
    object.addUnattended(summary.unattended)
    object[.ephemeral] = summary.isEphemeral ? true : nil
    object[.expiresAt] = account.ownSlot.session.grant?.expiresAtUnixSeconds.map { .int($0) }
    object[WireProtocol.signInMember] = summary.expiry.endToWarnAbout(now: services.time.wallSeconds()).map { .int($0) }
    return object
  }

  /// The administrator's file, and its settings changed and unchanged by the user. Nil without a file.
  static func preset(of name: AccountName, _ configuration: AccountConfiguration) -> JSONObject? {
    guard let preset = AdministratorFiles.current.presets.first(where: { $0.name.hasSameBytes(as: name.text) })
    else { return nil }
    let settings = preset.comparison(with: configuration.settingsForDisplay)
    func names(_ settings: [AccountSetting]) -> JSON? {
      settings.isEmpty ? nil : .array(settings.map { .string($0.name) })
    }
    var object = JSONObject([("file", .string(preset.path))])
    object["unchanged"] = names(settings.unchanged)
    object["changed"] = names(settings.changed)
    return object
  }

  private func statusMembers(_ summary: AccountSummary, _ account: Account, _ now: Instant) -> JSONObject {
    var object = listMembers(summary, account, now)
    object[.clientID] = .string(summary.configuration.clientID)
    object[.protection] = summary.protection.map { .string($0.rawValue) }
    object[.clientSecretExpiresAt] = summary.clientSecretExpiresAt.map { .int($0) }
    object[.certificateThumbprint] = summary.certificate.map { .string($0.thumbprint) }
    object[.certificateExpiresAt] = summary.certificate.map { .int($0.expiresAt) }
    object[.subject] = (account.ownSlot.session.grant?.subject ?? summary.subject).map { .string($0) }
    object[.scope] = (account.ownSlot.session.grant?.scope ?? summary.scope).map { .string($0) }
    object[.authorizationDetails] = summary.authorizationDetails
    object[.refreshTokenExpiresAt] = summary.expiry.refreshTokenExpiresAt.map { .int($0) }
    object[.authorizationExpiresAt] = summary.expiry.authorizationExpiresAt.map { .int($0) }
    object[.refresh] = .string(summary.configuration.refresh.rawValue)
    if account.ownSlot.session.isQueued { object[.refreshQueued] = true }
    object[.lastRefresh] = (account.ownSlot.session.refreshedAt ?? summary.refreshedAt).map { .int($0) }
    object[.nextRenewal] = (account.ownSlot.session.renewalDue.map(unixTime) ?? summary.renewalDue).map { .int($0) }
    if summary.configuration.allowHTTPLoopback { object[.httpLoopback] = true }
    object[.caFile] = summary.configuration.caFile.map { .string($0) }
    object[.proxy] = summary.configuration.proxy.map { .string($0) }
    let ending = account.ownSlot.session.grant == nil ? summary.endReason : nil
    if let problem = summary.problem ?? account.ownSlot.session.lastFailure ?? ending {
      object[.problem] = Failure(problem, of: account.shared).json
    }
    return object
  }

  func unixTime(_ moment: Instant) -> Int {
    services.time.wallSeconds() + Int(services.time.now().duration(to: moment).components.seconds)
  }

  /// Signed out if the settings no longer match the sign-in.
  private func state(_ summary: AccountSummary, _ account: Account, _ now: Instant) -> SessionState {
    if case .configurationChanged = summary.problem { return .signedOut }
    if summary.problem?.isLocked == true { return .locked }
    if summary.isUnreadable { return .unreadable }
    return account.ownSlot.session.state(now: now)
  }
}
