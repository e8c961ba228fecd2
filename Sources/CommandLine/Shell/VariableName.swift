internal import Encoding

/// The names that `--var` may set. Servers choose the values, so it rejects names that a shell treats specially, or
/// that determine which programs run, which proxies are used or which certificates are trusted.
enum VariableName {
  /// Names that bash, dash, zsh, fish, ksh, mksh, tcsh, nu, PowerShell or a prompt use. Some shells evaluate values as
  /// arithmetic, which can run commands. Case is ignored, because zsh ties `path` to `PATH`.
  static let shellList =
    """
    `ADDSUFFIX`, `AFSUSER`, `ALIASES`, `AMPM`, `ANYERROR`, `ARGC`, `ARGV`, `ARGV0`, `AUTOCORRECT`, `AUTOEXPAND`, \
    `AUTOLIST`, `AUTOLOGOUT`, `AUTOREHASH`, `AUTO_RESUME`, `BACKSLASH_QUOTE`, `BAUD`, `BEEPCMD`, `BROWSER`, \
    `BUFFER`, `BUILTINS`, `CATALOG`, `CDPATH`, `CDTOHOME`, `CHILD_MAX`, `CHPWD`, `CHPWD_FUNCTIONS`, \
    `CMD_DURATION`, `COLOR`, `COLORCAT`, `COLUMNS`, `COMMAND`, `COMMANDS`, `COMMAND_LINE`, `COMPAT_EXPR`, \
    `COMPLETE`, `COMPREPLY`, `COMSPEC`, `CONTINUE`, `CONTINUE_ARGS`, `COPROC`, `CORRECT`, `CORRECT_IGNORE`, \
    `CORRECT_IGNORE_FILE`, `CPUTYPE`, `CSUBSTNONL`, `CURRENT_FILE`, `CURSOR`, `CWD`, `CWDCMD`, `DEBIAN_CHROOT`, \
    `DEXTRACT`, `DIRSFILE`, `DIRSTACK`, `DIRSTACKSIZE`, `DISPLAY`, `DIS_ALIASES`, `DIS_BUILTINS`, `DIS_FUNCTIONS`, \
    `DIS_FUNCTIONS_SOURCE`, `DIS_GALIASES`, `DIS_PATCHARS`, `DIS_RESWORDS`, `DIS_SALIASES`, `DSPMBYTE`, `DUNIQUE`, \
    `ECHO`, `ECHO_STYLE`, `EDIT`, `EDITOR`, `EDITORS`, `EGID`, `ELLIPSIS`, `EMACS`, `ENV`, `ENV_CONVERSIONS`, \
    `EPOCHREALTIME`, `EPOCHSECONDS`, `EPOCHTIME`, `ERRNO`, `ERRNOS`, `EUID`, `EUSER`, `EXECIGNORE`, `EXECSHELL`, \
    `FCEDIT`, `FIGNORE`, `FILEC`, `FILE_PWD`, `FPATH`, `FUNCFILETRACE`, `FUNCNAME`, `FUNCNEST`, `FUNCSOURCETRACE`, \
    `FUNCSTACK`, `FUNCTIONS`, `FUNCTIONS_SOURCE`, `FUNCTRACE`, `GALIASES`, `GID`, `GLOBDOT`, `GLOBIGNORE`, \
    `GLOBSORT`, `GLOBSTAR`, `GROUP`, `GROUPS`, `HELPCOMMAND`, `HIGHLIGHT`, `HISTCHARS`, `HISTCMD`, `HISTCONTROL`, \
    `HISTDUP`, `HISTEDIT`, `HISTFILE`, `HISTFILESIZE`, `HISTIGNORE`, `HISTLIT`, `HISTORY`, `HISTORYWORDS`, \
    `HISTORY_IGNORE`, `HISTSIZE`, `HISTTIMEFORMAT`, `HOME`, `HOST`, `HOSTFILE`, `HOSTNAME`, `HOSTTYPE`, `HPATH`, \
    `IFS`, `IGNOREEOF`, `IMPLICITCD`, `INPUTMODE`, `INPUTRC`, `INSIDE_EMACS`, `JOBCMD`, `JOBDIRS`, `JOBMAX`, \
    `JOBSTATES`, `JOBTEXTS`, `KEYBOARD_HACK`, `KEYMAP`, `KEYMAPS`, `KEYS`, `KEYTIMEOUT`, `KILLDUP`, `KILLRING`, \
    `KSHEGID`, `KSHEUID`, `KSHGID`, `KSHUID`, `KSH_MATCH`, `KSH_VERSION`, `LANG`, `LANGINFO`, `LANGUAGE`, \
    `LAST_EXIT_CODE`, `LAST_PID`, `LBUFFER`, `LINENO`, `LINES`, `LISTFLAGS`, `LISTJOBS`, `LISTLINKS`, `LISTMAX`, \
    `LISTMAXROWS`, `LOGINSH`, `LOGNAME`, `LOGOUT`, `LSCOLORS`, `LS_COLORS`, `MACHTYPE`, `MAIL`, `MAILCHECK`, \
    `MAILPATH`, `MANPATH`, `MAPFILE`, `MARK`, `MATCH`, `MATCHBEEP`, `MBEGIN`, `MEND`, `MODULES`, `MODULE_PATH`, \
    `NAMEDDIRS`, `NOBEEP`, `NOCLOBBER`, `NODING`, `NOGLOB`, `NOKANJI`, `NONOMATCH`, `NOREBIND`, `NOSTAT`, \
    `NOTIFY`, `NULLCMD`, `NUMERIC`, `OID`, `OLDPWD`, `OPTARG`, `OPTERR`, `OPTIND`, `OPTIONS`, `OSTYPE`, `OWD`, \
    `PADHOUR`, `PARAMETERS`, `PARSEOCTAL`, `PATCHARS`, `PATH`, `PATHEXT`, `PATHSEP`, `PENDING`, `PERIOD`, \
    `PERIODIC`, `PERIODIC_FUNCTIONS`, `PGRP`, `PIPESTATUS`, `POSIXLY_CORRECT`, `POSTCMD`, `POSTDISPLAY`, \
    `POSTEDIT`, `PPID`, `PREBUFFER`, `PRECMD`, `PRECMD_FUNCTIONS`, `PREDISPLAY`, `PREEXEC`, `PREEXEC_FUNCTIONS`, \
    `PRINTEXITVALUE`, `PROMPTCHARS`, `PS0`, `PS1`, `PS2`, `PS3`, `PS4`, `PSVAR`, `PUSHDSILENT`, `PUSHDTOHOME`, \
    `PWD`, `RANDOM`, `RBUFFER`, `READNULLCMD`, `RECEXACT`, `RECOGNIZE_ONLY_EXECUTABLES`, `REGION_HIGHLIGHT`, \
    `REMOTEHOST`, `REPLY`, `REPORTMEMORY`, `REPORTTIME`, `RESWORDS`, `RMSTAR`, `RPROMPT`, `RPROMPT2`, `RPS1`, \
    `RPS2`, `SALIASES`, `SAVEDIRS`, `SAVEHIST`, `SCHED`, `SECONDS`, `SHELL`, `SHELLOPTS`, `SHLVL`, `SIGCHLD`, \
    `SIGNALS`, `SIGRTMAX`, `SIGRTMIN`, `SPROMPT`, `SRANDOM`, `STATUS`, `STATUS_GENERATION`, `STTY`, `SYMLINKS`, \
    `SYSPARAMS`, `SYSTYPE`, `TCSH`, `TERM`, `TERMCAP`, `TERMINFO`, `TERMINFO_DIRS`, `TIME`, `TIMEFMT`, \
    `TIMEFORMAT`, `TMOUT`, `TMPDIR`, `TMPPREFIX`, `TMPSUFFIX`, `TPERIOD`, `TRY_BLOCK_ERROR`, \
    `TRY_BLOCK_INTERRUPT`, `TTY`, `TTYIDLE`, `UID`, `UMASK`, `UNAME`, `USER`, `USERDIRS`, `USERGROUPS`, \
    `USERNAME`, `USER_ID`, `VENDOR`, `VERBOSE`, `VERSION`, `VIMODE`, `VISIBLEBELL`, `VISUAL`, `WATCH`, `WATCHFMT`, \
    `WHO`, `WIDGET`, `WIDGETFUNC`, `WIDGETS`, `WIDGETSTYLE`, `WORDCHARS`, `_`
    """

