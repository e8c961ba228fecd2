internal import Wire

extension Option {
  /// How the client proves who it is, among the settings of an account.
  static var clientAuthentication: [Option] {
    [
      Option(
        name: .tokenEndpointAuthMethod,
        value: .choice(
          "METHOD",
          [
            "none", "client_secret_basic", "client_secret_post", "private_key_jwt", "tls_client_auth",
            "self_signed_tls_client_auth",
          ]),
        summary: "How the client proves who it is; without it, what it has and the server's announcement decide"),
      Option(
        name: .basicUnencoded,
        summary: "Send id and secret of client_secret_basic as they are, for servers that do not undo the encoding"),
      Option(
        name: .clientKeyAlgorithm, value: .choice("ALGORITHM", ClientAuthenticationSettings.algorithms),
        summary: "What private_key_jwt signs with; without it, what the key is for"),
      Option(
        name: .clientKeyID, value: .text("ID"),
        summary: "The name by which the server knows the client's key; a JSON Web Key may bring its own"),
      Option(
        name: .assertionAudience,
        value: .choice("AUDIENCE", ClientAuthenticationSettings.Audience.allCases.map(\.rawValue)),
        summary: "Whom private_key_jwt names as its reader: the issuer, or for older servers the token endpoint or each"
          + " endpoint"),
    ]
  }

  /// What the client proves itself with. None of it is ever an argument.
  static var clientSecrets: [Option] {
    [
      Option(
        name: .clientSecretFile, value: .file("FILE"),
        summary: "Read the client secret from this file, or from standard input when it is `-`"),
      Option(
        name: .clientSecretEnvironment, value: .text("NAME"),
        summary: "Take the client secret from this environment variable"),
      Option(name: .clientSecretPrompt, summary: "Ask for the client secret on the terminal, without showing it"),
      Option(
        name: .clientKeyFile, value: .file("FILE"),
        summary: "Read the client's private key from this file, in PEM form or as a JSON Web Key; `-` is standard input"
      ),
      Option(
        name: .clientCertificateFile, value: .file("FILE"),
        summary: "Show the certificate in this PEM file to the server; its key is the client's"),
    ]
  }
}

extension Option {
  /// Where the client of a sign-in comes from, and who signs in with it.
  static var newClient: [Option] {
    [
      Option(
        name: .register,
        summary: "Let the server register a client for this account (RFC 7591), in the place of --client-id"),
      Option(
        name: .initialAccessTokenFile, value: .file("FILE"),
        summary: "Where not everybody may register: read the token that lets you from this file; `-` is standard input"),
      Option(
        name: .guest,
        summary: "Sign the client itself in, without a user; it must prove who it is. A later sign-in takes it over"),
    ]
  }
}
