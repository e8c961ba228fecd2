/// The environment variables that `agentd` keeps. The client starts it only with these, and `agentd` removes all others
/// itself, because a service manager or a user may start it too.
///
/// libcurl and libcrypto obey variables such as `SSLKEYLOGFILE`, `OPENSSL_CONF` and `OPENSSL_MODULES`, and the
/// environment of the first caller must not rule the daemon.
package enum DaemonEnvironment {
  /// Whether a variable of this name is kept.
  package static func keeps(_ name: String) -> Bool {
    names.contains { $0.utf8.elementsEqual(name.utf8) } || prefixes.contains { name.utf8.starts(with: $0.utf8) }
  }

  /// Whether an event command of the daemon gets a variable of this name.
  package static func isForCommands(_ name: String) -> Bool {
    keeps(name) && !tpmPrefixes.contains { name.utf8.starts(with: $0.utf8) }
  }

  private static let names = ["HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "PATH", "TZ"]

  /// The last three are the settings of the TPM's libraries.
  private static let prefixes = ["LC_", "XDG_"] + tpmPrefixes
  private static let tpmPrefixes = ["TPM2", "TPM_", "TSS2_"]
}
