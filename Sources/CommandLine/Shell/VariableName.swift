internal import Encoding

/// Names that `--var` may set. What a variable gets is up to a server, so a name that decides what a
/// shell or a program runs is refused, by a rule where programs name such variables alike.
enum VariableName {
  /// Names without a rule. Refused in capital and small letters, since zsh ties `path` to `PATH`. As the manual lists
  /// them.
  static let refusedList =
    """
    `AGENT_SOCKET`, `AR`, `AWS_SHARED_CREDENTIALS_FILE`, `BUNDLE_GEMFILE`, `CC`, `CPP`, `CVSROOT`, `CXX`, `ENV`, \
    `FCEDIT`, `GLIBC_TUNABLES`, `GOENV`, `GOROOT`, `GOTOOLCHAIN`, `HGMERGE`, `HOSTALIASES`, `IFS`, `LD`, `MAILCAPS`, \
    `MAKE`, `MAKEFILES`, `NULLCMD`, `OLDPWD`, `OPENSSL_ENGINES`, `PROMPT`, `PS0`, `PS1`, `PS2`, `PS3`, `PS4`, `PWD`, \
    `READNULLCMD`, `RPROMPT`, `RUSTC`, `RUSTDOC`, `TERMCAP`, `TERMINFO`, `TMPDIR`, `UNZIP`, `VISUAL`, `ZDOTDIR`
    """

  /// Beginnings of names: of the dynamic linker, of shells, interpreters and their runtimes, of package managers and
  /// build tools, of git, and of the directories that programs are configured in.
  static let refusedPrefixList =
    """
    `BASH_`, `CARGO`, `CCACHE_`, `CMAKE_`, `COMPLUS_`, `CORECLR_`, `DOTNET_`, `DYLD_`, `GIT_`, `LD_`, `LESS`, \
    `LUA_INIT`, `NPM_CONFIG_`, `PERL`, `PHP`, `PIP_`, `PYTHON`, `RUBY`, `R_`, `TF_CLI_`, `XDG_`, `YARN_`
    """

  /// Ends of names: options, programs to start, modules to load, files that say what to run, and where to look for any
  /// of these.
  static let refusedSuffixList =
    """
    `BROWSER`, `CONFIG`, `CONFIG_FILE`, `EDITOR`, `FLAGS`, `HOME`, `INIT`, `OPT`, `OPTS`, `PAGER`, `PATH`, `RC`, \
    `SHELL`, `_ARGS`, `_ASKPASS`, `_BUS_ADDRESS`, `_CMD`, `_COMMAND`, `_CONF`, `_EXE`, `_EXECUTABLE`, `_HOOKS`, \
    `_INTERPRETER`, `_LAUNCHER`, `_LIBRARY`, `_LIBS`, `_LINKER`, `_MODULE`, `_MODULES`, `_MODULE_DIR`, \
    `_MODULE_FILE`, `_OPTIONS`, `_PLUGINS`, `_PRELOAD`, `_PROG`, `_RSH`, `_RUNNER`, `_SSH`, `_WRAPPER`
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
