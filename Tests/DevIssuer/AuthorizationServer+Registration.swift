import Crypto
import Encoding

/// Dynamic client registration (RFC 7591) and its management (RFC 7592).
extension AuthorizationServer {
  /// Members of the answer that an update must not send (RFC 7592 section 2.2).
  private static let answerNames = [
    "registration_access_token", "registration_client_uri", "client_secret_expires_at", "client_id_issued_at",
  ]

  /// The client registration endpoint (RFC 7591 section 3).
  func register(_ request: Request) throws(OAuthFailure) -> Response {
    let metadata = try metadata(Self.object(of: request))
    let key = try checked(OpaqueKey.random)
    let token = try checked(OpaqueKey.random)
    let secret: OpaqueKey? = metadata.usesSecret ? try checked(OpaqueKey.random) : nil
    let registration = Registration(
      id: key, secret: secret, accessToken: token, issuedAt: wallSeconds(), metadata: metadata)
    let fault = withState { (state) -> RegistrationFault? in
      state.count(.registrations)
      state.registrations[key] = registration
      if state.settings.registrationFault != nil { state.count(.misbehaviours) }
      return state.settings.registrationFault
    }
    return .json(.object(registration.information(issuer: issuer, fault: fault)), status: 201)
  }

  /// The client configuration endpoint (RFC 7592 section 2), for whoever has the client's own token.
  func manageClient(_ request: Request) throws(OAuthFailure) -> Response {
    let registration: Registration
    do throws(BearerToken.Problem) {
      registration = try self.registration(of: request)
    } catch {
      return error.response()
    }
    switch request.method {
    case .put: return try update(registration, request)
    case .delete:
      withState { state in
        state.count(.deletions)
        state.registrations[registration.id] = nil
        state.tokens.removeGrants(of: registration.id.text)
      }
      return Response(status: 204, headers: [("Cache-Control", "no-store")])
    default: return .json(.object(registration.information(issuer: issuer, fault: nil)))
    }
  }

  /// The client that the path names. An unknown one looks like a wrong token (RFC 7592 section 2.1).
  private func registration(of request: Request) throws(BearerToken.Problem) -> Registration {
    let token = try BearerToken.find(in: request)
    guard let key = OpaqueKey(text: String(request.path.dropFirst(Endpoint.clientPrefix.count))),
      let registration = withState({ $0.registrations[key] }),
      ConstantTime.isEqual(registration.accessToken.bytes.span, token.key.bytes.span)
    else { throw .invalid }
    return registration
  }

  /// RFC 7592 section 2.2: all members are sent, and what is left out is gone. The answer brings a new
  /// token, and the old one is good no longer.
  private func update(_ old: Registration, _ request: Request) throws(OAuthFailure) -> Response {
    let object = try Self.object(of: request)
    guard object["client_id"]?.string == old.id.text, !Self.answerNames.contains(where: { object[$0] != nil }) else {
      throw ClientMetadata.wrong("client_id is missing, or a member of the answer was sent back")
    }
    if let secret = object["client_secret"] {
      guard secret.string == old.secret?.text else { throw ClientMetadata.wrong("client_secret is wrong") }
    }
    let metadata = try metadata(object)
    let fresh = try checked(OpaqueKey.random)
    let secret = metadata.usesSecret ? old.secret ?? fresh : nil
    let new = Registration(
      id: old.id, secret: secret, accessToken: try checked(OpaqueKey.random), issuedAt: old.issuedAt,
      metadata: metadata)
    withState { $0.registrations[new.id] = new }
    return .json(.object(new.information(issuer: issuer, fault: nil)))
  }

  private func metadata(_ object: JSONObject) throws(OAuthFailure) -> ClientMetadata {
    try ClientMetadata(object, mustBindTokens: withState { $0.settings.dpop.isRequired })
  }

  private static func object(of request: Request) throws(OAuthFailure) -> JSONObject {
    guard request.mediaType == "application/json", let object = (try? JSON(parsing: request.body))?.object else {
      throw ClientMetadata.wrong("the content must be a JSON object")
    }
    return object
  }
}
