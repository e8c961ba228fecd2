/// Secrets that a request passes in descriptors (`SCM_RIGHTS`), in this order.
package enum PassedSecret: Sendable, CaseIterable {
  case clientSecret
  /// In PEM or as a JSON Web Key.
  case clientKey
  /// Certificates in PEM, starting with the client's own.
  case clientCertificate
  /// Authorizes client registration (RFC 7591, section 3).
  case initialAccessToken
  /// A JWT that replaces the user or authenticates the client (RFC 7523).
  case assertion

  package static let credentials: Set<PassedSecret> = [.clientSecret, .clientKey, .clientCertificate]

  /// The request's member that announces the secret.
  private var flag: (name: String, meaning: String) {
    switch self {
    case .clientSecret:
      (
        "client_secret_descriptor",
        "The client secret follows."
      )
    case .clientKey: ("client_key_descriptor", "A private key follows: PEM or JWK.")
    case .clientCertificate:
      ("client_certificate_descriptor", "Certificates in PEM form follow, the client's own first.")
    case .initialAccessToken:
      ("initial_access_token_descriptor", "The token that authorizes the registration of the client follows.")
    case .assertion: ("assertion_descriptor", "A JWT that signs in follows.")
    }
  }

  static func visitFlags<Visitor: MemberVisitor>(
    _ announced: inout Set<PassedSecret>,
    among kinds: [PassedSecret] = [.clientSecret, .clientKey, .clientCertificate],
    _ members: inout Visitor
  ) throws(Visitor.Problem) {
    for kind in kinds {
      var isAnnounced = announced.contains(kind)
      try members.visitFlag(kind.flag.name, &isAnnounced, kind.flag.meaning)
      if isAnnounced { announced.insert(kind) } else { announced.remove(kind) }
    }
  }
}
