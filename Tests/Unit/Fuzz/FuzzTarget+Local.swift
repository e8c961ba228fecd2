import Crypto
import Encoding
@testable import Lease
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

  /// A peer's HTTP requests, one after the other: a head, and content in chunks.
  static func leaseHead(_ bytes: [UInt8]) throws(BrokenInvariant) {
    guard let end = (try? HTTPRequestHead.length(in: bytes, from: 0)).flatMap({ $0 }),
      let head = try? HTTPRequestHead(bytes[..<end])
    else { return }
    let lines = ["\(head.method) \(head.target) HTTP/1.1"] + head.fields.map { "\($0.name): \($0.value)" }
    let written = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    try BrokenInvariant.unless(
      (try? HTTPRequestHead(written[...])) == head, "what is written of a head reads as what was read")
    let texts = [head.method, head.target] + head.fields.flatMap { [$0.name, $0.value] }
    try BrokenInvariant.unless(
      texts.allSatisfy { !$0.utf8.contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 }) }, "no part has a line end")
    try BrokenInvariant.unless(
      content(bytes[end...], inPiecesOf: 1) == content(bytes[end...], inPiecesOf: bytes.count),
      "content is the same however it arrives")
  }

  /// The content in chunks, and what follows it; nil if it is malformed.
  private static func content(_ bytes: ArraySlice<UInt8>, inPiecesOf size: Int) -> [[UInt8]]? {
    var (chunks, buffer, content, rest) = (HTTPChunks(), [UInt8](), [UInt8](), bytes)
    while !rest.isEmpty {
      buffer += rest.prefix(size)
      rest = rest.dropFirst(size)
      guard let piece = try? chunks.consume(&buffer, upTo: .max) else { return nil }
      content += piece
    }
    return [content, buffer]
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

  /// A vault file. The first two bytes of an input are the length of the part covered by the check, which is computed
  /// here, since no modified input would pass it.
  static func vault(_ bytes: [UInt8]) throws(BrokenInvariant) {
    _ = try? UnverifiedVaultFile(parsing: bytes)
    guard bytes.count >= 2 else { return }
    let covered = bytes[2...].prefix(Int(bytes[0]) << 8 | Int(bytes[1]))
    guard let check = try? VaultFile.checkBytes(of: covered),
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
