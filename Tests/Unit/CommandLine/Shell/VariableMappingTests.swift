import Testing
import Wire
import WireSupport

@testable import CommandLine

@Suite struct `A variable of --var` {
  @Test(
    arguments: [
      ("A=access_token", "A", .accessToken), ("_1a=id_token", "_1a", .idToken), ("T=token_type", "T", .tokenType),
      ("E=expires_at", "E", .expiresAt), ("I=issuer", "I", .issuer), ("S=subject", "S", .subject),
      ("N=account", "N", .account), ("SC=scope", "SC", .scope), ("M=claim:email", "M", .claim("email")),
      ("M=claim:https://x/y=z:w", "M", .claim("https://x/y=z:w")), ("M=claim:\u{301}", "M", .claim("\u{301}")),
      ("PATH_=claim:x", "PATH_", .claim("x")), ("LDAP=claim:x", "LDAP", .claim("x")),
    ] as [(String, String, TokenField)])
  func `names a variable and a field`(text: String, name: String, field: TokenField) throws {
    let mapping = try VariableMapping(text)
    #expect(mapping.name == name && mapping.field == field)
    #expect(text == "\(name)=\(field.spelling)")
  }

  @Test(arguments: ["", "A", "access_token"]) func `needs both`(text: String) {
    expect(throws: Failure(.invalidRequest, "\"--var\" must be NAME=FIELD", hint: "agent help env")) {
      try VariableMapping(text)
    }
  }

  @Test(arguments: ["", "1A", "A-B", "A B", "A;touch x;", "Ä", "A\u{301}", "A.B", "$A", "A\nB", "A[0]"])
  func `has a name that all shells take for one`(name: String) {
    expect(
      throws: Failure(
        .invalidRequest,
        "\"\(name)\" is not a valid variable name: use letters, digits and underscores, and no digit at the beginning")
    ) { try VariableMapping("\(name)=account") }
  }

