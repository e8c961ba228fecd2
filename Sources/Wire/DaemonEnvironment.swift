/// The environment variables that `agentd` keeps; others may affect libcurl and libcrypto, such as `SSLKEYLOGFILE`.
package enum DaemonEnvironment {
  package static func keeps(_ name: String) -> Bool {
    names.contains(name) || prefixes.contains { name.utf8.starts(with: $0.utf8) }
  }

  /// Whether event commands get the variable too.
  package static func isForCommands(_ name: String) -> Bool {
    keeps(name) && !tpmPrefixes.contains { name.utf8.starts(with: $0.utf8) }
  }

  private static let names = ["HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "PATH", "TZ"]

  private static let prefixes = ["LC_", "XDG_"] + tpmPrefixes
  private static let tpmPrefixes = ["TPM2", "TPM_", "TSS2_"]
}
