internal import Encoding
package import Platform

/// An `agentd`, or an `agent-lease`, that this process has started.
package struct DaemonProcess: Sendable {
  package let process: Int32
  /// The name of the program.
  package let name: String

  /// The reading end of its standard error.
  package let errors: SharedDescriptor

  /// The maximum wait for the process to end, which may be waiting for a server that has received a refresh token.
  private static let patience = Duration.seconds(10)
  /// The maximum wait for its last message.
  private static let wordsPatience = Duration.seconds(3)

  /// - Parameters:
  ///   - name: The program.
  ///   - errors: The other end of its standard error.
  package init(_ name: String = "agentd", process: Int32, errors: SharedDescriptor) {
    self.name = name
    self.process = process
    self.errors = errors
  }

  /// The last line of its standard error, safe for a terminal; nil if there is none, or if the process is still
  /// running.
  package func lastWords() -> String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    var space = buffer.mutableSpan
    guard let count = try? errors.readToEnd(into: &space, patience: Self.wordsPatience) else { return nil }
    let lines = buffer.prefix(count).split(separator: UInt8(ascii: "\n"))
    guard let last = lines.last else { return nil }
    let prefix = Array("\(name): error: ".utf8)
    let words = last.starts(with: prefix) ? last.dropFirst(prefix.count) : last
    let text = TerminalText.clean(String(decoding: words, as: UTF8.self))
    return text.isEmpty ? nil : text
  }

  /// Waits for its end and reaps it, so that a program that replaces this one has no unknown child. A process that
  /// needs longer is left running: it may be storing a new refresh token, and ends afterwards.
  @discardableResult
  package func reap() -> ProcessStatus? {
    guard (try? Spawn.processDescriptor(process).waitUntilReadable(timeout: Self.patience)) == true else { return nil }
    Signals.childEnded()
    return try? Spawn.wait(process)
  }
}