  /// Prefixes of shells and the dynamic linker, refused whatever the suffix.
  static let firmPrefixList =
    """
    `BASH`, `COMP_`, `DYLD_`, `FISH_`, `LC_`, `LD_`, `POWERSHELL_`, `READLINE_`, `ZDOT`, `ZLE_`, `ZSH`, `__FISH`
    """

  /// Other names, mostly of build tools, in ``Prose`` notation.
  static let refusedList =
    """
    `ACLOCAL`, `AGENT_SOCKET`, `AR`, `AS`, `AUTOCONF`, `AUTOHEADER`, `AUTOM4TE`, `AUTOMAKE`, `AWK`, \
    `AWS_SHARED_CREDENTIALS_FILE`, `BROWSER_PATH`, `BUNDLE_GEMFILE`, `BZIP`, `BZIP2`, `CC`, `CLASSPATH`, `CO`, \
    `CPP`, `CTANGLE`, `CWEAVE`, `CXX`, `DEBCONF_DB_FALLBACK`, `DEBCONF_DB_OVERRIDE`, `DLLTOOL`, `EGREP`, `F77`, \
    `F90`, `F95`, `FC`, `FGREP`, `FLASK_APP`, `GCONV_PATH`, `GET`, `GETCONF_DIR`, `GIT_SSL_KEY`, `GLIBC_TUNABLES`, \
    `GNUPGHOME`, `GOAUTH`, `GOCACHE`, `GOENV`, `GOINSECURE`, `GOMODCACHE`, `GONOPROXY`, `GONOSUMDB`, `GOPRIVATE`, \
    `GOPROXY`, `GOSUMDB`, `GOVCS`, `GOWORK`, `GPG_AGENT_INFO`, `GREP`, `GZIP`, `HOSTALIASES`, `INSTALL`, \
    `KRB5CCNAME`, `LD`, `LEX`, `LIBTOOL`, `LIBTOOLIZE`, `LINT`, `LOCALDOMAIN`, `LOCPATH`, `M2C`, `M4`, `MAILCAPS`, \
    `MAKE`, `MAKEFILES`, `MAKEINFO`, `MFEDIT`, `MPEDIT`, `NETRC`, `NINJA`, `NLSPATH`, `NM`, `NODE_EXTRA_CA_CERTS`, \
    `NPM_CONFIG_KEY`, `OBJC`, `OBJCOPY`, `OBJCXX`, `OBJDUMP`, `OPENSSL_ENGINES`, `PC`, `RANLIB`, `RM`, \
    `R_ENVIRON_USER`, `R_LIBS_USER`, `R_PROFILE_USER`, `SED`, `SSH_AUTH_SOCK`, `SSH_SK_PROVIDER`, `SSLKEYLOGFILE`, \
    `STRIP`, `TANGLE`, `TAPE`, `TERMINAL`, `TEX`, `TEXEDIT`, `TEXI2DVI`, `TEXINPUTS`, `TF_REATTACH_PROVIDERS`, \
    `TOOLCHAINS`, `TZ`, `UNZIP`, `WEAVE`, `WINDRES`, `YACC`, `ZIP`
    """

