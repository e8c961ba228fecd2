import Encoding
import JOSE

/// What the command line asks for.
struct Options: Sendable {
  /// 0 takes a free one.
  var port: UInt16 = 0
  var settings = Settings()
  var algorithm = JWSAlgorithm.RS256
  var hasControl = false
  /// A file, or "-" for standard error; nil for no log.
  var log: String?
  /// Where the confidential client's secret is written; nil for nowhere.
  var clientSecretFile: String?
  /// A file with the public keys of one more client, which authenticates by a signed JWT.
  var clientKeyFile: String?
  /// What is in that file.
  var clientKeys: JWKSet?
  /// Redirect URIs that are taken byte for byte; when there are any, no others are taken.
  var exactRedirectURIs: [String] = []
  /// What the path of a redirect URI on the loopback interface begins with.
  var redirectPath = "/"
  /// Resources and audiences that tokens may be for; empty for any.
  var targets: [String] = []
  /// Claims about the user beside the standard ones, or in their place.
  var claims = JSONObject()

  /// Where answers for the clients known from the start may go.
  var redirectRules: [RedirectRule] {
    exactRedirectURIs.isEmpty ? [.loopback(pathPrefix: redirectPath)] : exactRedirectURIs.map(RedirectRule.exact)
  }
}
