/// The protection of an account's record in the vault.
package enum ProtectionLevel: String, Sendable, CaseIterable {
  /// In the background, by this device alone.
  case device
  /// Only while unlocked by a passphrase.
  case passphrase
  /// Only while unlocked by a PIN that the TPM verifies.
  case tpm2
}

/// The automatic ways to open the vault.
package enum VaultBinding: String, Sendable, CaseIterable {
  /// The device secret, the machine and the user.
  case host
  /// The device secret, the machine, the user, and a key that never leaves the TPM.
  case tpm2
}
