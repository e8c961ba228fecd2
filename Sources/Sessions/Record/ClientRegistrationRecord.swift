package import Crypto
internal import Encoding
internal import OAuth

/// The stored registration of a client (RFC 7591, RFC 7592).
package struct ClientRegistrationRecord: Sendable {
  /// In unix seconds. Nil if the client secret never expires or does not exist.
  package var secretExpiresAt: Int?
  package var managementURI: String?
  /// The registration access token, sent to `managementURI` only.
  package var token: SharedSecret?

  init(_ registration: ClientRegistration) {
    secretExpiresAt = registration.secretExpiresAt
    managementURI = registration.management?.endpoint.text
    token = registration.management?.token
  }

  var publicMembers: JSONObject {
    var object = JSONObject()
    object["client_secret_expires_at"] = secretExpiresAt.map { .int($0) }
    object["registration_client_uri"] = managementURI.map { .string($0) }
    return object
  }

  init(_ object: JSONObject) {
    secretExpiresAt = object["client_secret_expires_at"]?.int
    managementURI = object["registration_client_uri"]?.string
  }

  /// Nil without URL or token.
  func management(_ transport: Transport) -> ClientRegistration.Management? {
    guard let managementURI, let token,
      let endpoint = try? Endpoint(managementURI, allowHTTPLoopback: transport.allowHTTPLoopback)
    else { return nil }
    return ClientRegistration.Management(endpoint: endpoint, token: token)
  }
}
