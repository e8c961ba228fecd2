extension Command {
  static let decode = Command(
    name: "decode",
    summary: "Show what a token says, without verifying it",
    details: [
      "Shows header and claims of a JSON Web Token, with times in plain words. NOTHING IS VERIFIED: anyone can write"
        + " such a token, which standard error says each time. No key, network or daemon is needed, and a token that has"
        + " expired or whose signature is bad is shown like any other. Of an encrypted token only the header can be read.",
      "`FILE` holds the token, or several, one a line; without it, or for `-`, they come from standard input. A token is"
        + " never an argument, since every user of the machine can see those. Space around a token and empty lines are"
        + " passed over. A token has at most 65536 bytes.",
      #"With `--json` prints `{"verified": false, "header": {...}, "claims": {...}}` for each token. A payload that is"#
        + #" not a JSON object is `"payload"`, in base64url, and an encrypted one is `"encrypted"`: true."#,
      "A text that is no token is an error with the code `malformed_token` and exit status 7. Of several, the others"
        + " are shown all the same.",
    ],
    operands: .file,
    examples: [
      Example(purpose: "See what is in the ID Token", line: "agent token --id-token | agent decode")
    ],
    run: DecodeCommand.run)
}
