@testable import CommandLine
import Encoding
import Crypto
import OAuth
import Platform

extension FuzzTarget {
  /// Short, so that a fuzzer exceeds it.
  private static let mostLineBytes = 600

  /// A time within the validity of the example of RFC 7515.
  private static let now = 1_300_819_000

  /// The input of `agent verify`: tokens, one per line. The first byte controls how it is split into pieces.
  static func tokens(_ bytes: [UInt8]) throws(BrokenInvariant) {
    guard let first = bytes.first, let keys = trusted, keys.keys.count == 3 else { return }
    let input = Array(bytes.dropFirst())
    let found = lines(of: input, inPiecesOf: Int(first) + 1)
    try BrokenInvariant.unless(found == plainLines(of: input), "the lines are those that stand there, in any pieces")
    for case .text(_, let line) in found {
      guard let token = try? TokenRules.read(line.span) else { continue }
      var rules = TokenRules()
      rules.isSignatureOnly = first % 2 == 0
      guard let verified = try? rules.verify(token, by: keys, now: now) else { continue }
      try BrokenInvariant.unless(signed.contains(verified.payload), "nothing holds that was not signed")
      try BrokenInvariant.unless(!rules.isSignatureOnly || verified.claims == nil, "no claims where none are wanted")
    }
  }

  private enum FoundLine: Hashable {
    case tooLong(number: Int)
    case text(number: Int, [UInt8])
  }

  private static func lines(of input: [UInt8], inPiecesOf size: Int) -> [FoundLine] {
    var (blocks, start, found) = (LineBlocks(limit: mostLineBytes), 0, [FoundLine]())
    while true {
      let block = blocks.next { bytes in
        let piece = input[start...].prefix(size)
        bytes += piece
        start += piece.count
        return piece.count
      }
      guard let block else { return found }
      found += block.lines.map { line in
        line.range.map { .text(number: line.number, Array(block.bytes[$0])) } ?? .tooLong(number: line.number)
      }
    }
  }

  /// The same lines, found in the simplest way.
  private static func plainLines(of input: [UInt8]) -> [FoundLine] {
    let pieces = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return pieces.enumerated().compactMap { (index, piece) -> FoundLine? in
      if piece.count > mostLineBytes { return .tooLong(number: index + 1) }
      let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
      let begun = piece.drop(while: isBlank)
      let text = begun.prefix((begun.lastIndex { !isBlank($0) } ?? begun.startIndex - 1) - begun.startIndex + 1)
      return text.isEmpty ? nil : .text(number: index + 1, Array(text))
    }
  }

  /// A token shown by `agent decode`.
  static func decode(_ bytes: [UInt8]) throws(BrokenInvariant) {
    guard let token = try? DecodedToken(bytes.span) else { return }
    let text = token.text(now: now)
    for scalar in text.unicodeScalars where scalar != "\n" {
      let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
      try BrokenInvariant.unless(!isControl, "a terminal obeys nothing of what it is shown")
    }
    let written = JSON.object(token.json).serialized()
    try BrokenInvariant.unless((try? JSON(parsing: written)) == .object(token.json), "what is written reads as it was")
    try BrokenInvariant.unless(token.json["verified"] == false, "nothing is called verified")
  }
}
