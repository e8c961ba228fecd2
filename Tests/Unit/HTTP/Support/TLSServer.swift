import Platform
import TestSupport

/// An `openssl s_server` on 127.0.0.1, which responds to each GET with a page about the connection.
final class TLSServer: Sendable {
  let authority: CertificateAuthority
  let port: UInt16
  private let process: RunningProcess
  private let files: TemporaryDirectory

  /// - Parameter wantsCertificate: Whether clients without a certificate of the authority are rejected.
  init(
    _ certificate: CertificateAuthority.Certificate = .good, options: [String] = [], wantsCertificate: Bool = false
  ) throws {
    authority = try CertificateAuthority.shared.get()
    files = try TemporaryDirectory()
    var options = options
    if wantsCertificate {
      try files.write("authority", authority.pem)
      options += ["-CAfile", files.path("authority"), "-Verify", "1", "-verify_return_error"]
    }
    process = try RunningProcess(
      executable: "/usr/bin/openssl",
      arguments: ["s_server", "-accept", "127.0.0.1:0", "-www"] + authority.write(certificate, to: files) + options)
    port = try Self.readPort(process)
  }

  var url: String { "https://127.0.0.1:\(port)/" }

  private static func readPort(_ process: RunningProcess) throws -> UInt16 {
    while true {
      let line = try process.readLine()
      if line.hasPrefix("ACCEPT "), let port = line.split(separator: ":").last.flatMap({ UInt16($0) }) { return port }
    }
  }
}
