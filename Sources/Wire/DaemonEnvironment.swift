/// The environment variables that `agentd` keeps; it removes all others.
///
/// libcurl and libcrypto obey variables such as `SSLKEYLOGFILE`, `OPENSSL_CONF` and `OPENSSL_MODULES`.
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
  /// The prefixes of variables for TPM libraries.
  private static let tpmPrefixes = ["TPM2", "TPM_", "TSS2_"]
}
