internal import Wire

extension Command {
  static let verify = Command(
    name: "verify",
    summary: "Check whether tokens hold, by their issuer's keys",
    details: [
      "Checks the signature of JSON Web Tokens, and the claims that say when, by whom and for whom they are. The keys are"
        + " those of the active account's issuer, of the one that `--account` or `--issuer` names, or in the file that"
        + " `--jwks` names. An issuer's keys are found by its metadata and kept as long as it allows, between 5 minutes and"
        + " a day; when a token is signed with a key that is not among them, they are fetched anew, at most once a minute"
        + " and ten times an hour. With `--jwks` nothing is fetched, and no daemon is needed. An issuer that an account has"
        + " is reached as that account reaches it, unless `--ca-file` or `--allow-http-loopback` name the way.",
      "`FILE` holds the token, or several, one a line; without it, or for `-`, they come from standard input. A token is"
        + " never an argument, since every user of the machine can see those. Space around a token and empty lines are"
        + " passed over. A line has at most 65536 bytes; there may be any number. At a terminal they are read up to Ctrl-D,"
        + " and a line of 4095 bytes is refused, since a terminal drops what comes after these.",
      "`exp` and `nbf` are obeyed, `iat` must not be in the future, and `iss` must be the issuer; where the keys come from"
        + " a file, the one that `--issuer` names, or any without that. What a token does not say is not held against it, but for `iss`, and `aud` and `typ` where an option"
        + " names what they must be. An algorithm that `--algorithms` does not name is refused; without that any of"
        + " RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA and Ed25519 is taken that the key is"
        + " for. Symmetric ones and `none` are never taken.",
      "Prints a line for each token, in their order and as they come: `valid` and what it is, or `not valid`, a code and"
        + " what is wrong. The exit status is 0 when all hold, 7 when one does not, and 4 when it cannot be told of one"
        + " because newer keys cannot be had, and the others hold. A check that cannot be made at all is an error with a"
        + " status of its own, on standard error.",
      #"With `--json` prints `{"valid": true, "header": {...}, "claims": {...}}` or"#
        + #" `{"valid": false, "code", "message"}` for each token; with `--signature-only` there is `"payload"`, in"#
        + #" base64url, in the place of `"claims"`. The codes:"#,
    ] + TokenProblemCode.allCases.map { "`\($0.rawValue)`: \($0.meaning)" },
    options: [
      Option(
        name: .issuer, value: .text("URL"),
        summary:
          "Take the keys of this issuer, which need not be an account's; beside `--jwks`, the token must be from it"),
      Option(
        name: .jwks, value: .file("FILE"), summary: "Take the keys in this file: a JWK Set, or a single public JWK"),
      Option(name: .audience, value: .text("NAME"), summary: "The token must be for this audience (`aud`)"),
      Option(
        name: .algorithms, value: .text("LIST"), repeats: true,
        summary: "Accept these algorithms only, separated by commas: `RS256,ES256`"),
      Option(
        name: .type, value: .text("TYPE"), summary: "The token must be of this type (`typ`), such as `at+jwt`"),
      Option(
        name: .signatureOnly,
        summary: "Check nothing but the signature: the payload need not be a set of claims"),
      Option(
        name: .clockSkew, value: .duration(0...VerifyRequest.maximumClockSkew),
        summary: "How far clocks may differ; a minute unless it is given"),
      Option(
        name: .caFile, value: .file("FILE"),
        summary: "Trust the certificate authorities in this PEM file too on the way to the issuer of `--issuer`"),
      Option(
        name: .allowHTTPLoopback,
        summary: "Allow plain http to 127.0.0.1 and [::1] for the issuer of `--issuer`"),
    ],
    operands: .file,
    examples: [
      Example(
        purpose: "Check the ID Token of the active account, as any other program could",
        line: "agent token --id-token | agent verify --audience my-cli"),
      Example(purpose: "Check a file of tokens by keys at hand", line: "agent verify tokens.txt --jwks keys.json"),
    ],
    run: VerifyCommand.run)
}
