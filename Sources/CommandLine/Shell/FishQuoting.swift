internal import Encoding

/// Quotes values for fish, where only `\` and `'` mean anything inside single quotes and where the
/// result of a command substitution is not expanded. This is a security boundary.
enum FishQuoting {
  /// Writes the value with its quotes. A control character stands outside them as `\xHH`, so that the
  /// answer can be shown on a terminal.
  static func appendQuoted<Sink: ByteSink & ~Copyable>(
    _ value: Span<UInt8>, to sink: inout Sink
  ) throws(ShellQuoting.Problem) {
    try ShellQuoting.check(value)
    sink.append(UInt8(ascii: "'"))
    for index in value.indices {
      let byte = value[index]
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\\"):
        sink.append(UInt8(ascii: "\\"))
        sink.append(byte)
      case 0..<0x20, 0x7F:
        sink.append(utf8: "'\\x\(hexDigit(byte >> 4))\(hexDigit(byte & 15))'")
      default: sink.append(byte)
      }
    }
    sink.append(UInt8(ascii: "'"))
  }

  private static func hexDigit(_ value: UInt8) -> String { String(value, radix: 16) }
}
