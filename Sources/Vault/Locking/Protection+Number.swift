internal import Vocabulary

extension Protection {
  /// The protection's number in the vault file, which never changes its meaning.
  var number: UInt8 {
    switch self {
    case .device: 0
    case .passphrase: 1
    case .tpm2: 2
    }
  }

  /// The protection with this number; nil if there is none.
  init?(number: UInt8) {
    guard let protection = Self.allCases.first(where: { $0.number == number }) else { return nil }
    self = protection
  }
}
