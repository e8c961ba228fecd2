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
  /// Claims about the user beside the standard ones, or in their place.
  var claims = JSONObject()
}
