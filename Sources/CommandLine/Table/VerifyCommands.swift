internal import Vocabulary
internal import Wire

/// The commands that inspect tokens.
enum VerifyCommands {
  static let verify = Command(
    .verify,
    summary: "Verify tokens by their issuer's keys",
    details: """
      Checks the signature of JSON Web Tokens, and their claims for time, issuer and audience. Tokens come from a file
      or from standard input, never from arguments.

      The keys are those of the active account's issuer, of the issuer that `--account` or `--issuer` names, or of the
      file that `--jwks` names. An issuer's keys are found through its metadata and kept as long as it allows, between 5
      minutes and a day. If a token is signed with another key, they are fetched again, at most once a minute and ten
      times an hour. With `--jwks`, nothing is fetched and no daemon is needed. An account's issuer is reached with that
      account's settings, unless `--ca-file` or `--allow-http-loopback` replaces them.

      `FILE` contains a token, or several, one a line. Without it, or for `-`, they come from standard input. Arguments
      are visible to all users of the machine. Space around a token and empty lines are ignored. A line has at most
      65536 bytes; the number of lines is not limited. At a terminal, input ends at Ctrl-D, and a line of 4095 bytes is
      refused, because a terminal drops any more.

      `exp` and `nbf` are enforced, `iat` must not be in the future, and `iss` must be the issuer. With keys from a
      file, this is the issuer that `--issuer` names; otherwise any is accepted. A token without `exp` is refused unless
      `--allow-missing` is given; `--require` names other required claims. Other claims may be missing, except `iss`,
      and `aud` and `typ` if an option requires a value. Of several `--audience`, one is enough; without it, the output
      states that the audience was not checked.

      `--claim NAME=VALUE` requires a claim with the value after the first `=`. A string must have the same bytes, and a
      number the same value (`1` and `1.0`). A Boolean is written `true` or `false`. An array must contain the value. An
      object, or an entire array, is written as JSON. Each given `--claim` must match, even several of one name.

      `--profile` names the kind of token, with its own rules. An `id-token` has `iss`, `sub`, `aud`, `exp` and `iat`.
      With `--audience`, it is for no other audience, and its `azp`, required if it is for several, is one of those. An
      `access-token` (RFC 9068) is of the type `at+jwt`, and has `iss`, `exp`, `aud`, `sub`, `client_id`, `iat` and
      `jti`. A `logout-token` (OpenID Connect Back-Channel Logout) has `iss`, `aud`, `iat`, `jti`, `events` with the
      logout event, `sub` or `sid`, and no `nonce`; `--allow-missing` accepts one without `exp`, as sent by older
      servers.

      An algorithm that `--algorithms` does not name is refused. Without that option, RS256, RS384, RS512, PS256, PS384,
      PS512, ES256, ES384, ES512, EdDSA and Ed25519 are accepted if the key is for them. The algorithm of an ID Token or
      logout token must be one that the issuer announces for ID Tokens (`id_token_signing_alg_values_supported`), or
      RS256 if it announces none. This also applies to a token without `--profile`, if the issuer announces some and
      `--algorithms` names none. For access tokens, servers announce no algorithms, so the key decides. Announcements do
      not apply to `--jwks`. `none` is never accepted.

      HS256, HS384 and HS512 are accepted only with `--hmac-key-file` or `--hmac-key-fd`, and then no other algorithm
      is. The file contains the secret, or a JSON Web Key of the type `oct`. A final line ending is not part of it. The
      secret has at least 32, 48 or 64 bytes. A public or private key or a certificate, as PEM, DER, JSON Web Key or for
      SSH, is never accepted as a secret.

      A PEM file for `--jwks` contains keys (`PUBLIC KEY`) or certificates (`CERTIFICATE`). Only the key of a
      certificate is used; its signer and expiry are ignored. Keys in PEM have no key ID, so exactly one must fit.

      Prints a line for each token, in order and as they arrive: `valid` and a description, or `not valid`, a code and
      the reason. The exit status is 0 if all are valid, 7 if one is not, and 4 if one cannot be checked because newer
      keys cannot be fetched, and the others are valid. If no check can be made, this is an error with its own status,
      on standard error.

      With `--json`, prints `{"valid": true, "header": {...}, "claims": {...}}` or `{"valid": false, "code", "message"}`
      for each token. With `--signature-only`, `"payload"`, in base64url, replaces `"claims"`. A valid token has
      `"not_checked"`, the names of claims that were not compared, if any. An invalid one has `"claim"` if one claim is
      the reason. The codes:

      \(TokenProblemCode.allCases.map { "`\($0.rawValue)`: \($0.meaning)" }.joined(separator: "\n\n"))
      """,
    options: [
      Option.issuer.saying(
        "Use the keys of this issuer, which need not be an account's; with `--jwks`, the token must be from it",
        in: .keys),
      Option.jwks.declaration,
      Option.hmacKeyFile.declaration, Option.hmacKeyFD.declaration, Option.audiences.declaration,
      Option.profile.declaration, Option.requiredClaims.declaration, Option.allowMissing.declaration,
      Option.demandedClaims.declaration, Option.algorithms.declaration, Option.type.declaration,
      Option.signatureOnly.declaration, Option.clockSkew.declaration,
      Option.caFile.saying(
        "Also trust the certificate authorities in this PEM file for the issuer of `--issuer`"),
      Option.allowHTTPLoopback.saying(
        "Allow plain http to this machine for the issuer of `--issuer`"),
    ],
    everyday: ["audience", "issuer", "jwks", "profile", "require", "claim", "algorithms", "type", "allow-missing"],
    operands: .file,
    examples: [
      Example(
        "Check the ID Token of the active account, as any other program could",
        "agent token --id-token | agent verify --audience my-cli"),
      Example("Check a file of tokens with local keys", "agent verify tokens.txt --jwks keys.json"),
      Example(
        "Check in a build job that they are ID Tokens for a specific subject",
        "agent verify tokens.txt --jwks keys.json --profile id-token --claim sub=ann"),
    ])

  static let decode = Command(
    .decode,
    summary: "Show what a token says, without verifying it",
    details: """
      Shows the header and claims of a JSON Web Token, with times in plain words. NOTHING IS VERIFIED: anyone can write
      such a token, and standard error warns of this each time.

      No key, network or daemon is needed. A token that has expired or has a bad signature is shown like any other. Of
      an encrypted token, only the header can be read.

      `FILE` contains a token, or several, one a line. Without it, or for `-`, they come from standard input. A token is
      never an argument, because all users of the machine can see arguments. Space around a token and empty lines are
      ignored. A token has at most 65536 bytes.

      With `--json`, prints `{"verified": false, "header": {...}, "claims": {...}}` for each token. A payload that is
      not a JSON object is `"payload"`, in base64url, and an encrypted one is `"encrypted"`: true.

      A text that is not a token is an error with the code `malformed_token` and exit status 7. Of several, the others
      are still shown.
      """,
    operands: .file,
    examples: [
      Example("See what is in the ID Token", "agent token --id-token | agent decode")
    ])
}
