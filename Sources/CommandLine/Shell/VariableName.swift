/// Names that `--var` may set. What a variable gets is up to a server, so a name that decides what a
/// shell or a program runs is refused.
enum VariableName {
  /// Refused in capital and small letters, since zsh ties `path` to `PATH`. As the manual lists them.
  static let refusedList =
    """
    `AGENT_SOCKET`, `BASHOPTS`, `BASH_ENV`, `BROWSER`, `CDPATH`, `EDITOR`, `ENV`, `FPATH`, `GCONV_PATH`, \
    `GIT_ASKPASS`, `GIT_EXEC_PATH`, `GIT_SSH`, `GIT_SSH_COMMAND`, `HOME`, `IFS`, `JAVA_TOOL_OPTIONS`, `LESSOPEN`, \
    `MODULE_PATH`, `NODE_OPTIONS`, `NULLCMD`, `PAGER`, `PATH`, `PERL5LIB`, `PERL5OPT`, `PROMPT`, `PROMPT_COMMAND`, \
    `PS1`, `PS2`, `PS4`, `PWD`, `PYTHONHOME`, `PYTHONPATH`, `PYTHONSTARTUP`, `READNULLCMD`, `RUBYLIB`, `RUBYOPT`, \
    `SHELL`, `SHELLOPTS`, `SSH_ASKPASS`, `TMPDIR`, `VISUAL`, `ZDOTDIR`
    """

  /// The same, one by one.
  static var refused: [String] { refusedList.split(separator: "`").filter { $0 != ", " }.map { String($0) } }

  /// Every name that begins so is refused: it steers the dynamic linker.
  static let refusedPrefix = "LD_"

  /// Whether every shell takes it for a variable's name.
  static func isWellFormed(_ name: Substring.UTF8View) -> Bool {
    guard let first = name.first, !first.isASCIIDigit else { return false }
    return name.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") }
  }

  /// Whether a well-formed name is one of ``refused`` or begins with ``refusedPrefix``.
  static func isRefused(_ name: String) -> Bool {
    let capital = name.uppercased()
    return capital.hasPrefix(refusedPrefix) || refused.contains { $0.utf8.elementsEqual(capital.utf8) }
  }
}
