/// The environment variables of `agentd`. The client passes no others, and `agentd` removes all others itself, since
/// service managers and users may start it too.
///
/// libcurl and libcrypto obey variables such as `SSLKEYLOGFILE`, `OPENSSL_CONF` and `OPENSSL_MODULES`. The first
/// caller's environment must not affect the daemon.
package enum DaemonEnvironment {
  package static func keeps(_ name: String) -> Bool {
    names.contains { $0.utf8.elementsEqual(name.utf8) } || prefixes.contains { name.utf8.starts(with: $0.utf8) }
  }

  /// Whether event commands get a variable.
  package static func isForCommands(_ name: String) -> Bool {
    keeps(name) && !tpmPrefixes.contains { name.utf8.starts(with: $0.utf8) }
  }

  private static let names = ["HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "PATH", "TZ"]

  /// TPM libraries use the last three.
  private static let prefixes = ["LC_", "XDG_"] + tpmPrefixes
  private static let tpmPrefixes = ["TPM2", "TPM_", "TSS2_"]
}
