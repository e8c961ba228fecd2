import Encoding
import Testing
import Wire
import WireSupport

@testable import CommandLine

@Suite struct `Variables of a token` {
  private func statements(
    _ line: [UInt8], for shell: Shell = .sh
  ) throws(Failure) -> String { try statements(line, TokenVariables([]), for: shell) }

  private func statements(
    _ line: [UInt8], _ variables: TokenVariables, for shell: Shell = .sh
  ) throws(Failure) -> String {
    let answer = try TokenAnswer(parsing: line.span)
    return try SecretText.with(capacity: 10) { (text) throws(Failure) in
      try EnvCommand.append(variables, of: answer, from: line.span, for: shell, to: &text)
      return String(decoding: text.bytes, as: UTF8.self)
    }
  }

  // MARK: The usual ones

  @Test func `are set, and those without a value are unset`() throws {
    let line = AnswerLine.make("a$b", subject: nil, scope: nil)
    #expect(
      try statements(line) == """
        AGENT_ACCESS_TOKEN='a'"`printf '\\044'`"'b'; export AGENT_ACCESS_TOKEN;
        AGENT_TOKEN_TYPE='Bearer'; export AGENT_TOKEN_TYPE;
        AGENT_TOKEN_EXPIRES_AT='17'; export AGENT_TOKEN_EXPIRES_AT;
        AGENT_ACCOUNT='work'; export AGENT_ACCOUNT;
        AGENT_ISSUER='https://id.example.com'; export AGENT_ISSUER;
        unset AGENT_SUBJECT;

        """)
    #expect(try statements(line, for: .fish).hasSuffix("\nset -ge AGENT_SUBJECT; true;\n"))
    #expect(try statements(line, for: .csh).hasSuffix("\nunsetenv AGENT_SUBJECT;\n"))
  }

  @Test func `are left out without a value where nothing is evaluated`() throws {
    let line = AnswerLine.make("a$b", subject: nil, scope: nil, expiresAt: nil)
    #expect(
      try statements(line, for: .dotenv) == """
        AGENT_ACCESS_TOKEN="a\\$b"
        AGENT_TOKEN_TYPE="Bearer"
        AGENT_ACCOUNT="work"
        AGENT_ISSUER="https://id.example.com"

        """)
    #expect(
      try statements(line, for: .json)
        == #"{"AGENT_ACCESS_TOKEN":"a$b","AGENT_TOKEN_TYPE":"Bearer","AGENT_ACCOUNT":"work","#
        + #""AGENT_ISSUER":"https://id.example.com"}"# + "\n")
  }

  @Test func `none is set when one of them cannot be`() {
    let expected = Failure(
      .serverMisbehaved, "the value of AGENT_TOKEN_TYPE contains a control character, so it is not set")
    expect(throws: expected) { try statements(AnswerLine.make(tokenType: "a\nb")) }
  }

  private func environment(
    _ line: [UInt8], _ variables: TokenVariables, inherited: [String]
  ) throws(Failure) -> [String] {
    var environment = variables.removed(from: inherited.map { Array($0.utf8) })
    try variables.append(try TokenAnswer(parsing: line.span), from: line.span, to: &environment)
    return environment.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `take the place of inherited ones, and nothing else changes`() throws {
    let inherited = ["HOME=/h", "AGENT_SUBJECT=old", "AGENT_ACCOUNTS=x", "AGENT_ACCOUNT=old", "X"]
    #expect(
      try environment(AnswerLine.make(expiresAt: nil), TokenVariables([]), inherited: inherited) == [
        "HOME=/h", "AGENT_ACCOUNTS=x", "X", "AGENT_ACCESS_TOKEN=abc", "AGENT_TOKEN_TYPE=Bearer", "AGENT_ACCOUNT=work",
        "AGENT_ISSUER=https://id.example.com", "AGENT_SUBJECT=42",
      ])
  }

  // MARK: Those of --var

  private static let claims: JSONObject = [
    "name": "A \"B\"  *", "age": 42, "rate": .number(try! JSON(parsing: Array("1.50e3".utf8)).number!), "admin": true,
    "none": .null, "groups": ["a b", "c"], "address": ["zip": "1", "n": []], "a:b=c": "odd", "empty": "",
    "lines": "a\nb",
  ]

  @Test func `hold the fields that they name, and no others are set`() throws {
    let fields = [
      ("access_token", "abc"), ("id_token", "aa.bb.cc"), ("token_type", "Bearer"), ("expires_at", "17"),
      ("issuer", "https://id.example.com"), ("subject", "42"), ("account", "work"), ("scope", "a b"),
      ("claim:name", "A \"B\"  *"), ("claim:age", "42"), ("claim:rate", "1.50e3"), ("claim:admin", "true"),
      ("claim:groups", #"["a b","c"]"#), ("claim:address", #"{"zip":"1","n":[]}"#), ("claim:a:b=c", "odd"),
      ("claim:empty", ""),
    ]
    let variables = try TokenVariables(fields.enumerated().map { "V_\($0)=\($1.0)" })
    #expect(variables.extras == TokenRequest.Extras(wantsIDToken: true, wantsClaims: true))
    let line = AnswerLine.make(idToken: "aa.bb.cc", claims: Self.claims)
    let object = try #require(try JSON(parsing: Array(statements(line, variables, for: .json).utf8)).object)
    #expect(object.names == fields.indices.map { "V_\($0)" })
    for (index, field) in fields.enumerated() { #expect(object["V_\(index)"] == .string(field.1), "\(field.0)") }
    let inherited = ["V_0=old", "AGENT_ACCESS_TOKEN=mine", "V_00=x"]
    let environment = try environment(line, variables, inherited: inherited)
    #expect(environment.prefix(2) == ["AGENT_ACCESS_TOKEN=mine", "V_00=x"])
    #expect(environment.dropFirst(2) == fields.enumerated().map { "V_\($0)=\($1.1)" }[...])
  }

  @Test func `ask for no more than they need`() throws {
    #expect(try TokenVariables([]).extras == TokenRequest.Extras(wantsVariables: true))
    #expect(try TokenVariables(["A=access_token", "B=scope"]).extras == TokenRequest.Extras())
    #expect(try TokenVariables(["A=id_token"]).extras == TokenRequest.Extras(wantsIDToken: true))
    #expect(try TokenVariables(["A=access_token", "B=claim:x"]).extras == TokenRequest.Extras(wantsClaims: true))
  }

  @Test(
    arguments: [
      ("scope", nil), ("expires_at", nil),
      ("subject", "sign in again with the scope openid: agent login work"),
      ("id_token", "sign in again with the scope openid: agent login work"),
      ("claim:other", "to see the claims: agent whoami work --json"),
      ("claim:none", "to see the claims: agent whoami work --json"),
    ] as [(String, String?)], [true, false])
  func `without a value are an error that names the field`(field: (String, String?), hasClaims: Bool) throws {
    let (field, hint) = field
    let line = AnswerLine.make(subject: nil, scope: nil, expiresAt: nil, claims: hasClaims ? Self.claims : nil)
    let variables = try TokenVariables(["FIRST=account", "WANTED=\(field)"])
    let expected = Failure(.missingValue, "work has no \(field), so WANTED is not set", hint: hint)
    for shell in Shell.all {
      expect(throws: expected) { try statements(line, variables, for: shell) }
    }
    expect(throws: expected) { try environment(line, variables, inherited: []) }
  }

  @Test func `with an expired ID Token are set without it, and an error where it is the only one`() throws {
    let line = AnswerLine.make(isIDTokenExpired: true)
    let expired = Failure(
      .interactionRequired, "the ID Token of work has expired, and the server issues no new one",
      hint: "agent login work")
    for texts in [["ID=id_token"], ["ID=id_token", "OTHER=id_token"]] {
      let variables = try TokenVariables(texts)
      expect(throws: expired) { try environment(line, variables, inherited: []) }
      for shell in Shell.all { expect(throws: expired) { try statements(line, variables, for: shell) } }
    }
    let variables = try TokenVariables(["FIRST=account", "ID=id_token"])
    #expect(try environment(line, variables, inherited: ["ID=old"]) == ["FIRST=work"])
    #expect(try statements(line, variables, for: .json) == #"{"FIRST":"work"}"# + "\n")
  }

  @Test func `with a line break go to programs and into JSON, not into shells`() throws {
    let line = AnswerLine.make(claims: Self.claims)
    let variables = try TokenVariables(["TEXT=claim:lines"])
    let expected = Failure(.serverMisbehaved, "the value of TEXT contains a control character, so it is not set")
    for shell in Shell.all where shell.quoting != .json {
      expect(throws: expected) { try statements(line, variables, for: shell) }
    }
    #expect(try statements(line, variables, for: .json) == #"{"TEXT":"a\nb"}"# + "\n")
    #expect(try environment(line, variables, inherited: []) == ["TEXT=a\nb"])
    let nul = AnswerLine.make(claims: ["lines": "a\u{0}b"])
    expect(throws: expected) { try statements(nul, variables, for: .json) }
    expect(throws: expected) { try environment(nul, variables, inherited: []) }
  }
}
