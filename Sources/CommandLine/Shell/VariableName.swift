internal import Encoding

/// Names that `--var` may set. What a variable gets is up to a server, so a name that decides what a
/// shell or a program runs is refused, by a rule where programs name such variables alike.
enum VariableName {
  /// Names without a rule, most of them of the programs that a build runs. Refused in capital and small letters, since
  /// zsh ties `path` to `PATH`. As the manual lists them.
  static let refusedList =
    """
    `ACLOCAL`, `AGENT_SOCKET`, `AR`, `AS`, `AUTOCONF`, `AUTOHEADER`, `AUTOM4TE`, `AUTOMAKE`, `AWK`, \
    `AWS_SHARED_CREDENTIALS_FILE`, `BUNDLE_GEMFILE`, `BZIP`, `BZIP2`, `CC`, `CO`, `CPP`, `CTANGLE`, `CWEAVE`, `CXX`, \
    `DEBCONF_DB_FALLBACK`, `DEBCONF_DB_OVERRIDE`, `DLLTOOL`, `EGREP`, `ENV`, `F77`, `F90`, `F95`, `FC`, `FCEDIT`, \
    `FGREP`, `FLASK_APP`, `GET`, `GLIBC_TUNABLES`, `GOAUTH`, `GOCACHE`, `GOENV`, `GOMODCACHE`, `GOPROXY`, `GOSUMDB`, \
    `GOVCS`, `GOWORK`, `GREP`, `GZIP`, `HOSTALIASES`, `IFS`, `INSTALL`, `LD`, `LEX`, `LIBTOOL`, `LIBTOOLIZE`, \
    `LINT`, `M2C`, `M4`, `MAILCAPS`, `MAKE`, `MAKEFILES`, `MAKEINFO`, `MFEDIT`, `MPEDIT`, `NINJA`, `NM`, `OBJC`, \
    `OBJCOPY`, `OBJCXX`, `OBJDUMP`, `OLDPWD`, `OPENSSL_ENGINES`, `PC`, `PS0`, `PS1`, `PS2`, `PS3`, `PS4`, `PWD`, \
    `RANLIB`, `RM`, `RPS1`, `RPS2`, `R_ENVIRON_USER`, `R_LIBS_USER`, `R_PROFILE_USER`, `SED`, `SSH_SK_PROVIDER`, \
    `STRIP`, `TANGLE`, `TAPE`, `TERMCAP`, `TERMINAL`, `TEX`, `TEXEDIT`, `TEXI2DVI`, `TEXINPUTS`, \
    `TF_REATTACH_PROVIDERS`, `TOOLCHAINS`, `UNZIP`, `VISUAL`, `WEAVE`, `WINDRES`, `YACC`, `ZIP`
    """

  /// Beginnings of names: of the dynamic linker, of shells, interpreters, editors and their runtimes, of package managers,
  /// toolchains and build tools, of git, and of the directories that programs are configured in.
  static let refusedPrefixList =
    """
    `ANSIBLE_`, `AR_`, `BASH_`, `CARGO`, `CCACHE_`, `CC_`, `CMAKE_`, `COMPLUS_`, `CORECLR_`, `CXX_`, `DOTNET_`, \
    `DYLD_`, `EMACS`, `GCC_`, `GIT_`, `GST_PLUGIN`, `LD_`, `LESS`, `LUA_`, `MIX_`, `NIX_`, `NPM_CONFIG_`, `NVIM`, \
    `OCAML`, `OCL_ICD_`, `ODBC`, `OPAM`, `PERL`, `PHP`, `PIP_`, `PROMPT`, `PYTHON`, `RUBY`, `RUST`, `R_`, \
    `SHELL_ESCAPE`, `TERMINFO`, `TEXMF`, `TF_CLI_`, `UV_`, `VAGRANT_`, `VIM`, `VK_`, `WINE`, `XDG_`, `YARN_`
    """

  /// Ends of names: options, programs to start, modules to load, files that say what to run, and where to look for any
  /// of these.
  static let refusedSuffixList =
    """
    `BROWSER`, `CMD`, `COMMAND`, `CONF`, `CONFIG`, `CONFIG_FILE`, `DIFF`, `DIR`, `DIRS`, `EDITOR`, `FLAGS`, `HOME`, \
    `INIT`, `LESS`, `MERGE`, `OPT`, `OPTS`, `PAGER`, `PATH`, `PROG`, `PROMPT`, `RC`, `ROOT`, `SHELL`, `TOOLCHAIN`, \
    `_AR`, `_ARGS`, `_ASKPASS`, `_BIN`, `_BINARY`, `_BUS_ADDRESS`, `_CC`, `_CXX`, `_DEFAULTS`, `_EXE`, `_EXEC`, \
    `_EXECUTABLE`, `_FILENAMES`, `_HELPER`, `_HOOK`, `_HOOKS`, `_INTERPRETER`, `_LAUNCHER`, `_LD`, `_LIB`, \
    `_LIBRARY`, `_LIBS`, `_LINKER`, `_MODULE`, `_MODULES`, `_MODULE_FILE`, `_OPTIONS`, `_PLUGINS`, `_PREFIX`, \
    `_PRELOAD`, `_PYTHON`, `_RSH`, `_RUNNER`, `_SCANNER`, `_SH`, `_SSH`, `_TCTI`, `_VENDORS`, `_WRAPPER`
    """

  /// Ends of names whose value is only a secret or an identity. The rules do not apply to such a name; ``refusedList`` does.
  static let allowedSuffixList =
    """
    `_EMAIL`, `_ID`, `_KEY`, `_PASSWORD`, `_SECRET`, `_TOKEN`, `_USER`, `_USERNAME`
    """

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
    if words(refusedList).contains(where: { $0.utf8.elementsEqual(capital.utf8) }) { return true }
    if words(allowedSuffixList).contains(where: { capital.hasSuffix($0) }) { return false }
    return words(refusedPrefixList).contains { capital.hasPrefix($0) }
      || words(refusedSuffixList).contains { capital.hasSuffix($0) }
  }
}
