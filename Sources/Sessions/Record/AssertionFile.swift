internal import Crypto
internal import OAuth
internal import Platform

/// The file in which a platform hands out an assertion, and replaces it before it expires.
struct AssertionFile {
  let path: String

  /// Longest wait for the file, which is on a disk or in memory.
  private static let patience = Duration.seconds(10)

  /// The content without the line end behind it. Blocking.
  ///
  /// - Throws: `assertionUnreadable`.
  func content() throws(SessionError) -> Result<SharedSecret, AssertionProblem> {
    let file: SharedDescriptor
    do { file = SharedDescriptor(try PrivateDirectory.openHandedOut(path)) } catch { throw .assertionUnreadable(error) }
    var buffer: SecretBytes
    // Room for a line end, and for a byte too many.
    let most = BearerAssertion.maximumBytes + 2
    do { buffer = try SecretBytes(zeroed: most + 1) } catch { throw .memory }
    var count: Int
    do {
      count = try buffer.withMutableBytes { (bytes) throws(SystemError) in
        try file.readToEnd(into: &bytes, patience: Self.patience)
      }
    } catch {
      throw .assertionUnreadable(.system(error, path: path))
    }
    if count > most { return .failure(.tooLong) }
    do throws(CryptoError) {
      return try buffer.withBytes { (bytes) throws(CryptoError) in
        while count > 0, [UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(bytes[count - 1]) { count -= 1 }
        return .success(SharedSecret(try SecretBytes(copying: bytes.extracting(..<count))))
      }
    } catch {
      throw .memory
    }
  }
}
