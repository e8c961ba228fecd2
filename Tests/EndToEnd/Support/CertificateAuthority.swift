import TestSupport
import Testing

/// A test certificate authority, created with openssl: `ca.pem` and `ca.key` in a directory, with its certificates as
/// NAME.pem and NAME.key.
struct CertificateAuthority {
  private let directory: String
  private static let newKey = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"

  init(in tree: AgentTree) throws {
    directory = tree.directory.path
    try run(
      """
      openssl req -x509 \(Self.newKey) -keyout ca.key -out ca.pem -subj '/CN=Test authority' \\
        -addext basicConstraints=critical,CA:TRUE
      """)
  }

  /// - Parameters:
  ///   - names: The subject's alternative names, such as `IP:127.0.0.1`; nil for a client.
  ///   - days: The validity from now on. If negative, the certificate has expired.
  func certify(_ name: String, subject: String, names: String? = nil, days: Int = 2) throws {
    try run(
      """
      openssl req \(Self.newKey) -keyout \(name).key -out \(name).csr -subj '/CN=\(subject)' \(Self.extensions(names))
      openssl x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -CAcreateserial -copy_extensions copy \\
        -days \(days) -out \(name).pem
      """)
  }

  func makeSelfSigned(_ name: String, subject: String, names: String? = nil) throws {
    try run(
      """
      openssl req -x509 \(Self.newKey) -keyout \(name).key -out \(name).pem -subj '/CN=\(subject)' \\
        \(Self.extensions(names))
      """)
  }

  private static func extensions(_ names: String?) -> String {
    names.map { "-addext subjectAltName=\($0)" } ?? ""
  }

  private func run(_ commands: String) throws {
    let made = try ProcessRunner.shell("set -e; cd '\(directory)'\n" + commands)
    try #require(made.succeeded, "\(made.errorText)")
  }
}
