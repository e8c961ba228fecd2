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
    arguments: VariableName.refused + [
      "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "LD_", "ld_preload", "path", "fpath", "Path",
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
    #expect(VariableName.refused == VariableName.refused.sorted())
    #expect(VariableName.refused.allSatisfy { $0 == $0.uppercased() })
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
