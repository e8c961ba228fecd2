internal import Encoding
package import Platform

/// An `agentd` that this process has started.
package struct DaemonProcess: Sendable {
  package let process: Int32

  /// Where its standard error can be read.
  package let errors: SharedDescriptor

  /// How long a process that is told to end, or is about to, may take.
  private static let patience = Duration.seconds(3)

  /// - Parameter errors: The other end of its standard error.
  package init(process: Int32, errors: SharedDescriptor) {
    self.process = process
    self.errors = errors
  }

  /// The last line it has written to standard error before it ended, made safe to show; nil when
  /// there is none, or when it has not ended.
  package func lastWords() -> String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    var space = buffer.mutableSpan
    guard let count = try? errors.readToEnd(into: &space, patience: Self.patience) else { return nil }
    let lines = buffer.prefix(count).split(separator: UInt8(ascii: "\n"))
    guard let last = lines.last else { return nil }
    let prefix = "agentd: error: ".utf8
    let words = last.starts(with: prefix) ? last.dropFirst(prefix.count) : last
    let text = TerminalText.clean(String(decoding: words, as: UTF8.self))
    return text.isEmpty ? nil : text
  }

  /// Waits until it has ended and takes its status, so that no other program inherits a child it does
  /// not know. One that takes longer is left to itself: it may be writing down a renewed refresh token,
  /// and ends when that is done.
  @discardableResult
  package func reap() -> Platform.ExitStatus? {
    guard (try? Spawn.processDescriptor(process).waitUntilReadable(timeout: Self.patience)) == true else { return nil }
    return try? Spawn.wait(process)
  }
}
