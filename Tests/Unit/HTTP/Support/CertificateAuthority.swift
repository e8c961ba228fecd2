import Platform
import TestSupport

/// A certificate authority with certificates, created by `openssl` and kept in memory, since it exists until the tests
/// end.
final class CertificateAuthority: Sendable {
  enum Certificate: String, Sendable, CaseIterable {
    /// For 127.0.0.1.
    case good
    case otherHost
    /// For 127.0.0.1, expired yesterday.
    case expired
    /// For 127.0.0.1, self-signed.
    case selfSigned
  }

  static let shared = Result { try CertificateAuthority() }

  /// The authority's own certificate.
  let pem: [UInt8]
  /// A client certificate issued by the authority, followed by its key.
  let client: [UInt8]
  /// A self-signed client certificate, followed by its key.
  let otherClient: [UInt8]
  private let servers: [Certificate: Files]

  /// The files read by a server.
  private struct Files {
    let certificate: [UInt8]
    let key: [UInt8]
  }

  private init() throws {
    let directory = try TemporaryDirectory()
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
      openssl req $new -keyout client.key -out client.csr -subj '/CN=client'; sign client 2
      openssl req -x509 $new -keyout otherClient.key -out otherClient.pem -subj '/CN=client'
      """)
    pem = try directory.read("ca.pem")
    client = try directory.read("client.pem") + directory.read("client.key")
    otherClient = try directory.read("otherClient.pem") + directory.read("otherClient.key")
    var servers: [Certificate: Files] = [:]
    for server in Certificate.allCases {
      servers[server] = Files(
        certificate: try directory.read("\(server.rawValue).pem"), key: try directory.read("\(server.rawValue).key"))
    }
    self.servers = servers
  }

  /// Writes a certificate and its key. Returns the options for `openssl s_server`.
  func write(_ certificate: Certificate, to directory: TemporaryDirectory) throws -> [String] {
    let files = try files(of: certificate)
    try directory.write("certificate", files.certificate)
    try directory.write("key", files.key)
    return ["-cert", directory.path("certificate"), "-key", directory.path("key")]
  }

  private func files(of certificate: Certificate) throws -> Files {
    guard let files = servers[certificate] else { throw Failure(error: "there is no \(certificate)") }
    return files
  }

  func pin(of certificate: Certificate) throws -> String {
    let hash = try Self.run(
      """
      (openssl x509 -noout -pubkey | openssl pkey -pubin -outform DER | openssl dgst -sha256 -binary |
        openssl base64 -A) <<'END'
      \(String(decoding: try files(of: certificate).certificate, as: UTF8.self))
      END
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
