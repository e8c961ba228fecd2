package import Platform

/// A software TPM (`swtpm`) for one client at a time, ended on deinitialization.
package final class SoftwareTPM: Sendable {
  package static let program = "/usr/bin/swtpm"

  private let directory: TemporaryDirectory
  private let process: RunningProcess

  /// Waits until the TPM accepts commands.
  package init() throws {
    directory = try TemporaryDirectory()
    let socket = directory.path("s")
    process = try RunningProcess(
      executable: Self.program,
      arguments: [
        "socket", "--tpm2", "--tpmstate", "dir=\(directory.path)", "--server", "type=unixio,path=\(socket)",
        // The clients' library requires this name.
        "--ctrl", "type=unixio,path=\(socket).ctrl", "--flags", "not-need-init,startup-clear",
      ])
    // The TPM prints nothing when it listens, and the socket exists before.
    let deadline = Instant.now.advanced(by: .testLimit)
    for name in ["s", "s.ctrl"] {
      while !Self.listens(directory.path(name)) {
        guard Instant.now < deadline else { throw ProcessFailure.timedOut(output: "", error: process.errorText) }
        Threads.sleep(for: .milliseconds(5))
      }
    }
  }

  private static func listens(_ path: String) -> Bool {
    guard let connection = try? UnixSocket.connect(path: path) else { return false }
    extendLifetime(connection)
    return true
  }

  /// The value of `TPM2OPENSSL_TCTI` for clients.
  package var connection: String { "swtpm:path=\(directory.path("s"))" }

  package var processID: Int32 { process.processID }

  package func signal(_ signal: Int32) throws(SystemError) { try process.signal(signal) }

  /// Ends the TPM, as if it had been removed.
  package func end() throws(ProcessFailure) {
    try process.terminate()
  }
}
