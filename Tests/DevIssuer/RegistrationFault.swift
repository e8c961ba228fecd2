/// What the answer to a registration can have wrong (RFC 7591 section 3.2.1).
enum RegistrationFault: String, Sendable, Hashable, CaseIterable {
  case noClientID = "no_client_id"
  /// Other redirect URIs than those asked for.
  case redirectURIs = "redirect_uris"
  /// Only a grant type that nobody asked for.
  case grantTypes = "grant_types"
  /// Another way to authenticate.
  case method
  /// A secret without `client_secret_expires_at`.
  case noExpiry = "no_expiry"
  /// The address for the management is at another server (RFC 7592 section 3).
  case foreignURI = "foreign_uri"
}
