internal import Encoding

/// Quotes values that servers chose, so that a shell of the sh or csh family takes them for text and
/// nothing else. This is a security boundary.
///
/// The quoted value is right for `eval "$(agent env)"` and for the bare `eval $(agent env)`. In the
/// second form the shell splits our output into words and expands them as file name patterns (csh also
/// braces, and tcsh the directory stack in words that begin with `=`), before `eval` joins them with
/// single spaces and reads the result. So inside the quotes stand literally only bytes that mean
/// nothing in either reading: ``isLiteral(_:)``, except `=` where a word could begin, and a single
/// space. Every other run of bytes becomes
/// ```
/// '"`printf '\052\077'`"'
/// ```
/// which closes the quote, prints the bytes by their octal numbers inside double quotes, and opens the
/// quote again. Single quotes, digits and backslashes make up the escape itself, and a `%` never gets
/// into it, since `printf` would obey it.
enum ShellQuoting {
  /// Why a value cannot be quoted.
  enum Problem: Error, Hashable {
    /// NUL ends a variable's value; command substitution drops a line feed at the end, and the bare
    /// form turns any line feed or carriage return into something else.
    case controlByte
  }

  /// Writes the value with its quotes.
  static func appendQuoted<Sink: ByteSink & ~Copyable>(
    _ value: Span<UInt8>, to sink: inout Sink
  ) throws(Problem) {
    try check(value)
    sink.append(UInt8(ascii: "'"))
    var isEscaping = false
    var followsSpace = false
    for index in value.indices {
      let byte = value[index]
      let isSpace = byte == UInt8(ascii: " ")
      // Two spaces in a row would come out of the bare form as one.
      let meansMore = followsSpace && (isSpace || byte == UInt8(ascii: "="))
      let staysLiteral = (isLiteral(byte) || isSpace) && !meansMore
      if staysLiteral == isEscaping { sink.append(utf8: isEscaping ? "'`\"'" : "'\"`printf '") }
      isEscaping = !staysLiteral
      followsSpace = isSpace && staysLiteral
      if staysLiteral { sink.append(byte) } else { appendOctal(byte, to: &sink) }
    }
    if isEscaping { sink.append(utf8: "'`\"'") }
    sink.append(UInt8(ascii: "'"))
  }

  /// Bytes that no shell reads as anything but themselves, inside quotes or out, in a file name
  /// pattern or not.
  static func isLiteral(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...0xFF:
      true
    case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: ":"),
      UInt8(ascii: "@"), UInt8(ascii: "%"), UInt8(ascii: "+"), UInt8(ascii: "="), UInt8(ascii: ","):
      true
    default: false
    }
  }

  /// Bytes that a word of a command may have without any quotes, wherever in it they stand.
  static func isPlain(_ byte: UInt8) -> Bool { isLiteral(byte) && byte < 0x80 && byte != UInt8(ascii: "=") }

  /// Refuses what no quoting of any shell makes safe.
  static func check(_ value: Span<UInt8>) throws(Problem) {
    for index in value.indices where isRefused(value[index]) { throw .controlByte }
  }

  private static func isRefused(_ byte: UInt8) -> Bool {
    byte == 0 || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  private static func appendOctal<Sink: ByteSink & ~Copyable>(_ byte: UInt8, to sink: inout Sink) {
    sink.append(UInt8(ascii: "\\"))
    for shift in [6, 3, 0] as [UInt8] { sink.append(UInt8(ascii: "0") + (byte >> shift & 7)) }
  }
}