  @Test(
    arguments: VariableName.lists["shell-variables", default: []] + VariableName.lists["refused-variables", default: []]
      + [
        "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "LD_", "ld_preload", "path", "fpath", "Path", "PATH", "GIT_EDITOR",
        "GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_SSH", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_PROXY_COMMAND",
        "GIT_TEMPLATE_DIR", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "JAVA_OPTS", "MAVEN_OPTS",
        "MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS", "OPENSSL_CONF", "SUDO_ASKPASS", "SUDO_EDITOR", "SSH_ASKPASS",
        "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "RUSTFLAGS", "LUA_INIT", "LUA_INIT_5_4", "LUA_PATH", "LUA_CPATH",
        "DYLD_INSERT_LIBRARIES", "PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONWARNINGS", "PERL5LIB", "PERL5OPT", "PERL5DB",
        "PERLLIB", "RUBYOPT", "RUBYLIB", "NODE_OPTIONS", "NODE_PATH", "BASH_ENV", "BASH_FUNC_x", "BASHOPTS",
        "SHELLOPTS",
        "EDITOR", "FCEDIT", "MANPAGER", "PAGER", "GH_PAGER", "SYSTEMD_PAGER", "KUBECONFIG", "WGETRC",
        "CLASSPATH", "GCONV_PATH", "HOME", "CARGO_HOME", "VIMINIT", "EXINIT", "SVN_SSH", "RSYNC_RSH", "CC", "CXX",
        "MAKEFILES", "CARGO_BUILD_RUSTC", "CARGO_BUILD_RUSTC_WRAPPER", "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER",
        "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", "CARGO_REGISTRY_GLOBAL_CREDENTIAL_PROVIDERS", "RUSTDOC",
        "CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER", "CMAKE_TOOLCHAIN_FILE", "CMAKE_PROJECT_TOP_LEVEL_INCLUDES",
        "MAVEN_ARGS", "ANT_ARGS", "DOTNET_STARTUP_HOOKS", "DOTNET_ROOT", "CORECLR_PROFILER", "CORECLR_PROFILER_PATH",
        "COMPlus_EnableDiagnostics", "PHPRC", "PHP_INI_SCAN_DIR", "R_PROFILE", "R_PROFILE_USER", "R_ENVIRON_USER",
        "R_LIBS_USER", "BUNDLE_GEMFILE", "ERL_LIBS", "ERL_FLAGS", "LESS", "LESSKEYIN", "LESSOPEN", "RSYNC_CONNECT_PROG",
        "ZIPOPT", "UNZIPOPT", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "TF_CLI_CONFIG_FILE", "TF_CLI_ARGS",
        "TF_CLI_ARGS_plan", "FZF_DEFAULT_COMMAND", "FZF_CTRL_T_COMMAND", "FZF_DEFAULT_OPTS", "HGMERGE", "HGRCPATH",
        "DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS", "GTK_MODULES", "GTK_IM_MODULE_FILE", "GTK_IM_MODULE",
        "GIO_EXTRA_MODULES", "GIO_MODULE_DIR", "QT_PLUGIN_PATH", "npm_config_script_shell", "NPM_CONFIG_GLOBALCONFIG",
        "NPM_CONFIG_USERCONFIG", "PIP_CONFIG_FILE", "PIP_INDEX_URL", "YARN_RC_FILENAME", "INPUTRC", "SCREENRC",
        "TCL_LIBRARY", "ANSIBLE_LIBRARY", "ANSIBLE_CALLBACK_PLUGINS", "ANSIBLE_SSH_EXECUTABLE",
        "ANSIBLE_PYTHON_INTERPRETER", "DJANGO_SETTINGS_MODULE", "CONFIG_SHELL", "GH_BROWSER", "GOTOOLCHAIN", "GOFLAGS",
        "XDG_RUNTIME_DIR", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "CCACHE_PREFIX", "CONDA_EXE", "MAILCAPS", "CVSROOT",
        // Of make, autoconf, gcc, zip, gcloud, valgrind, cargo, kubectl, borg, tpm2-tools, Lua, GStreamer, uv, ncurses,
        // xz, gh, az, pass, Vulkan and Bazel.
        "AS", "FC", "F77", "NM", "STRIP", "GET", "CO", "RM", "M4", "AUTOM4TE", "GCC_EXEC_PREFIX", "ZIP", "GZIP",
        "BZIP2",
        "CLOUDSDK_PYTHON", "VALGRIND_LIB", "RUSTUP_TOOLCHAIN", "RUSTUP_DIST_SERVER", "KUBECTL_EXTERNAL_DIFF",
        "BORG_PASSCOMMAND", "TPM2TOOLS_TCTI", "LUA_PATH_5_4", "LUA_CPATH_5_4", "GST_PLUGIN_SCANNER",
        "GST_PLUGIN_SYSTEM_PATH_1_0", "UV_PYTHON", "UV_DEFAULT_INDEX", "TERMINFO", "TERMINFO_DIRS", "XZ_DEFAULTS",
        "GH_CONFIG_DIR", "AZURE_EXTENSION_DIR", "PASSWORD_STORE_EXTENSIONS_DIR", "VK_ICD_FILENAMES",
        "VK_INSTANCE_LAYERS",
        "BAZEL_SH",
        // Of Go, Maven, Subversion, Ansible, Vim, OpenSSH, pyenv, opam, Flask, Helm, TeX, tar, Mix, less, the cc crate, Wine,
        // unixODBC, Nix, Vagrant, Swift and OpenCL.
        "GOAUTH", "GOCACHEPROG", "GOPROXY", "JAVACMD", "MAVEN_PROJECTBASEDIR", "SVN_MERGE", "ANSIBLE_INVENTORY",
        "ANSIBLE_VAULT_PASSWORD_FILE", "VIMRUNTIME", "VIM", "SSH_PKCS11_HELPER", "SSH_SK_PROVIDER", "PYENV_ROOT",
        "OPAMFETCH", "FLASK_APP", "HELM_BIN", "TEXEDIT", "TEXMFCNF", "shell_escape", "shell_escape_commands", "TAPE",
        "MIX_EXS", "SYSTEMD_LESS", "CC_x86_64_unknown_linux_gnu", "HOST_CC", "WINESERVER", "ODBCSYSINI",
        "NIX_BUILD_HOOK",
        "VAGRANT_VAGRANTFILE", "SWIFT_EXEC", "OCL_ICD_VENDORS", "R_LIBS_USER", "THOR_DIFF", "ZDOTDIR", "TMPDIR",
        "GOROOT",
        // Of shells, whatever their suffix, and those that select proxies or trust.
        "UID", "status", "fish_color_user", "FISH_TRACE", "fish_user_paths", "zsh_x_TOKEN", "BASH_FUNC_x_KEY",
        "USER_ID",
        "PROMPT_COMMAND", "PS0", "precmd_functions", "chpwd", "LC_ALL", "LANG", "MAIL", "RANDOM", "seconds", "OPTIND",
        "HISTTIMEFORMAT", "verbose", "COMMAND_LINE", "DISPLAY", "LD_X_TOKEN", "https_proxy", "HTTP_PROXY", "ALL_PROXY",
        "no_proxy", "NODE_EXTRA_CA_CERTS",
        "NODE_TLS_REJECT_UNAUTHORIZED", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE",
        "GIT_SSL_CAINFO", "GIT_SSL_NO_VERIFY", "GIT_SSL_KEY", "SSLKEYLOGFILE", "OPENSSL_MODULES", "VAULT_CACERT",
        "VAULT_SKIP_VERIFY", "AWS_CA_BUNDLE", "DENO_CERT", "DOCKER_TLS_VERIFY", "PGSSLROOTCERT", "LOCPATH", "NLSPATH",
        "MALLOC_TRACE", "TZ", "RES_OPTIONS", "LOCALDOMAIN", "NETRC",
      ])
  func `has no name that decides what programs run`(name: String) {
    expect(
      throws: Failure(
        .invalidRequest, "shells or other programs use the variable \(name), so a token may not replace it",
        hint: "choose another name")
    ) { try VariableMapping("\(name)=account") }
  }

