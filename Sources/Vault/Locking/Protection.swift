/// How the record of an account opens. The numbers are those in the file and never change their meaning.
package enum Protection: UInt8, Sendable, Hashable, CaseIterable {
  /// In the background, by this device alone.
  case device = 0
  /// Only while unlocked by a passphrase.
  case passphrase = 1
  /// Only while unlocked by a PIN that the TPM verifies.
  case tpm2 = 2

  /// The word in commands, settings and answers.
  package var word: String {
    switch self {
    case .device: "device"
    case .passphrase: "passphrase"
    case .tpm2: "tpm2"
    }
  }

  /// The protection with this word; nil if there is none.
  package init?(word: String) {
    guard let found = Self.allCases.first(where: { $0.word.utf8.elementsEqual(word.utf8) }) else { return nil }
    self = found
  }
}
