internal import Crypto
internal import Encoding

extension Client {
  /// Adds client authentication to a request. Returns the `Authorization` header, if any.
  func addAuthentication(
    to form: inout RequestForm, for endpoint: Endpoint, of metadata: AuthorizationServerMetadata
  ) throws(OAuthError) -> SecretBytes? {
    switch authentication {
    case .none, .mutualTLS:
      form.add(.clientID, id)
      return nil
    case .post(let secret):
      form.add(.clientID, id)
      form.add(.clientSecret, secret: secret)
      return nil
    case .privateKeyJWT(let assertion):
      // Optional (RFC 7521 section 4.2), but some servers need it to find the key.
      form.add(.clientID, id)
      form.add(.clientAssertionType, ClientAssertion.type)
      form.add(.clientAssertion, secret: try assertion.make(clientID: id, for: endpoint, of: metadata))
      return nil
    case .assertion(let assertion):
      // The assertion has only the platform's name for the client.
      form.add(.clientID, id)
      form.add(.clientAssertionType, ClientAssertion.type)
      form.add(.clientAssertion, secret: assertion)
      return nil
    case .basic(let secret): return try basic(secret, isEncoded: true)
    case .basicUnencoded(let secret): return try basic(secret, isEncoded: false)
    }
  }

  /// The `Authorization` header for HTTP Basic (RFC 7617). ID and secret are form-encoded if `isEncoded`.
  private func basic(_ secret: SharedSecret, isEncoded: Bool) throws(OAuthError) -> SecretBytes {
    do throws(CryptoError) {
      var pair = SecretBuffer()
      let idBytes = Array(id.utf8)
      Self.append(idBytes.span, isEncoded: isEncoded, to: &pair)
      pair.append(UInt8(ascii: ":"))
      secret.bytes.withBytes { Self.append($0, isEncoded: isEncoded, to: &pair) }
      let credentials = try pair.finish()
      var value = SecretBuffer()
      value.append(utf8: "Basic ")
      credentials.withBytes { Base64.append($0, to: &value) }
      return try value.finish()
    } catch {
      throw OAuthError(.cryptoFailure, .request)
    }
  }

  private static func append(_ bytes: Span<UInt8>, isEncoded: Bool, to buffer: inout SecretBuffer) {
    if isEncoded {
      Form.appendEncoded(bytes, to: &buffer)
    } else {
      buffer.append(contentsOf: bytes)
    }
  }
}
