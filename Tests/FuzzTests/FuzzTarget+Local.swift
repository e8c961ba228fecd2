import Crypto
import Encoding
import Sessions
@testable import Vault
import Vocabulary
import Wire

extension FuzzTarget {
  /// A line that a program sent to the daemon.
  static func request(_ bytes: [UInt8]) throws(BrokenInvariant) {
    guard let envelope = try? RequestEnvelope(parsing: bytes.span) else { return }
    let written = envelope.serialized()
    try BrokenInvariant.unless(
      (try? RequestEnvelope(parsing: written.span)) == envelope, "what is written reads as what was read")
  }

  /// A line that claims to be from the daemon.
  static func reply(_ bytes: [UInt8]) throws(BrokenInvariant) {
    if let reply = try? Reply(parsing: bytes.span) {
      let written = reply.serialized()
      try BrokenInvariant.unless((try? Reply(parsing: written.span)) == reply, "what is written reads as what was read")
    }
    if let answer = try? TokenAnswer(parsing: bytes.span) {
      var token: [UInt8] = []
      answer.appendAccessToken(from: bytes.span, to: &token)
      _ = answer.appendIDToken(from: bytes.span, to: &token)
      _ = (answer.proof(from: bytes.span), answer.claim("sub", from: bytes.span))
    }
  }

  /// A vault file.
  ///
  /// The first two bytes of an input are the length of the part covered by the check. The check itself is computed
  /// here, since no modified input would ever pass it.
  static func vault(_ bytes: [UInt8]) throws(BrokenInvariant) {
    _ = try? UnverifiedVaultFile(parsing: bytes)
    guard bytes.count >= 2 else { return }
    let covered = bytes[2...].prefix(Int(bytes[0]) << 8 | Int(bytes[1]))
    guard let check = try? VaultFile.check(of: covered),
      let file = try? UnverifiedVaultFile(parsing: Array(covered) + check + bytes[covered.endIndex...])
    else { return }
    for slot in file.slots {
      _ = try? PassphraseBinding.cost(of: slot.body)
      guard let body = try? TPMSlotBody(slot.body) else { continue }
      try BrokenInvariant.unless(body.bytes == slot.body, "what is written of a slot is what was read")
    }
    let epoch = file.epochs[.device]
    guard
      let key = try? DataKey(
        .init(zeroed: DataKey.byteCount), header: file.header, protection: .device, epoch: epoch)
    else { return }
    try BrokenInvariant.unless((try? file.verified(with: key)) == nil, "nothing passes without the vault's key")
  }

  static func settings(_ bytes: [UInt8]) throws(BrokenInvariant) {
    guard let settings = try? Settings(parsing: bytes) else { return }
    try BrokenInvariant.unless(
      (try? Settings(parsing: settings.serialized())) == settings, "what is written reads as what was read")
  }
}
