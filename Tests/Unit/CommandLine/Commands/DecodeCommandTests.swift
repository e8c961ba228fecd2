import Encoding
import Platform
import TestSupport
import Testing
import Wire
import WireSupport

@testable import CommandLine

/// A token of these parts without a signature.
func unsignedToken(
  _ header: String = #"{"alg":"RS256","kid":"k1"}"#, _ payload: String = #"{"sub":"ann"}"#, signature: String = "c2ln"
) -> String {
  [header, payload].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".") + ".\(signature)"
}

@Suite struct `agent decode` {
  private static let now = 1_795_251_600

  private func decode(_ text: String) throws(Failure) -> DecodedToken {
    let bytes = Array(text.utf8)
    return try DecodedToken(bytes.span)
  }

  private func run(_ arguments: [String] = [], input: String = "") throws -> ProcessResult {
    try AgentProgram().run(["decode"] + arguments, input: Array(input.utf8))
  }

  static let warning = "agent: warning: NOT VERIFIED: anyone can write such a token; check it with agent verify\n"

  @Test func `shows header and claims, with times in plain words`() throws {
    let claims =
      #"{"iss":"https://id.example.com","exp":1795252320,"nbf":1795251600,"iat":1.5,"aud":["a","b"],"n":{"x":1}}"#
    let text = try decode(unsignedToken(#"{"alg":"RS256","kid":"k1"}"#, claims)).text(now: Self.now)
    #expect(
      text == """
        header
          alg  RS256
          kid  k1
        claims
          iss  https://id.example.com
          exp  2026-11-21 09:12:00 UTC, in 12 minutes
          nbf  2026-11-21 09:00:00 UTC, now
          iat  1970-01-01 00:00:01 UTC, 56 years 324 days ago
          aud  ["a","b"]
          n    {"x":1}
        signature
          3 bytes, not checked

        """)
  }

  @Test func `shows a time that is none as it is`() throws {
    let claims = #"{"exp":"1795252320","nbf":-1,"iat":1e400,"auth_time":999999999999999}"#
    let text = try decode(unsignedToken("{}", claims)).text(now: Self.now)
    for value in ["exp        1795252320\n", "nbf        -1\n", "iat        1e400\n", "auth_time  999999999999999\n"] {
      #expect(text.contains(value), "\(text)")
    }
  }

  @Test func `needs no signature, and shows a payload that has no claims`() throws {
    #expect(try decode(unsignedToken(signature: "")).text(now: 0).hasSuffix("signature\n  there is none\n"))
    #expect(try decode(unsignedToken("{}", "hello")).text(now: 0).contains("payload\n  hello\n"))
    let binary = "e30.\(Base64URL.encode([0xFF, 0])).c2ln"
    #expect(try decode(binary).text(now: 0).contains("payload\n  2 bytes that are no text\n"))
    #expect(try decode(binary).json["payload"] == "_wA")
    #expect(try decode(binary).json["claims"] == nil)
  }

  @Test func `shows the header of an encrypted token alone`() throws {
    let token = "\(Base64URL.encode(Array(#"{"alg":"RSA-OAEP","enc":"A256GCM"}"#.utf8))).AAAA.AAAA.AAAA.AAAA"
    #expect(try decode(token).text(now: 0).hasSuffix("encrypted\n  only the holder of the key can read the rest\n"))
    #expect(try decode(token).json["encrypted"] == true)
  }

  @Test func `prints nothing that acts on a terminal`() throws {
    let claims = #"{"\u001b[31m":"\u001b]52;c;x\u0007\u202e","a":["\u009b"]}"#
    let text = try decode(unsignedToken(#"{"kid":"\u001b[2J\u0008"}"#, claims)).text(now: 0)
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
    #expect(!text.unicodeScalars.contains("\u{202E}"))
  }

  @Test(arguments: [
    ("abc", "a token has three parts separated by two dots, but this has no dot"),
    ("a.b", "a token has three parts separated by two dots, but this has 1 dot"),
    ("a.b.c.d", "a token has three parts separated by two dots, but this has 3 dots"),
    ("....................", "a token has three parts separated by two dots, but this has 20 dots"),
    ("e30.e31.c2ln", "the payload of the token is cut off or altered: its last character has stray bits"),
    ("e30.e30=.c2ln", "the payload of the token is not base64url at byte 4"),
    ("e30.e30.c", "the signature of the token is cut off: its length is impossible in base64url"),
    ("W10.e30.c2ln", "the header of the token is not a JSON object"),
    ("eyJhIjoxLCJhIjoyfQ.e30.c2ln", "the header of the token is not a JSON object"),
  ])
  func `tells what is wrong with a text that is no token`(text: String, message: String) throws {
    expect(throws: Failure(.malformedToken, verbatim: message)) { try decode(text) }
    let result = try run(["--json"], input: text + "\n")
    #expect(result.status == .exited(7) && result.output == [])
    #expect(result.errorText == #"{"error":{"code":"malformed_token","message":"\#(message)"}}"# + "\n")
  }

  @Test func `never crashes on a part of a token or a token with a bit changed`() throws {
    let token = Array(unsignedToken(#"{"alg":"ES256"}"#, #"{"exp":1,"a":[{"b":null}]}"#).utf8)
    for count in token.indices { _ = try? DecodedToken(token.span.extracting(..<count)) }
    for index in token.indices {
      for bit in 0..<8 {
        var changed = token
        changed[index] ^= 1 << bit
        _ = try? DecodedToken(changed.span).text(now: Self.now)
      }
    }
  }

  @Test(arguments: [[], ["--quiet"], ["--json"]]) func `says each time that nothing was verified`(
    options: [String]
  ) throws {
    let result = try run(options, input: unsignedToken() + "\n" + unsignedToken())
    #expect(result.succeeded && result.errorText == Self.warning)
  }

  @Test func `prints one object for each token with --json`() throws {
    let result = try run(["-", "--json"], input: "\n \(unsignedToken())\r\n\(unsignedToken("{}", "{}"))")
    #expect(
      result.lines == [
        #"{"verified":false,"header":{"alg":"RS256","kid":"k1"},"claims":{"sub":"ann"}}"#,
        #"{"verified":false,"header":{},"claims":{}}"#,
      ])
  }

  @Test func `shows the tokens beside one that is none, and names its line`() throws {
    let long = String(repeating: "a", count: 70_000)
    let result = try run(["--json"], input: "\(unsignedToken())\nx\n\(long)\n\(unsignedToken())\n")
    #expect(result.status == .exited(7) && result.lines.count == 2)
    #expect(result.errorText.contains("line 2: a token has three parts") && result.errorText.contains("line 3: "))
  }

  @Test func `reads a file`() throws {
    let program = try AgentProgram()
    try program.tree.write("home/token", unsignedToken())
    #expect(try program.run(["decode", program.tree.path("home/token")]).lines.contains("  sub  ann"))
    let missing = try program.run(["decode", program.tree.path("none")])
    #expect(missing.status == .exited(2) && missing.errorText.hasSuffix("/none\": No such file or directory\n"))
    let token = "2WNfXQEDopaquetokenklE"
    let opaque = try program.run(["decode", token])
    #expect(opaque.status == .exited(2) && !opaque.errorText.contains(token))
    let named = try program.run(["decode", "identity-token-of-work.jwt"])
    #expect(named.errorText.contains("\"identity-token-of-work.jwt\""))
  }

  @Test func `wants a token`() throws {
    let result = try run(input: "\n \n")
    #expect(result.status == .exited(2) && result.errorText.contains("the input contains no token"))
  }
}

@Suite struct `A token among the arguments` {
  @Test(arguments: [
    ["decode", "TOKEN"], ["decode", "-", "TOKEN"], ["verify", "TOKEN"], ["verify", "TOKEN", "--jwks", "keys.json"],
    ["verify", "--jwks", "TOKEN"], ["verify", "--issuer", "TOKEN"], ["verify", "x", "TOKEN"], ["TOKEN"],
  ])
  func `is refused and not repeated`(words: [String]) throws {
    for token in [unsignedToken(), unsignedToken(signature: ""), unsignedToken() + ".AAAA.AAAA"] {
      for options in [[], ["--json"], ["--verbose"]] {
        let result = try AgentProgram().run(words.map { $0 == "TOKEN" ? token : $0 } + options)
        #expect(result.status == .exited(2) && result.output == [])
        #expect(!result.errorText.contains(token.prefix(12)))
      }
    }
  }

  @Test func `is told why, and what to do`() throws {
    let result = try AgentProgram().run(["verify", unsignedToken()])
    #expect(
      result.errorText == """
        agent: error: a token cannot be an argument, because every user of this machine can see a program's arguments
        agent: hint: use a file that contains it, or write it to the standard input of agent verify

        """)
  }

  @Test(arguments: [
    "token.txt", "a.b.c", "eyJhbGciOiJub25lIn0", "eyJ.x.y!", "./\(unsignedToken())", "", "..", "x.y.z.w.v",
  ])
  func `is told from the name of a file`(word: String) { #expect(!TokenShape.isLikely(word)) }
}

extension ProcessResult {
  var lines: [Substring] { outputText.split(separator: "\n") }
}
