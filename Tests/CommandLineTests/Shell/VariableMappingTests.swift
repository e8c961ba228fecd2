import Testing
import Wire

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
    #expect(throws: Failure(.invalidRequest, "\"--var\" takes NAME=FIELD", hint: "agent help env")) {
      try VariableMapping(text)
    }
  }

  @Test(arguments: ["", "1A", "A-B", "A B", "A;touch x;", "Ä", "A\u{301}", "A.B", "$A", "A\nB", "A[0]"])
  func `has a name that all shells take for one`(name: String) {
    #expect(
      throws: Failure(
        .invalidRequest, "\"\(name)\" is no name for a variable: it takes letters, digits and underscores")
    ) { try VariableMapping("\(name)=account") }
  }

  @Test(
    arguments: VariableName.words(VariableName.refusedList) + [
      "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "LD_", "ld_preload", "path", "fpath", "Path", "PATH", "GIT_EDITOR",
      "GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_SSH", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_PROXY_COMMAND",
      "GIT_TEMPLATE_DIR", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "JAVA_OPTS", "MAVEN_OPTS",
      "MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS", "OPENSSL_CONF", "SUDO_ASKPASS", "SUDO_EDITOR", "SSH_ASKPASS",
      "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "RUSTFLAGS", "LUA_INIT", "LUA_INIT_5_4", "LUA_PATH", "LUA_CPATH",
      "DYLD_INSERT_LIBRARIES", "PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONWARNINGS", "PERL5LIB", "PERL5OPT", "PERL5DB",
      "PERLLIB", "RUBYOPT", "RUBYLIB", "NODE_OPTIONS", "NODE_PATH", "BASH_ENV", "BASH_FUNC_x", "BASHOPTS", "SHELLOPTS",
      "EDITOR", "FCEDIT_EDITOR", "MANPAGER", "PAGER", "GH_PAGER", "SYSTEMD_PAGER", "KUBECONFIG", "WGETRC_CONFIG",
      "CLASSPATH", "GCONV_PATH", "HOME", "CARGO_HOME", "VIMINIT", "EXINIT", "SVN_SSH", "RSYNC_RSH", "MALLOC_PRELOAD",
    ])
  func `has no name that decides what programs run`(name: String) {
    #expect(
      throws: Failure(
        .invalidRequest, "the variable \(name) decides what programs run, so no server may choose its value")
    ) { try VariableMapping("\(name)=account") }
  }

  @Test func `is refused by a list that can be read`() {
    for name in ["PATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "IFS", "ENV", "BASH_ENV", "HOME", "SHELL"] {
      #expect(VariableName.isRefused(name))
    }
    // Sorted, as the manual prints it, and all of one case, as they are compared.
    for list in [
      VariableName.refusedList, VariableName.refusedPrefixList, VariableName.refusedSuffixList,
      VariableName.allowedSuffixList,
    ] {
      let words = VariableName.words(list)
      #expect(words.count > 1 && words == words.sorted() && words.allSatisfy { $0 == $0.uppercased() })
    }
  }

  @Test(arguments: [
    "GITHUB_TOKEN", "GITLAB_TOKEN", "NODE_AUTH_TOKEN", "VAULT_TOKEN", "CARGO_REGISTRIES_MY_REGISTRY_TOKEN", "GIT_TOKEN",
    "GIT_PASSWORD", "PGPASSWORD", "DB_PASSWORD", "CLIENT_SECRET", "AWS_SECRET", "TOKEN", "USER_EMAIL", "TF_VAR_token",
    "HEADROOM", "OPTIONS_A", "PATHS", "github_token",
  ]) func `has a name that only holds a value`(name: String) throws {
    #expect(try VariableMapping("\(name)=access_token").name == name)
  }

  @Test(arguments: [
    ("acess_token", "did you mean \"access_token\"?"), ("Subject", "did you mean \"subject\"?"),
    ("refresh-everything", "choose one of \(TokenField.spellings.joined(separator: ", "))"),
    ("", "choose one of \(TokenField.spellings.joined(separator: ", "))"),
    ("claim:", "did you mean \"claim:NAME\"?"),
  ]) func `names a field that there is`(field: String, hint: String) {
    #expect(throws: Failure(.invalidRequest, "unknown field \"\(field)\"", hint: hint)) {
      try VariableMapping("A=\(field)")
    }
  }

  @Test func `is named once`() {
    #expect(throws: Failure(.invalidRequest, "\"--var\" names A twice")) {
      try TokenVariables(["A=account", "B=account", "A=issuer"])
    }
  }
}