  /// Prefixes of interpreters, editors, package managers, toolchains, build tools, git, TLS libraries and configuration
  /// directories.
  static let refusedPrefixList =
    """
    `ANSIBLE_`, `AR_`, `BUN_`, `CARGO`, `CCACHE_`, `CC_`, `CMAKE_`, `COMPLUS_`, `CORECLR_`, `CXX_`, `DENO_`, \
    `DOTNET_`, `ELECTRON_`, `EMACS`, `GCC_`, `GIT_`, `GNUTLS_`, `GST_PLUGIN`, `JULIA_`, `LESS`, `LUA_`, `MALLOC_`, \
    `MIX_`, `MONO_`, `NIX_`, `NODE_`, `NPM_CONFIG_`, `NSS_`, `NU_`, `NVIM`, `OCAML`, `OCL_ICD_`, `ODBC`, `OPAM`, \
    `OPENSSL_`, `PERL`, `PHP`, `PIP_`, `PROMPT`, `PYTHON`, `RUBY`, `RUST`, `R_`, `SHELL_ESCAPE`, `SSL_CERT_`, \
    `TERMINFO`, `TEXMF`, `TF_CLI_`, `TRANSIENT_PROMPT`, `UV_`, `VAGRANT_`, `VIM`, `VK_`, `WINE`, `XDG_`, `YARN_`
    """

