internal import CPlatform
internal import Glibc

/// Unbuffered output by `write(2)`, complete unless an error is thrown.
package enum Output {
  package enum Stream: Int32, Sendable {
    case standardOutput = 1
    case standardError = 2
  }

  /// Writes all bytes, even to a non-blocking stream. If `write` fails, a part may have been written.
  package static func write(_ bytes: Span<UInt8>, to stream: Stream) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let rest = bytes.extracting(written..<bytes.count)
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(stream.rawValue, $0.baseAddress, $0.count) }
      if count >= 0 {
        written += count
      } else if errno == EAGAIN {
        _ = agent_poll_one(stream.rawValue, 1, -1)
      } else if errno != EINTR {
        throw SystemError(errno: errno, operation: "write")
      }
    }
  }

  /// Does not add a newline.
  package static func write(_ text: String, to stream: Stream) throws(SystemError) {
    try write(Array(text.utf8).span, to: stream)
  }
}
