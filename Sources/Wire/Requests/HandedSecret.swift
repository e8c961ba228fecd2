/// Secrets that a request passes in descriptors (`SCM_RIGHTS`), in the order of these cases.
package enum HandedSecret: Sendable, CaseIterable {
  case clientSecret
  /// A private key in PEM or as a JSON Web Key.
  case clientKey
  /// Certificates in PEM, starting with the client's own.
  case clientCertificate
  /// The token for registering at a server that requires one (RFC 7591, section 3). Only for sign-ins.
  case initialAccessToken
  /// A JWT that replaces the user or authenticates the client (RFC 7523). Only for sign-ins.
  case assertion

  /// The client's credentials.
  package static let credentials: Set<HandedSecret> = [.clientSecret, .clientKey, .clientCertificate]

  /// The name and meaning of the flag that announces the secret.
  private var row: (name: String, meaning: String) {
    switch self {
    case .clientSecret:
      (
        "client_secret_descriptor",
        "A descriptor with the client secret follows, as `SCM_RIGHTS`. The descriptors of these"
          + " flags come in the order of the flags, one with each message."
      )
    case .clientKey: ("client_key_descriptor", "A private key follows, in PEM form or as a JSON Web Key.")
    case .clientCertificate:
      ("client_certificate_descriptor", "Certificates in PEM form follow, the client's own first.")
    case .initialAccessToken:
      ("initial_access_token_descriptor", "The token that authorizes the registration of the client follows.")
    case .assertion: ("assertion_descriptor", "A JWT follows that signs in without a user.")
    }
  }

  /// Reads, writes or describes the flags of `kinds`.
  static func pass<Pass: MemberPass>(
    _ announced: inout Set<HandedSecret>,
    among kinds: [HandedSecret] = [.clientSecret, .clientKey, .clientCertificate],
    _ members: inout Pass
  ) throws(Pass.Problem) {
    for kind in kinds {
      var isAnnounced = announced.contains(kind)
      try members.flag(kind.row.name, &isAnnounced, kind.row.meaning)
      if isAnnounced { announced.insert(kind) } else { announced.remove(kind) }
    }
  }
}
