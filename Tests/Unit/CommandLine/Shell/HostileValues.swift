/// Values that a server could choose to make a shell execute something.
enum HostileValues {
  static let texts: [String] = [
    "", " ", "  ", "   a   b   ", "a b", "a  b", "plain", "'", "''", "\"", "\\", "\\\\", "`", "$", "$(touch pwned)",
    "`touch pwned`", "';touch pwned;'", "' ; touch pwned ; '", "\"; touch pwned; \"", "$HOME", "${HOME}", "*", "?",
    "[a-z]*", "{a,b}", "{1..9}", "~", "~root", "!", "!!", "a!b", "!-1", "#", "# comment", "&", "&& touch pwned", "|",
    "<", ">pwned", "(", ")", "(touch pwned)", ";", "%s", "%n%d", "%1", "\t", "\t\ttab", "\u{1B}[31m", "\u{7}",
    "\u{7F}", "é", "日本語", "\u{202E}", "a\u{9B}31m\u{85}b", "\u{61C}\u{200F} \u{2066}x\u{2069}\u{2028}",
    "\u{F600}\u{F8FF}\u{10FFFF}", "-n", "--", "-n  --", "=", "a=b", "=ls", "a =ls",
    "=1", "a =1", "=-", "a =- b", " =- ", "^", "^a^b", "\\052", "\\n", "\\x41", "'\"`printf '\\052'`\"'", "/etc/*",
    "+,@:%_-.", "\\'", "a'b\"c\\d`e$f", "$'x'", "*'*", "a *", "* a", "'*'", "0 1 2", "a\\", "'\\''", "=(touch pwned)",
    "<(touch pwned)", "@(a|b)", "a: b, c", "((1+1))", "N=; touch pwned", String(repeating: "a *b =c", count: 60),
    // The limit of bsd-csh.
    String(repeating: "x", count: 4000),
  ]

  /// Every byte that a value may contain: alone, doubled inside a word, and all of them in a row.
  static let bytes: [[UInt8]] = {
    let allowed = (1...255 as ClosedRange<UInt8>).filter { $0 != 0x0A && $0 != 0x0D }
    return allowed.map { [$0] } + allowed.map { Array("a".utf8) + [$0, $0] + Array("b".utf8) } + [allowed]
  }()

  static let all = texts.map { Array($0.utf8) } + bytes

  /// File names that could match a pattern in a response, or be part of one.
  static let fileNames: [String] = [
    "a", "b", "c", "052", "52", "'", "\"", "\\", "*", "?", "[", "]", "-n", "x y", "N=", "N='", "N='a", "'\"`printf",
    "printf", "'052'`\"'", "'\\052'`\"'", "'\\052'`\"';", "'\\052'`\"'; export N;", "export", "N;", "N", "setenv",
    "set", "-gx", "; touch pwned", "$(touch pwned)", "`touch pwned`", "plain", "0", "1", "~", "{a,b}", "'052'`\"';",
    "=1", "=-", "=ls", "!", "(exit", "sh", "-c", "\"exit",
  ]
}
