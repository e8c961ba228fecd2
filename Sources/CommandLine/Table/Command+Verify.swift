internal import Wire

extension Command {
  static let verify = Command(
    .verify,
    summary: "Verify tokens by their issuer's keys",
    details: """
      Checks the signature of JSON Web Tokens, and the claims that say when, by whom and for whom they are. The keys are
      those of the active account's issuer, of the one that `--account` or `--issuer` names, or in the file that
      `--jwks` names. An issuer's keys are found by its metadata and kept as long as it allows, between 5 minutes and a
      day; when a token is signed with a key that is not among them, they are fetched anew, at most once a minute and
      ten times an hour. With `--jwks` nothing is fetched, and no daemon is needed. An issuer that an account has is
      reached as that account reaches it, unless `--ca-file` or `--allow-http-loopback` name the way.

      `FILE` holds the token, or several, one a line; without it, or for `-`, they come from standard input. A token is
      never an argument, since every user of the machine can see those. Space around a token and empty lines are passed
      over. A line has at most 65536 bytes; there may be any number. At a terminal they are read up to Ctrl-D, and a
      line of 4095 bytes is refused, since a terminal drops what comes after these.

      `exp` and `nbf` are obeyed, `iat` must not be in the future, and `iss` must be the issuer; where the keys come
      from a file, the one that `--issuer` names, or any without that. What a token does not say is not held against it,
      but for `iss`, and `aud` and `typ` where an option names what they must be. An algorithm that `--algorithms` does
      not name is refused; without that any of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA and
      Ed25519 is taken that the key is for. Symmetric ones and `none` are never taken.

      Prints a line for each token, in their order and as they come: `valid` and what it is, or `not valid`, a code and
      what is wrong. The exit status is 0 when all hold, 7 when one does not, and 4 when it cannot be told of one
      because newer keys cannot be had, and the others hold. A check that cannot be made at all is an error with a
      status of its own, on standard error.

      With `--json` prints `{"valid": true, "header": {...}, "claims": {...}}` or `{"valid": false, "code", "message"}`
      for each token; with `--signature-only` there is `"payload"`, in base64url, in the place of `"claims"`. The codes:

      \(TokenProblemCode.allCases.map { "`\($0.rawValue)`: \($0.meaning)" }.joined(separator: "\n\n"))
      """,
    options: [
      Option.issuer.saying(
        "Take the keys of this issuer, which need not be an account's; beside `--jwks`, the token must be from it"),
      Option.jwks.declaration,
      Option.audience.saying("The token must be for this audience (`aud`)"),
      Option.algorithms.declaration, Option.type.declaration, Option.signatureOnly.declaration,
      Option.clockSkew.declaration,
      Option.caFile.saying(
        "Trust the certificate authorities in this PEM file too on the way to the issuer of `--issuer`"),
      Option.allowHTTPLoopback.saying("Allow plain http to 127.0.0.1 and [::1] for the issuer of `--issuer`"),
    ],
    operands: .file,
    examples: [
      Example(
        "Check the ID Token of the active account, as any other program could",
        "agent token --id-token | agent verify --audience my-cli"),
      Example("Check a file of tokens by keys at hand", "agent verify tokens.txt --jwks keys.json"),
    ])

  static let decode = Command(
    .decode,
    summary: "Show what a token says, without verifying it",
    details: """
      Shows header and claims of a JSON Web Token, with times in plain words. NOTHING IS VERIFIED: anyone can write such
      a token, which standard error says each time. No key, network or daemon is needed, and a token that has expired or
      whose signature is bad is shown like any other. Of an encrypted token only the header can be read.

      `FILE` holds the token, or several, one a line; without it, or for `-`, they come from standard input. A token is
      never an argument, since every user of the machine can see those. Space around a token and empty lines are passed
      over. A token has at most 65536 bytes.

      With `--json` prints `{"verified": false, "header": {...}, "claims": {...}}` for each token. A payload that is not
      a JSON object is `"payload"`, in base64url, and an encrypted one is `"encrypted"`: true.

      A text that is no token is an error with the code `malformed_token` and exit status 7. Of several, the others are
      shown all the same.
      """,
    operands: .file,
    examples: [
      Example("See what is in the ID Token", "agent token --id-token | agent decode")
    ])
}
