internal import Vocabulary
internal import Wire

/// The commands that inspect tokens.
enum VerifyCommands {
  static let verify = Command(
    .verify,
    summary: "Verify tokens by their issuer's keys",
    options: [
      Option.issuer.saying(
        "Use the keys of this issuer; it need not be an account's; with `--jwks`, the token must be from it",
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
    operands: .file,
    examples: [
      Example("See what is in the ID Token", "agent token --id-token | agent decode")
    ])
}