  @Test func `is refused by a list that can be read`() {
    for name in ["PATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "IFS", "ENV", "BASH_ENV", "HOME", "SHELL"] {
      #expect(VariableName.isRefused(name))
    }
    // Sorted as in the manual, and in upper case for comparison.
    #expect(VariableName.lists.count == 6)
    for words in VariableName.lists.values {
      #expect(words.count > 1 && words == words.sorted() && words.allSatisfy { $0 == $0.uppercased() })
    }
  }

  @Test(arguments: [
    "GITHUB_TOKEN", "GITLAB_TOKEN", "NODE_AUTH_TOKEN", "VAULT_TOKEN", "CARGO_REGISTRIES_MY_REGISTRY_TOKEN",
    "CARGO_REGISTRY_TOKEN", "AWS_WEB_IDENTITY_TOKEN_FILE", "AZURE_FEDERATED_TOKEN_FILE", "STEP_TOKEN", "GH_TOKEN",
    "OIDC_AT", "EMAIL", "AGENT_ACCOUNT", "GIT_PASSWORD", "YARN_NPM_AUTH_TOKEN", "PGPASSWORD", "MYSQL_PWD", "OS_TOKEN",
    "CLIENT_SECRET", "AWS_ROLE_ARN", "TOKEN", "USER_EMAIL", "TF_VAR_token", "HEADROOM", "github_token",
    "GITHUB_ACTOR", "OIDC_PROVIDER", "OIDC_ISSUER", "AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN", "OPENAI_API_KEY", "DOCKER_USER", "GIT_AUTHOR_EMAIL", "VK_CLIENT_ID", "VK_USER",
    "CC_TEST_REPORTER_ID", "UV_PUBLISH_TOKEN", "UV_PUBLISH_USERNAME", "ANSIBLE_REMOTE_USER", "PIP_USERNAME",
    "CARGO_REGISTRIES_X_SECRET_KEY", "TEXT", "CREDIT", "SCHOOL_ID", "BASIC", "RESTLESSNESS",
  ]) func `has a name that only holds a value`(name: String) throws {
    #expect(try VariableMapping("\(name)=access_token").name == name)
  }

  @Test(arguments: [
    ("acess_token", "did you mean \"access_token\"?"), ("Subject", "did you mean \"subject\"?"),
    ("refresh-everything", "choose one of \(TokenField.spellings.joined(separator: ", "))"),
    ("", "choose one of \(TokenField.spellings.joined(separator: ", "))"),
    ("claim:", "did you mean \"claim:email\"?"),
  ]) func `names a field that there is`(field: String, hint: String) {
    expect(throws: Failure(.invalidRequest, "unknown field \"\(field)\"", hint: hint)) {
      try VariableMapping("A=\(field)")
    }
  }

  @Test func `is named once`() {
    expect(throws: Failure(.invalidRequest, "\"--var\" sets A twice")) {
      try TokenVariables(["A=account", "B=account", "A=issuer"])
    }
  }
}
