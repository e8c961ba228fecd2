internal import Vocabulary
internal import Wire

/// The commands that inspect tokens.
enum VerifyCommands {
  static let verify = Command(
    .verify,
    summary: "Verify tokens by their issuer's keys",
    details: """
      Checks the signature of JSON Web Tokens, and the claims that say when, by whom and for whom they are. Tokens
      come from a file or from standard input, and are never arguments.

      The keys are those of the active account's issuer, of the one that `--account` or `--issuer` names, or in
      the file that `--jwks` names. An issuer's keys are found by its metadata and kept as long as it allows,
      between 5 minutes and a day; when a token is signed with a key that is not among them, they are fetched
      anew, at most once a minute and ten times an hour. With `--jwks` nothing is fetched, and no daemon is
      needed. An issuer that an account has is reached as that account reaches it, unless `--ca-file` or
      `--allow-http-loopback` name the way.

      `FILE` holds the token, or several, one a line; without it, or for `-`, they come from standard input. A token is
      never an argument, since every user of the machine can see those. Space around a token and empty lines are passed
      over. A line has at most 65536 bytes; there may be any number. At a terminal they are read up to Ctrl-D, and a
      line of 4095 bytes is refused, since a terminal drops what comes after these.

      `exp` and `nbf` are obeyed, `iat` must not be in the future, and `iss` must be the issuer; where the keys come
      from a file, the one that `--issuer` names, or any without that. A token without `exp` is refused unless
      `--allow-missing` is given; `--require` names other claims that must be there. What a token does not say is not
      held against it else, but for `iss`, and `aud` and `typ` where an option names what they must be. Of several
      `--audience`, one is enough; without it the answer says that the audience was not checked.

      `--claim NAME=VALUE` demands the value of a claim, which is what stands behind the first `=`. A text must have the
      same bytes; a number the same value (`1` and `1.0`); `true` and `false` are written so; an array must have such an
      element; an object, or a whole array, is written as JSON. Each `--claim` that is given must hold, also of one name.

      `--profile` names the kind of the token, with rules of its own. An `id-token` has `iss`, `sub`, `aud`, `exp` and
      `iat`; with `--audience` it is for no other audience than those, and its `azp`, which is there where it is for
      several, is one of them. An `access-token` (RFC 9068) is of the type `at+jwt`, and has `iss`, `exp`, `aud`, `sub`,
      `client_id`, `iat` and `jti`. A `logout-token` (OpenID Connect Back-Channel Logout) has `iss`, `aud`, `iat`, `jti`,
      `events` with the event of a logout, `sub` or `sid`, and no `nonce`; `--allow-missing` takes one without `exp`, as
      older servers send them.

      An algorithm that `--algorithms` does not name is refused; without that any of RS256, RS384, RS512, PS256, PS384,
      PS512, ES256, ES384, ES512, EdDSA and Ed25519 is taken that the key is for. Of an ID Token and a logout token it
      must be one that the issuer announces for ID Tokens (`id_token_signing_alg_values_supported`), and RS256 where it
      announces none. So it must be of a token without `--profile`, where the issuer announces some and `--algorithms`
      names none. For access tokens no server announces any, so the key decides. Nothing is announced to `--jwks`.
      `none` is never taken.

      HS256, HS384 and HS512 are taken with `--hmac-key-file` or `--hmac-key-fd` alone, and no other algorithm is then.
      The file holds the secret, of which the end of the line of a text is no part, or a JSON Web Key of the type `oct`.
      The secret has at least 32, 48 or 64 bytes. What is a public or private key or a certificate, as PEM, DER, JSON Web
      Key or for SSH, is never taken as a secret.

      A PEM file for `--jwks` holds keys (`PUBLIC KEY`) or certificates (`CERTIFICATE`), of which nothing but the key
      counts: neither who signed them nor when they end. Such a key has no name, so one must fit alone.

      Prints a line for each token, in their order and as they come: `valid` and what it is, or `not valid`, a code and
      what is wrong. The exit status is 0 when all hold, 7 when one does not, and 4 when it cannot be told of one
      because newer keys cannot be had, and the others hold. A check that cannot be made at all is an error with a
      status of its own, on standard error.

      With `--json` prints `{"valid": true, "header": {...}, "claims": {...}}` or `{"valid": false, "code", "message"}`
      for each token; with `--signature-only` there is `"payload"`, in base64url, in the place of `"claims"`. A valid one
      has `"not_checked"`, the names of the claims that nothing was compared with, if there are any; one that is not
      valid has `"claim"` where one claim is the reason. The codes:

      \(TokenProblemCode.allCases.map { "`\($0.rawValue)`: \($0.meaning)" }.joined(separator: "\n\n"))
      """,
    options: [
      Option.issuer.saying(
        "Take the keys of this issuer, which need not be an account's; beside `--jwks`, the token must be from it",
        in: .keys),
      Option.jwks.declaration,
      Option.hmacKeyFile.declaration, Option.hmacKeyFD.declaration, Option.audiences.declaration,
      Option.profile.declaration, Option.requiredClaims.declaration, Option.allowMissing.declaration,
      Option.demandedClaims.declaration, Option.algorithms.declaration, Option.type.declaration,
      Option.signatureOnly.declaration, Option.clockSkew.declaration,
      Option.caFile.saying(
        "Trust the certificate authorities in this PEM file too on the way to the issuer of `--issuer`"),
      Option.allowHTTPLoopback.saying(
        "Allow plain http to this machine for the issuer of `--issuer`"),
    ],
    everyday: ["audience", "issuer", "jwks", "profile", "require", "claim", "algorithms", "type", "allow-missing"],
    operands: .file,
    examples: [
      Example(
        "Check the ID Token of the active account, as any other program could",
        "agent token --id-token | agent verify --audience my-cli"),
      Example("Check a file of tokens by keys at hand", "agent verify tokens.txt --jwks keys.json"),
      Example(
        "Check in a build job that they are ID Tokens about a certain subject",
        "agent verify tokens.txt --jwks keys.json --profile id-token --claim sub=ann"),
    ])

  static let decode = Command(
    .decode,
    summary: "Show what a token says, without verifying it",
    details: """
      Shows header and claims of a JSON Web Token, with times in plain words. NOTHING IS VERIFIED: anyone can
      write such a token, which standard error says each time.

      No key, network or daemon is needed, and a token that has expired or whose signature is bad is shown like
      any other. Of an encrypted token only the header can be read.

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