  /// Suffixes for options, programs to run, modules to load, files that name what to run, search paths for these,
  /// proxies, and trusted certificates.
  static let refusedSuffixList =
    """
    `BROWSER`, `CMD`, `COMMAND`, `CONF`, `CONFIG`, `CONFIG_FILE`, `DIFF`, `DIR`, `DIRS`, `EDITOR`, `FLAGS`, `HOME`, \
    `INIT`, `LESS`, `MERGE`, `OPT`, `OPTS`, `PAGER`, `PATH`, `PROG`, `PROMPT`, `RC`, `ROOT`, `ROOTCERT`, `SHELL`, `TOOLCHAIN`, \
    `_AR`, `_ARGS`, `_ASKPASS`, `_BIN`, `_BINARY`, `_BUS_ADDRESS`, `_CA`, `_CACERT`, `_CAFILE`, `_CA_BUNDLE`, \
    `_CA_CERT`, `_CA_CERTS`, `_CA_FILE`, `_CC`, `_CERT`, `_CERTS`, `_CXX`, `_DEFAULTS`, `_EXE`, `_EXEC`, \
    `_EXECUTABLE`, `_FILENAMES`, `_FUNCTIONS`, `_HELPER`, `_HOOK`, `_HOOKS`, `_INSECURE`, `_INTERPRETER`, \
    `_LAUNCHER`, `_LD`, `_LIB`, `_LIBRARY`, `_LIBS`, `_LINKER`, `_MODULE`, `_MODULES`, `_MODULE_FILE`, `_NO_VERIFY`, \
    `_OPTIONS`, `_PLUGINS`, `_PREFIX`, `_PRELOAD`, `_PROXY`, `_PYTHON`, `_REJECT_UNAUTHORIZED`, `_RSH`, `_RUNNER`, \
    `_SCANNER`, `_SH`, `_SKIP_VERIFY`, `_SSH`, `_SSL_VERIFY`, `_TCTI`, `_TLS_VERIFY`, `_VENDORS`, `_VERIFY`, \
    `_WRAPPER`
    """

  /// Suffixes of names that contain just a secret or an identity. ``refusedPrefixList`` and ``refusedSuffixList`` do
  /// not apply to them.
  static let allowedSuffixList =
    """
    `_EMAIL`, `_ID`, `_KEY`, `_PASSWORD`, `_SECRET`, `_TOKEN`, `_USER`, `_USERNAME`
    """

  static func words(_ list: String) -> [String] {
    list.split(separator: "`").filter { $0 != ", " }.map { String($0) }
  }

  /// Whether every shell accepts the name.
  static func isWellFormed(_ name: Substring.UTF8View) -> Bool {
    guard let first = name.first, !first.isASCIIDigit else { return false }
    return name.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") }
  }

  /// Whether a list or rule rejects a well-formed name.
  static func isRefused(_ name: String) -> Bool {
    let capital = name.uppercased()
    if shellList.hasPart("`\(capital)`") || refusedList.hasPart("`\(capital)`") { return true }
    if words(firmPrefixList).contains(where: { capital.hasPrefix($0) }) { return true }
    if words(allowedSuffixList).contains(where: { capital.hasSuffix($0) }) { return false }
    return words(refusedPrefixList).contains { capital.hasPrefix($0) }
      || words(refusedSuffixList).contains { capital.hasSuffix($0) }
  }
}
