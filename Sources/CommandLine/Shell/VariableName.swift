internal import Encoding

/// Names that `--var` may set. What a variable gets is up to a server, so a name that decides what a
/// shell or a program runs is refused, by a rule where programs name such variables alike.
enum VariableName {
  /// Names without a rule. Refused in capital and small letters, since zsh ties `path` to `PATH`. As the manual lists
  /// them.
  static let refusedList =
    """
    `AGENT_SOCKET`, `BROWSER`, `ENV`, `GLIBC_TUNABLES`, `HOSTALIASES`, `IFS`, `LESSCLOSE`, `LESSOPEN`, `NULLCMD`, \
    `OLDPWD`, `OPENSSL_ENGINES`, `OPENSSL_MODULES`, `PROMPT`, `PROMPT_COMMAND`, `PS0`, `PS1`, `PS2`, `PS3`, `PS4`, \
    `PWD`, `READNULLCMD`, `RPROMPT`, `RUSTC`, `SHELL`, `TERMCAP`, `TERMINFO`, `TMPDIR`, `VISUAL`, `ZDOTDIR`
    """

  /// Beginnings of names: of the dynamic linker, of shells, interpreters and git.
  static let refusedPrefixList = "`BASH_`, `DYLD_`, `GIT_`, `LD_`, `LUA_INIT`, `PERL`, `PYTHON`, `RUBY`"

  /// Ends of names: options, programs to start, files that say what to run, and where to look for any of these.
  static let refusedSuffixList =
    """
    `CONFIG`, `EDITOR`, `FLAGS`, `HOME`, `INIT`, `OPTS`, `PAGER`, `PATH`, `_ASKPASS`, `_CONF`, `_OPT`, `_OPTIONS`, \
    `_PRELOAD`, `_RSH`, `_SSH`, `_WRAPPER`
    """

  /// Ends of names that hold a secret and nothing else, whatever they begin with.
  static let allowedSuffixList = "`_PASSWORD`, `_SECRET`, `_TOKEN`"

  /// The words of a list.
  static func words(_ list: String) -> [String] {
    list.split(separator: "`").filter { $0 != ", " }.map { String($0) }
  }

  /// Whether every shell takes it for a variable's name.
  static func isWellFormed(_ name: Substring.UTF8View) -> Bool {
    guard let first = name.first, !first.isASCIIDigit else { return false }
    return name.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") }
  }

  /// Whether a well-formed name is refused by a list or a rule.
  static func isRefused(_ name: String) -> Bool {
    let capital = name.uppercased()
    if words(allowedSuffixList).contains(where: { capital.hasSuffix($0) }) { return false }
    return words(refusedList).contains { $0.utf8.elementsEqual(capital.utf8) }
      || words(refusedPrefixList).contains { capital.hasPrefix($0) }
      || words(refusedSuffixList).contains { capital.hasSuffix($0) }
  }
}
