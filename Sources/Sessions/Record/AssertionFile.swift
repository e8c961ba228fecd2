internal import Crypto
internal import OAuth
internal import Platform

/// A file with an assertion, which the platform replaces before it expires.
struct AssertionFile {
  let path: String

  private static let readTimeout = Duration.seconds(10)

  /// Reads the content without a trailing newline. Blocking.
  ///
  /// - Throws: `assertionUnreadable`.
  func content() throws(SessionError) -> Result<SharedSecret, AssertionProblem> {
    let file: SharedDescriptor
    do { file = SharedDescriptor(try PrivateDirectory.openProvidedFile(path)) } catch {
      throw .assertionUnreadable(error)
    }
    var buffer: SecretBytes
    // Room for a newline, and for one more byte to detect a file that is too long.
    let most = BearerAssertion.maximumBytes + 2
    do { buffer = try SecretBytes(zeroed: most + 1) } catch { throw .memory }
    var count: Int
    do {
      count = try buffer.withMutableBytes { (bytes) throws(SystemError) in
        try file.readToEnd(into: &bytes, timeout: Self.readTimeout)
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
