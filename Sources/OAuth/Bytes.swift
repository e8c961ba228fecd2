internal import Crypto

/// Searching in bytes.
enum Bytes {
  static func contain(_ bytes: Span<UInt8>, _ wanted: Span<UInt8>) -> Bool {
    guard !wanted.isEmpty, wanted.count <= bytes.count else { return false }
    for start in 0...(bytes.count - wanted.count) {
      var matched = 0
      while matched < wanted.count, bytes[start + matched] == wanted[matched] { matched += 1 }
      if matched == wanted.count { return true }
    }
    return false
  }

  /// Whether `text` repeats the secret, or the first 16 bytes of it.
  ///
  /// A secret of less than 8 bytes is not looked for: it could be part of any word.
  static func repeats(_ secret: SharedSecret, in text: String) -> Bool {
    let bytes = Array(text.utf8)
    return secret.bytes.withBytes { $0.count >= 8 && contain(bytes.span, $0.extracting(first: 16)) }
  }
}
