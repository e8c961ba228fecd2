import Encoding
import Platform
import TestSupport
import Testing

/// The memory of a running process, read by `Tests/Tools/Memory/search`.
struct ProcessMemory {
  /// The location of a secret, or of a piece of one.
  struct Place: CustomStringConvertible {
    let secret: String
    let address: UInt64
    let region: String
    /// The printable bytes around it.
    let around: String

    var description: String { "\(secret) in \(region): \(around)" }
  }

  private let process: Int32

  init(of process: Int32) { self.process = process }

  /// The locations of texts, verbatim, in hexadecimal, in base64, and as encoded in forms and JSON. Also finds pieces
  /// of ``pieceLength`` bytes, because the allocator overwrites the first bytes of freed memory.
  func places(of secrets: [(name: String, value: String)]) throws -> [Place] {
    try places(
      ofBytes: secrets.flatMap { name, value in
        (Canaries.forms(of: value) + Self.hexadecimal(Array(value.utf8))).flatMap { form in
          Self.pieces(of: Array(form.utf8)).map { (name, $0) }
        }
      })
  }

  /// The locations of keys and other binary secrets: verbatim, in hexadecimal and in base64.
  func places(ofKeys secrets: [(name: String, value: [UInt8])]) throws -> [Place] {
    try places(
      ofBytes: secrets.flatMap { name, value in
        let texts = Self.hexadecimal(value) + [Base64.encode(value), Base64URL.encode(value)]
        return Self.pieces(of: value).map { (name, $0) }
          + texts.flatMap { text in Self.pieces(of: Array(text.utf8)).map { (name, $0) } }
      })
  }

  // MARK: Needles

  /// Too long to be found by chance.
  private static let pieceLength = 12

  /// Pieces that cover the text except its beginning, which may only identify its type.
  private static func pieces(of bytes: [UInt8]) -> [[UInt8]] {
    guard bytes.count > pieceLength else { return [bytes] }
    let starts = Array(stride(from: 0, to: bytes.count - pieceLength, by: pieceLength)) + [bytes.count - pieceLength]
    return starts.map { Array(bytes[$0..<($0 + pieceLength)]) }
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> [String] {
    [false, true].map { isUpper in
      bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: isUpper) }.joined()
    }
  }

  private func places(ofBytes needles: [(name: String, bytes: [UInt8])]) throws -> [Place] {
    let lines = Set(needles.map { name, bytes in "\(name) \(Self.hexadecimal(bytes)[0])\n" })
    let result = try ProcessRunner.run(
      executable: "/usr/bin/env", arguments: ["python3", PackageFiles.path("Tests/Tools/Memory/search"), "\(process)"],
      input: Array(lines.sorted().joined().utf8))
    try #require(result.succeeded, "\(result.errorText)")
    let answer = try JSON(parsing: result.output, limits: .init(bytes: 64 << 20))
    try #require(answer["bytes"]?.int ?? 0 > 1 << 17, "hardly anything was looked at")
    return (answer["found"]?.array ?? []).map { place in
      Place(
        secret: place["name"]?.string ?? "",
        address: UInt64(place["address"]?.string?.dropFirst(2) ?? "", radix: 16) ?? 0,
        region: place["region"]?.string ?? "",
        around: place["around"]?.string ?? "")
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips tests if the memory of a protected process cannot be read.
  static var needsForeignMemory: Self {
    .enabled(
      if: Machine.userID == 0 && !Programs.areSanitized,
      "only root may read the memory of what is not dumpable, and a sanitizer keeps what was freed"
    )
  }
}
