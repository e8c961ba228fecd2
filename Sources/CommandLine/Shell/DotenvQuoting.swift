internal import Encoding

/// Quotes values for `.env` files.
///
/// These have no standard. Inside double quotes a backslash stands before `"`, `\`, `$` and `` ` ``, which is
/// what a POSIX shell, systemd.exec(5) and most readers of such files undo; all else stands as it is.
enum DotenvQuoting {
  /// Writes the value with its quotes.
  static func appendQuoted<Sink: ByteSink & ~Copyable>(
    _ value: Span<UInt8>, to sink: inout Sink
  ) throws(ShellQuoting.Problem) {
    try ShellQuoting.check(value)
    sink.append(UInt8(ascii: "\""))
    for index in value.indices {
      switch value[index] {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "$"), UInt8(ascii: "`"):
        sink.append(UInt8(ascii: "\\"))
      default: break
      }
      sink.append(value[index])
    }
    sink.append(UInt8(ascii: "\""))
  }
}
