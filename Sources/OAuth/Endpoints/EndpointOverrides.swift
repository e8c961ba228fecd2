/// Endpoints that an account names itself, for servers whose metadata lacks them or that have none.
package struct EndpointOverrides: Sendable, Hashable {
  package var authorization: Endpoint?
  package var token: Endpoint?
  package var deviceAuthorization: Endpoint?
  package var userinfo: Endpoint?
  package var revocation: Endpoint?
  package var registration: Endpoint?
  package var jwks: Endpoint?

  package init(
    authorization: Endpoint? = nil, token: Endpoint? = nil, deviceAuthorization: Endpoint? = nil,
    userinfo: Endpoint? = nil, revocation: Endpoint? = nil,
    registration: Endpoint? = nil, jwks: Endpoint? = nil
  ) {
    self.authorization = authorization
    self.token = token
    self.deviceAuthorization = deviceAuthorization
    self.userinfo = userinfo
    self.revocation = revocation
    self.registration = registration
    self.jwks = jwks
  }
}
