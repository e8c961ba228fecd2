internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// One account's settings and the contents of its record.
struct AccountSummary: Sendable {
  var name: AccountName
  var configuration: AccountConfiguration
  var isActive: Bool
  /// The directories that use this account by default.
  var directories: [String] = []
  /// If false, ``configuration`` has only the record's issuer and client ID.
  var isConfigured = true
  /// Whether the account exists only in memory.
  var isEphemeral = false
  var isSignedIn = false
  /// Whether the record can renew the session. If not, it contains at most an access token.
  var isRenewable = false
  /// Why the session ended, if the user did not sign out.
  var endReason: SessionError?
  /// The record's protection level. Nil without a readable record.
  var protection: Protection?
  /// How a session without a user is renewed. Nil for a user's.
  var unattended: UnattendedGrant?
  /// When a registered client's secret expires, in unix seconds.
  var clientSecretExpiresAt: Int?
  /// The client's TLS certificate. Its expiry is in unix seconds.
  var certificate: (thumbprint: String, expiresAt: Int)?
  /// The user's `sub` at the issuer.
  var subject: String?
  /// The user's name or address, for display.
  var label: PersonLabel?
  var scope: String?
  var authorizationDetails: JSON?
  /// The latest renewal, or else the sign-in, in unix seconds.
  var refreshedAt: Int?
  var expiry = GrantExpiry()
  /// The deadline for renewing the session, in unix seconds.
  var renewalDue: Int?
  /// Origins in the settings but not in the record.
  var unconfirmedOrigins: [String] = []
  /// Why the record is unreadable, or differs from the settings.
  var problem: SessionError?

  /// Whether the record is unreadable although unlocked.
  var isUnreadable: Bool {
    if case .vault = problem { problem?.isLocked == false } else { false }
  }
}

/// Reads accounts from settings and vault.
enum AccountScan {
  /// Summarizes all accounts or `only`, including those missing from the settings. Blocking.
  static func summaries(of settings: Settings, only: AccountName?, services: SessionServices) -> [AccountSummary] {
    var summaries: [AccountSummary] = []
    let vault = Result { () throws(SessionError) in try services.snapshot() }
    let protections = (try? vault.get())?.protections ?? []
    let levels = Dictionary(protections.map { ($0.account, $0.protection) }) { first, _ in first }
    for (name, configuration) in settings.accounts where only == nil || only == name {
      var summary = AccountSummary(name: name, configuration: configuration, isActive: settings.active == name)
      summary.directories = settings.directories.paths(of: name)
      do throws(SessionError) {
        if settings.ephemeral.contains(name) {
          summary.isEphemeral = true
          if let record = try services.record(of: name) {
            summary.label = record.label
            add(record, to: &summary, services)
          }
          summaries.append(summary)
          continue
        }
        summary.protection = levels[name]
        summary.label = try? vault.get()?.label(of: name)
        if let level = levels[name], services.gate.isClosed(level) { throw .vault(VaultError(.locked(level))) }
        if let vault = try vault.get(), let record = try services.record(of: name, in: vault) {
          add(record, to: &summary, services)
        }
      } catch {
        summary.problem = error
      }
      summaries.append(summary)
    }
    for (name, protection) in levels where settings[name] == nil && (only == nil || only == name) {
      if let summary = deletedAccountSummary(name, protection, services, try? vault.get()) { summaries.append(summary) }
    }
    return summaries
  }

  /// Nil if only a revocation is pending.
  private static func deletedAccountSummary(
    _ name: AccountName, _ protection: Protection, _ services: SessionServices, _ vault: VaultSnapshot?
  ) -> AccountSummary? {
    var summary = AccountSummary(
      name: name, configuration: AccountConfiguration(issuer: "", clientID: ""), isActive: false, isConfigured: false)
    summary.protection = protection
    summary.label = try? vault?.label(of: name)
    do throws(SessionError) {
      if let vault, let record = try services.record(of: name, in: vault) {
        if record.revocation != nil { return nil }
        summary.configuration = AccountConfiguration(
          issuer: record.authority.settings.issuer ?? "", clientID: record.authority.settings.clientID ?? "")
        summary.subject = record.identity?.subject
      }
    } catch {
      summary.problem = error
    }
    return summary
  }

  private static func add(_ record: AccountRecord, to summary: inout AccountSummary, _ services: SessionServices) {
    summary.endReason = record.endError(summary.name, now: services.time.wallSeconds())
    summary.isRenewable = record.refreshToken != nil || record.unattended != nil
    summary.isSignedIn = !record.isExpired && (summary.isRenewable || record.accessToken != nil)
    summary.unattended = record.unattended
    summary.clientSecretExpiresAt = record.registration?.secretExpiresAt
    summary.certificate = record.certificate(summary.configuration, in: services.vault.keyDevice)
    summary.subject = record.identity?.subject
    summary.scope = record.scope
    summary.authorizationDetails = record.authorizationDetails?.json
    summary.refreshedAt = record.isSignedOut ? nil : record.refreshedAt ?? record.signedInAt
    if summary.isSignedIn { summary.expiry = record.expiry }
    if summary.isSignedIn, summary.isRenewable, summary.configuration.renewal == .background {
      summary.renewalDue = summary.refreshedAt.flatMap(record.expiry.renewalDue)
    }
    summary.unconfirmedOrigins = record.unconfirmedOrigins(summary.configuration, account: summary.name)
    summary.problem = record.problem(with: summary.configuration, account: summary.name)
  }
}

extension JSONObject {
  /// Adds the kind of a session without a user: `guest` or `assertion`.
  mutating func addUnattended(_ grant: UnattendedGrant?) {
    switch grant {
    case .clientCredentials: self[.guest] = true
    case .assertion: self[.assertion] = true
    case nil: break
    }
  }
}
