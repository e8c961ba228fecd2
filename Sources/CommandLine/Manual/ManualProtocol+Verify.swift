internal import Vocabulary
internal import Wire

extension ManualProtocol {
  static let verify = Description(
    name: "verify",
    purpose:
      "Finds out whether tokens hold. The daemon reads them, one a line, from a descriptor, and writes a line for"
      + " each to another: an object as `agent verify --json` prints it, see agent(1), which also has the codes. Tells"
      + " events `notice` of keys that were left out.",
    members: [
      Member(
        "account", "text", "The account whose issuer's keys count; without it the active one, unless `issuer` is there."
      ),
      Member(
        "issuer", "text",
        "The issuer whose keys count, and whose name the tokens must have. One that an account has is reached as that"
          + " account reaches it, unless `ca_file` or `allow_http_loopback` is there."),
      Member("ca_file", "text", "As for `login`, where `issuer` is and no `account`; so are the next three."),
    ] + way + [
      Member(
        "jwks_descriptor", "boolean",
        "A descriptor from which a JWK Set, a single public JWK, or public keys in PEM form can be read comes with this"
          + " line. No issuer is asked then, and `account` must be absent; `issuer` only says from whom the tokens must"
          + " be."),
      Member(
        "hmac_key_descriptor", "boolean",
        "The same with the secret of an HMAC: HS256, HS384 and HS512 are the algorithms then. Not beside"
          + " `jwks_descriptor`."),
      Member("audience", "list of texts", "The audiences, one of which the tokens must be for; also a single text."),
      Member(
        "profile", "text",
        "The kind that the tokens must be of, see agent(1): "
          + Prose.words(TokenProfile.self) + "."),
      Member("require", "list of texts", "Claims that must be there besides `exp`."),
      Member("allow_missing", "boolean", "Accept tokens without `exp`."),
      Member("claims", "list of texts", "Claims with the values that they must have, as `NAME=VALUE`."),
      Member("algorithms", "list of texts", "The algorithms that are accepted; without it all that are supported."),
      Member("type", "text", "The type (`typ`) that the tokens must have."),
      Member("signature_only", "boolean", "Look at no claim; the payload may be anything."),
      Member(
        "clock_skew", "number",
        "How many seconds clocks may differ, 0 to \(VerifyRequest.maximumClockSkew); by default 60."),
      Member(
        "brief", "boolean",
        "Of tokens that hold, write no more of the header than `alg` and `kid`, and no more of the claims than `iss`,"
          + " `sub` and `exp`."),
    ],
    result: [
      Member("tokens", "number", "How many lines were written."),
      Member("not_valid", "number", "How many of the tokens do not hold."),
      Member("undecided", "number", "How many of those may hold for all that is known now."),
    ],
    note:
      "The descriptors come with the line, as `SCM_RIGHTS`, one with each message, so the line is sent in as many: that of"
      + " the key set or the secret if there is one, that of the tokens, and a pipe or a socket for the results, which is made"
      + " non-blocking. The results are complete when `tokens` lines have been read. There is no deadline unless"
      + " `timeout` is there, but that of each question to the issuer. Closing the connection ends the request.")
}
