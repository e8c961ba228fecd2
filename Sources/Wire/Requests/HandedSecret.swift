/// The secrets that a request passes as descriptors (`SCM_RIGHTS`), which the daemon reads. The descriptors have the
/// order of these cases.
package enum HandedSecret: Sendable, CaseIterable {
  case clientSecret
  /// A private key, in PEM form or as a JSON Web Key.
  case clientKey
  /// Certificates in PEM form, the client's own first.
  case clientCertificate
  /// The token for a registration at a server that requires one (RFC 7591, section 3). Only for sign-ins.
  case initialAccessToken
  /// A JWT that stands for a person, or proves the client (RFC 7523). Only for sign-ins.
  case assertion

  /// The credentials of a client.
  package static let credentials: Set<HandedSecret> = [.clientSecret, .clientKey, .clientCertificate]

  private var member: String {
    switch self {
    case .clientSecret: "client_secret_descriptor"
    case .clientKey: "client_key_descriptor"
    case .clientCertificate: "client_certificate_descriptor"
    case .initialAccessToken: "initial_access_token_descriptor"
    case .assertion: "assertion_descriptor"
    }
  }

  static func read(_ members: RequestMembers) throws(Failure) -> Set<HandedSecret> {
    var announced: Set<HandedSecret> = []
    if try members.flag("client_secret_descriptor") { announced.insert(.clientSecret) }
    if try members.flag("client_key_descriptor") { announced.insert(.clientKey) }
    if try members.flag("client_certificate_descriptor") { announced.insert(.clientCertificate) }
    return announced
  }

  static func addMembers(_ announced: Set<HandedSecret>, to members: inout MemberWriter) {
    for kind in allCases { members.add(kind.member, announced.contains(kind)) }
  }
}
