package import Platform

package struct ProcessResult: Sendable, Hashable {
  package var status: ProcessStatus
  package var output: [UInt8]
  package var error: [UInt8]

  package init(status: ProcessStatus, output: [UInt8], error: [UInt8]) {
    self.status = status
    self.output = output
    self.error = error
  }

  package var outputText: String { String(decoding: output, as: UTF8.self) }
  package var errorText: String { String(decoding: error, as: UTF8.self) }
  package var succeeded: Bool { status == .exited(0) }
}
