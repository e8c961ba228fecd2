internal import Encoding

/// Quotes values from servers so that readers treat them only as text. This is a security boundary.
enum Quoting: Sendable {
  /// For the sh and csh families.
  ///
  /// The quoted value is correct in `eval "$(agent env)"` and in the bare `eval $(agent env)`. In the bare form the
  /// shell splits our output into words and expands file name patterns (csh also braces, tcsh the directory stack in
  /// words that begin with `=`), before `eval` joins them with single spaces and parses the result. So only bytes
  /// without special meaning in either step are literal inside the quotes: ``ShellWord/isLiteral(_:)``, except `=`
  /// where a word could begin, and a single space. Any other run of bytes, and each terminal control character
  /// (``TerminalText/controlLength(_:at:)``), becomes
  /// ```
  /// '"`printf '\052\077'`"'
  /// ```
  /// which closes the quote, prints the bytes by octal number inside double quotes, and reopens the quote, without `%`,
  /// which `printf` interprets.
  case octal

  /// For fish, where only `\` and `'` are special in single quotes, and substituted output is not expanded again.
  /// Terminal control characters are outside the quotes, as `\xHH` and `\XHH`.
  case fish

  /// For `.env` files, which have no standard. Inside double quotes a backslash precedes `"`, `\`, `$` and `` ` ``, as
  /// POSIX shells, systemd.exec(5) and most readers expect. Rejects terminal control characters other than a tab, which
  /// cannot be escaped.
  case dotenv

  case json

  /// For PowerShell (about_Quoting_Rules). In single quotes only single quotes are special, including U+2018 to U+201B,
  /// and are doubled. Terminal control characters are outside, as `[char]` and a number.
  case powershell

  /// For a GitHub Actions environment file: literal bytes between two unpredictable lines. Rejects terminal control
  /// characters other than a tab.
  case line

  enum Problem: Error, Hashable {
    /// NUL ends a variable's value, command substitution drops a trailing line feed, and unquoted substitution changes
    /// any line break. `.env` files permit no control byte except a tab.
    case controlByte
  }

  func append<Sink: ByteSink & ~Copyable>(_ value: Span<UInt8>, to sink: inout Sink) throws(Problem) {
    // JSON can contain line breaks and NUL, but variables cannot contain NUL.
    for index in value.indices where value[index] == 0 || (self != .json && Self.isLineBreak(value[index])) {
      throw .controlByte
    }
    switch self {
    case .octal: Self.appendOctal(value, to: &sink)
    case .fish: Self.appendFish(value, to: &sink)
    case .dotenv: try Self.appendDotenv(value, to: &sink)
    case .json: sink.append(jsonStringBytes: value)
    case .powershell: Self.appendPowerShell(value, to: &sink)
    case .line:
      for index in value.indices {
        if Self.isControl(value, index) { throw .controlByte }
        sink.append(value[index])
      }
    }
  }

  private static func isLineBreak(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }

  // MARK: The sh and csh families

  private static func appendOctal<Sink: ByteSink & ~Copyable>(_ value: Span<UInt8>, to sink: inout Sink) {
    sink.append(UInt8(ascii: "'"))
    var isEscaping = false
    var followsSpace = false
    var controlEnd = 0
    for index in value.indices {
      let byte = value[index]
      let length = TerminalText.controlLength(value, at: index)
      if length > 0 { controlEnd = index + length }
      let isSpace = byte == UInt8(ascii: " ")
      // The bare form would merge two spaces.
      let meansMore = followsSpace && (isSpace || byte == UInt8(ascii: "="))
      let staysLiteral = (ShellWord.isLiteral(byte) || isSpace) && !meansMore && index >= controlEnd
      if staysLiteral == isEscaping { sink.append(utf8: isEscaping ? "'`\"'" : "'\"`printf '") }
      isEscaping = !staysLiteral
      followsSpace = isSpace && staysLiteral
      if staysLiteral { sink.append(byte) } else { appendNumber(of: byte, to: &sink) }
    }
    if isEscaping { sink.append(utf8: "'`\"'") }
    sink.append(UInt8(ascii: "'"))
  }

  private static func appendNumber<Sink: ByteSink & ~Copyable>(of byte: UInt8, to sink: inout Sink) {
    sink.append(UInt8(ascii: "\\"))
    for shift in [6, 3, 0] as [UInt8] { sink.append(UInt8(ascii: "0") + (byte >> shift & 7)) }
  }

  /// Excludes tabs.
  private static func isControl(_ value: Span<UInt8>, _ index: Int) -> Bool {
    TerminalText.controlLength(value, at: index) > 0 && value[index] != UInt8(ascii: "\t")
  }

  // MARK: The others

  private static func appendPowerShell<Sink: ByteSink & ~Copyable>(_ value: Span<UInt8>, to sink: inout Sink) {
    sink.append(UInt8(ascii: "'"))
    var index = 0
    while index < value.count {
      let control = TerminalText.controlLength(value, at: index)
      if control > 0 {
        // The bits in the first byte, then six in each other byte (RFC 3629, section 3).
        var number = UInt32(value[index]) & (control == 1 ? 0x7F : 0xFF >> UInt32(control + 1))
        for next in index + 1..<index + control { number = number << 6 | UInt32(value[next] & 0x3F) }
        sink.append(utf8: "'+[char]0x\(String(number, radix: 16))+'")
        index += control
        continue
      }
      let length = quoteLength(value, at: index)
      for _ in 0..<(length > 0 ? 2 : 1) {
        for position in index..<index + max(1, length) { sink.append(value[position]) }
      }
      index += max(1, length)
    }
    sink.append(UInt8(ascii: "'"))
  }

  /// The byte length of a PowerShell single quote; 0 for other characters.
  private static func quoteLength(_ value: Span<UInt8>, at index: Int) -> Int {
    if value[index] == UInt8(ascii: "'") { return 1 }
    let isTypographic =
      index + 2 < value.count && value[index] == 0xE2 && value[index + 1] == 0x80
      && (0x98...0x9B).contains(value[index + 2])
    return isTypographic ? 3 : 0
  }

  private static func appendFish<Sink: ByteSink & ~Copyable>(_ value: Span<UInt8>, to sink: inout Sink) {
    func hexDigit(_ value: UInt8) -> String { String(value, radix: 16) }
    sink.append(UInt8(ascii: "'"))
    var controlEnd = 0
    for index in value.indices {
      let byte = value[index]
      let length = TerminalText.controlLength(value, at: index)
      if length > 0 { controlEnd = index + length }
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\\"):
        sink.append(UInt8(ascii: "\\"))
        sink.append(byte)
      case _ where index < controlEnd:
        sink.append(utf8: "'\\\(byte < 0x80 ? "x" : "X")\(hexDigit(byte >> 4))\(hexDigit(byte & 15))'")
      default: sink.append(byte)
      }
    }
    sink.append(UInt8(ascii: "'"))
  }

  private static func appendDotenv<Sink: ByteSink & ~Copyable>(
    _ value: Span<UInt8>, to sink: inout Sink
  ) throws(Problem) {
    sink.append(UInt8(ascii: "\""))
    for index in value.indices {
      if isControl(value, index) { throw .controlByte }
      if "\"\\$`".utf8.contains(value[index]) { sink.append(UInt8(ascii: "\\")) }
      sink.append(value[index])
    }
    sink.append(UInt8(ascii: "\""))
  }
}
