internal import Platform
internal import Sessions
internal import Vault

/// Watches the settings file and the vault file.
final class WatchedFiles {
  /// Nil without file watches.
  private let changes: FileChanges?
  /// The settings file's revision at the latest ``poll()``. Nil if workers must check the file for each request.
  private(set) var settingsRevision: UInt64?
  /// Like ``settingsRevision``.
  private(set) var vaultRevision: UInt64?

  init(settings: SettingsFile, vault: Vault) {
    changes = FileChanges(of: [settings.path, vault.summary().path])
  }

  /// Watches nothing.
  init() { changes = nil }

  /// Whether the user has no watches left.
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
