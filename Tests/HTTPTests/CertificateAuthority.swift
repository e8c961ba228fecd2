import Platform
import TestSupport

/// A certificate authority of its own with the certificates of some servers, made by the `openssl` command.
final class CertificateAuthority: Sendable {
  /// What a server shows.
  enum Certificate: String, Sendable {
    /// For 127.0.0.1.
    case good
    /// For another host.
    case otherHost
    /// For 127.0.0.1, until yesterday.
    case expired
    /// For 127.0.0.1, by itself.
    case selfSigned
  }

  /// One for all tests.
  static let shared = Result { try CertificateAuthority() }

  let directory: TemporaryDirectory
  /// The authority's own certificate.
  let pem: [UInt8]

  private init() throws {
    directory = try TemporaryDirectory()
    try Self.run(
      """
      cd '\(directory.path)'
      new="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
      openssl req -x509 $new -keyout ca.key -out ca.pem -subj '/CN=Test authority' -addext basicConstraints=critical,CA:TRUE
      request() { openssl req $new -keyout "$1.key" -out "$1.csr" -subj '/CN=server' -addext "subjectAltName=$2"; }
      sign() {
        openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -copy_extensions copy \\
          -days "$2" -out "$1.pem"
      }
      request good IP:127.0.0.1; sign good 2
      request otherHost DNS:other.example,IP:127.0.0.2; sign otherHost 2
      request expired IP:127.0.0.1; sign expired -1
      openssl req -x509 $new -keyout selfSigned.key -out selfSigned.pem -subj '/CN=server' -addext subjectAltName=IP:127.0.0.1
      """)
    pem = try directory.read("ca.pem")
  }

  /// The pin of a certificate's public key.
  func pin(of certificate: Certificate) throws -> String {
    let hash = try Self.run(
      """
      openssl x509 -in '\(directory.path(certificate.rawValue)).pem' -noout -pubkey |
        openssl pkey -pubin -outform DER | openssl dgst -sha256 -binary | openssl base64 -A
      """)
    return "sha256//" + hash
  }

  @discardableResult
  private static func run(_ script: String) throws -> String {
    let result = try ProcessRunner.shell("set -e\n" + script)
    guard result.succeeded else { throw Failure(error: result.errorText) }
    return result.outputText
  }

  struct Failure: Error {
    let error: String
  }
}
