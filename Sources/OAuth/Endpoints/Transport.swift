package import Crypto
internal import Encoding

/// How to connect to a server: trust, proxy and timeouts.
package struct Transport: Sendable {
  /// An HTTP or SOCKS proxy. Environment variables are ignored.
  package struct Proxy: Sendable {
    /// With `socks5h`, the proxy resolves host names.
    package static let schemes = ["http", "https", "socks5", "socks5h"]

    /// `SCHEME://host:port`, without credentials.
    package var url: String
    /// Hosts reached directly, separated by commas as in `no_proxy`.
    package var exclusions: String
    /// `user:password`.
    package var credentials: SharedSecret?

    package init(url: String, exclusions: String = "", credentials: SharedSecret? = nil) {
      self.url = url
      self.exclusions = exclusions
      self.credentials = credentials
    }
  }

  /// For development: allows http to 127.0.0.1 or [::1].
  package var allowHTTPLoopback = false
  /// Trusted in addition to the system's.
  package var certificateAuthorities: CertificateAuthorities?
  /// Public keys as `sha256//BASE64=`, one of which the server must have. Empty for no pins.
  package var pins: [String] = []
  package var proxy: Proxy?
  /// Used for this server only.
  package var clientCertificate: ClientCertificate?
  /// The C library needs 15 s per name server that responds only for IPv4.
  package var resolveTimeoutSeconds = 60
  /// Excludes name resolution.
  package var connectTimeoutSeconds = 10
  /// Limits a request, without name resolution.
  package var totalTimeoutSeconds = 30
  /// Applies after the first byte of a request that ``HTTPRequest/spends`` a single-use value.
  package var spendingTimeoutSeconds = 120
  /// Nil for the daemon's own requests.
  package var connectionGroup: ConnectionGroup?

  package init() {}

  /// Identifies additional authorities and pins, if any. Only requests with the same value share cached documents.
  package var trust: String? {
    guard certificateAuthorities != nil || !pins.isEmpty else { return nil }
    return ([certificateAuthorities?.digest ?? ""] + Set(pins).sorted()).joined(separator: "\n")
  }
}

/// Resource requests that may share a connection: those of one account or one of its leases.
///
/// A server may parse unread content as the next request (RFC 9112 section 9.3), and reveal another sender's token.
package struct ConnectionGroup: Sendable, Hashable {
  package let account: String
  /// Nil for the account's owner.
  package let lease: RequestLease?

  package init(account: String, lease: RequestLease? = nil) {
    self.account = account
    self.lease = lease
  }
}

package final class CertificateAuthorities: Sendable, Equatable {
  package let pem: [UInt8]
  /// The SHA-256 of `pem`, in base64url.
  package let digest: String
  /// Each certificate's SHA-256, in base64url; empty if the text is invalid.
  package let certificateDigests: [String]
  private let certificates: [String]

  private static let maximumCertificates = 4096

  package init(pem: [UInt8]) throws(CryptoError) {
    self.pem = pem
    digest = Base64URL.encode(try Digest.sha256.hash(pem.span))
    var (certificates, digests): ([String], [String]) = ([], [])
    for block in PEM.blocks(in: pem.span, atMost: Self.maximumCertificates) ?? [] {
      guard block.label.hasSuffix("CERTIFICATE") else { continue }
      var text: [UInt8] = []
      PEM.appendBase64(of: block, in: pem.span, to: &text)
      guard let object = try? Base64.decode(String(decoding: text, as: UTF8.self)) else { continue }
      certificates.append(PEM.text(block.label, object))
      digests.append(Base64URL.encode(try Digest.sha256.hash(object.span)))
    }
    (self.certificates, certificateDigests) = (certificates, digests)
  }

  /// Keeps only certificates with these hashes.
  package func limited(to digests: [String]) throws(CryptoError) -> CertificateAuthorities {
    let kept = certificates.indices.filter { digests.contains(certificateDigests[$0]) }
    if kept.count == certificates.count { return self }
    return try CertificateAuthorities(pem: Array(kept.map { certificates[$0] }.joined().utf8))
  }

  package static func == (left: CertificateAuthorities, right: CertificateAuthorities) -> Bool {
    left.digest == right.digest
  }
}
