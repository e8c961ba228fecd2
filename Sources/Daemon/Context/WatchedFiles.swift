internal import Peers
internal import Platform
internal import Sessions
internal import Vault

/// Whether the settings file or the vault file may have changed since they were read. Used on the loop's thread only.
final class WatchedFiles {
  private let changes: FileChanges?
  /// Revision of the settings file at the last ``look()``; nil if it must be read for each request.
  private(set) var settingsRevision: UInt64?
  /// Like ``settingsRevision``, for the vault file.
  private(set) var vaultRevision: UInt64?

  init(settings: SettingsFile, vault: Vault) {
    changes = FileChanges(of: [settings.path, vault.summary().path])
  }

  /// Watches nothing.
  init() { changes = nil }

  /// Whether the system has no file watches left for this user, so that workers check the files for each request.
  var isUnwatched: Bool { changes == nil }

  /// Takes the files for changed at the next look.
  func distrust() { changes?.distrust() }

  /// Looks for changes; all that the loop calls begins with this.
  func look() {
    _ = changes?.look()
    settingsRevision = changes?.number(ofFile: 0)
    vaultRevision = changes?.number(ofFile: 1)
  }
}
