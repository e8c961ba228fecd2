package import Crypto
internal import Encoding
package import Vocabulary

/// How an account's server is reached and whom to trust on the way.
package struct Transport: Sendable {
  /// An HTTP proxy. The environment is never read; what is not here is not used.
  package struct Proxy: Sendable {
    /// `http://host:port` or `https://host:port`, without credentials.
    package var url: String
    /// Host names that are reached directly, separated by commas, as in `no_proxy`.
    package var exclusions: String
    /// `user:password`.
    package var credentials: SharedSecret?

    package init(url: String, exclusions: String = "", credentials: SharedSecret? = nil) {
      self.url = url
      self.exclusions = exclusions
      self.credentials = credentials
    }
  }

  /// Plain http to 127.0.0.1 or [::1] is allowed. For development only.
  package var allowHTTPLoopback = false
  /// Trusted beside the system's own.
  package var certificateAuthorities: CertificateAuthorities?
  /// Public keys as `sha256//BASE64=`; when there are any, the server's key must be one of them.
  package var pins: [String] = []
  package var proxy: Proxy?
  /// The client certificate for the handshake with this server only.
  package var clientCertificate: ClientCertificate?
  package var connectTimeoutSeconds = 10
  /// For the whole request, connection included.
  package var totalTimeoutSeconds = 30
  /// For the answer to a request that ``HTTPRequest/spends`` something, from its first byte on.
  package var spendingTimeoutSeconds = 120
  /// The requests that may share a kept connection with this one; nil for those that the daemon composes itself, such as to
  /// an authorization server.
  package var connectionGroup: ConnectionGroup?

  package init() {}

  /// The authorities added to the system's own and the pins that narrow the trust; nil when only the system's trust
  /// applies. A document fetched under one trust is not used under another. No line of it holds a line break.
  package var trust: String? {
    guard certificateAuthorities != nil || !pins.isEmpty else { return nil }
    return ([certificateAuthorities?.digest ?? ""] + Set(pins).sorted()).joined(separator: "\n")
  }
}

/// Requests to resources that may follow each other on one connection: those of one account, or of one of its leases.
///
/// The sender of a request chooses its content. A server that does not read the content takes it for the next request
/// (RFC 9112 section 9.3), and may then show the request after it, with its token, to the first sender.
package struct ConnectionGroup: Sendable, Hashable {
  package let account: String
  /// Nil for requests of the account's owner.
  package let lease: RequestLease?

  package init(account: String, lease: RequestLease? = nil) {
    self.account = account
    self.lease = lease
  }
}

/// Certificates of authorities that are trusted to issue server certificates.
package struct CertificateAuthorities: Sendable, Equatable {
  /// In PEM form.
  package let pem: [UInt8]
  /// SHA-256 of it, in base64url.
  package let digest: String
  /// SHA-256 of each certificate, in base64url; empty if the text cannot be read.
  package let certificateDigests: [String]
  /// Each certificate in PEM form.
  private let certificates: [String]

  private static let mostCertificates = 4096

  package init(pem: [UInt8]) throws(CryptoError) {
    self.pem = pem
    digest = Base64URL.encode(try Digest.sha256.hash(pem.span))
    var (certificates, digests): ([String], [String]) = ([], [])
    for block in PEM.blocks(in: pem.span, atMost: Self.mostCertificates) ?? [] {
      guard block.label.hasSuffix("CERTIFICATE") else { continue }
      var text: [UInt8] = []
      PEM.appendBase64(of: block, in: pem.span, to: &text)
      guard let object = try? Base64.decode(String(decoding: text, as: UTF8.self)) else { continue }
      certificates.append(PEM.text(block.label, object))
      digests.append(Base64URL.encode(try Digest.sha256.hash(object.span)))
    }
    (self.certificates, certificateDigests) = (certificates, digests)
  }

  /// Those of the certificates that have one of these digests.
  package func limited(to digests: [String]) throws(CryptoError) -> CertificateAuthorities {
    let kept = certificates.indices.filter { digests.contains(certificateDigests[$0]) }
    if kept.count == certificates.count { return self }
    return try CertificateAuthorities(pem: Array(kept.map { certificates[$0] }.joined().utf8))
  }

  package static func == (left: Self, right: Self) -> Bool { left.digest == right.digest }
}
