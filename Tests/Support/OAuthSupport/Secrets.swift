package import Crypto

// Tests contain no real secrets.

extension SecretBytes {
  package var text: String {
    withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
  }
}

extension SharedSecret {
  package var text: String { bytes.text }
}

package func secret(_ text: String) throws -> SharedSecret {
  SharedSecret(try SecretBytes(copying: Array(text.utf8).span))
}
