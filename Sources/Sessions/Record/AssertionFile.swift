internal import Crypto
internal import OAuth
internal import Platform
internal import Vocabulary

/// The file in which a platform hands out an assertion, and replaces it before it expires.
struct AssertionFile {
  let path: String

  /// Longest wait for the file, which is on a disk or in memory.
  private static let patience = Duration.seconds(10)

  /// Reads the assertion that is in the file now. Blocking.
  ///
  /// - Parameters:
  ///   - audience: As the settings name it; nil for the issuer.
  ///   - now: Unix seconds.
  /// - Throws: `assertionUnreadable`; `assertion` for one that the server would refuse.
  func read(
    for audience: String?, at metadata: AuthorizationServerMetadata, now: Int
  ) throws(SessionError) -> BearerAssertion {
    let text = try content()
    do throws(AssertionProblem) {
      let assertion = try BearerAssertion(text)
      let expected = audience.map { AssertionAudience($0) } ?? .issuer
      try assertion.check(for: expected.text(metadata.tokenEndpoint, metadata), now: now)
      return assertion
    } catch {
      throw .assertion(error, path: path)
    }
  }

  /// The content without the line end behind it.
  private func content() throws(SessionError) -> SharedSecret {
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
    if count > most { throw .assertion(.tooLong, path: path) }
    do throws(CryptoError) {
      return try buffer.withBytes { (bytes) throws(CryptoError) in
        while count > 0, [UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(bytes[count - 1]) { count -= 1 }
        return SharedSecret(try SecretBytes(copying: bytes.extracting(..<count)))
      }
    } catch {
      throw .memory
    }
  }
}
