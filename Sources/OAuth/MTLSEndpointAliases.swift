/// Endpoints for clients that show a certificate, where they differ from those for all others
/// (RFC 8705 section 5).
package struct MTLSEndpointAliases: Sendable {
  var token: Endpoint?
  var deviceAuthorization: Endpoint?
  var userinfo: Endpoint?
  var revocation: Endpoint?
  var introspection: Endpoint?
  var pushedAuthorizationRequest: Endpoint?
  var registration: Endpoint?

  init(_ reader: MetadataReader) throws(OAuthError) {
    token = try reader.endpoint("token_endpoint")
    deviceAuthorization = try reader.endpoint("device_authorization_endpoint")
    userinfo = try reader.endpoint("userinfo_endpoint")
    revocation = try reader.endpoint("revocation_endpoint")
    introspection = try reader.endpoint("introspection_endpoint")
    pushedAuthorizationRequest = try reader.endpoint("pushed_authorization_request_endpoint")
    registration = try reader.endpoint("registration_endpoint")
  }
}
