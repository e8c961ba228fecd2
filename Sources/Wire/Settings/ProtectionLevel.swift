/// How an account's record in the vault opens.
package enum ProtectionLevel: String, Sendable, CaseIterable {
  /// In the background, by this device alone.
  case device
  /// Only while unlocked by a passphrase.
  case passphrase
  /// Only while unlocked by the TPM with a PIN.
  case tpm2
}

/// What opens the vault in the background.
package enum VaultBinding: String, Sendable, CaseIterable {
  /// The device secret, the machine and the user.
  case host
  /// A key that never leaves the TPM, beside these.
  case tpm2
}
