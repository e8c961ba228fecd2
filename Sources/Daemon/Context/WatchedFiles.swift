internal import Platform
internal import Sessions
internal import Vault

/// Detects changes of the settings file and the vault file.
final class WatchedFiles {
  private let changes: FileChanges?
  /// The revision of the settings file at the last ``poll()``. Nil if workers must check the file for each request.
  private(set) var settingsRevision: UInt64?
  /// Like ``settingsRevision``, for the vault file.
  private(set) var vaultRevision: UInt64?

  init(settings: SettingsFile, vault: Vault) {
    changes = FileChanges(of: [settings.path, vault.summary().path])
  }

  /// Watches nothing.
  init() { changes = nil }

  /// Whether this user has no file watches left, so that workers check the files for each request.
  var isUnwatched: Bool { changes == nil }

  /// Treats the files as changed at the next ``poll()``.
  func invalidate() { changes?.invalidate() }

  /// Checks the watches. Called before the loop handles anything.
  func poll() {
    _ = changes?.poll()
    settingsRevision = changes?.number(ofFile: 0)
    vaultRevision = changes?.number(ofFile: 1)
  }
}
