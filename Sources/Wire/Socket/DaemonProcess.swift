internal import Encoding
package import Platform

/// An `agentd` or `agent-lease` started by this process.
package struct DaemonProcess: Sendable {
  package let processID: Int32
  package let name: String

  /// The reading end of standard error.
  package let errors: SharedDescriptor

  /// How long to wait for the process to end. It may be awaiting the response to a refresh token.
  private static let timeout = Duration.seconds(10)
  private static let lastErrorLineTimeout = Duration.seconds(3)

  package init(_ name: String = "agentd", processID: Int32, errors: SharedDescriptor) {
    self.name = name
    self.processID = processID
    self.errors = errors
  }

  /// The last line of standard error, safe for a terminal; nil if none or still running.
  package func lastErrorLine() -> String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    var space = buffer.mutableSpan
    guard let count = try? errors.readToEnd(into: &space, timeout: Self.lastErrorLineTimeout) else { return nil }
    let lines = buffer.prefix(count).split(separator: UInt8(ascii: "\n"))
    guard let last = lines.last else { return nil }
    let prefix = Array("\(name): error: ".utf8)
    let words = last.starts(with: prefix) ? last.dropFirst(prefix.count) : last
    let text = TerminalText.clean(String(decoding: words, as: UTF8.self))
    return text.isEmpty ? nil : text
  }

  /// Reaps the process, so that a program replacing this one has no unknown child. Does not end a slow process, which
  /// may be storing a refresh token.
  @discardableResult
  package func reap() -> ProcessStatus? {
    guard (try? Spawn.processDescriptor(processID).waitUntilReadable(timeout: Self.timeout)) == true else { return nil }
    Signals.stopDelayingEnd()
    return try? Spawn.wait(processID)
  }
}
