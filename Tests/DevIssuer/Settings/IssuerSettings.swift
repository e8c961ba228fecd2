import Encoding
import JOSE

/// How the issuer behaves. Options set it at the start, the control endpoint changes it later.
struct IssuerSettings: Sendable {
  /// Who decides about sign-ins.
  enum Approval: String, Sendable, CaseIterable { case ask, always, never }

  /// Pushed authorization requests (RFC 9126).
  enum PushedRequests: String, Sendable, CaseIterable { case off, offered, required }

  /// Answers of an endpoint that are failures whatever is asked; nothing is carried out.
  struct PlannedFailure: Sendable {
    var remaining = 0
    var status = 503
    /// The `error` member.
    var error = "temporarily_unavailable"
    /// Whole seconds for the Retry-After field (RFC 9110 section 10.2.3).
    var retryAfter: Int?
  }

  // MARK: Of the start only

  /// 0 takes a free one.
  var port: UInt16 = 0
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
  var claims: [(name: String, value: JSON)] = []

  // MARK: Tokens, in seconds

  /// 0 leaves `expires_in` out and lets access tokens live for ever.
  var accessTokenLifetime = 3600
  var refreshTokenLifetime = 2_592_000
  var deviceCodeLifetime = 600
  /// RFC 6749 section 4.1.2 allows ten minutes at most.
  var codeLifetime = 60
  /// Between two polls; 0 enforces nothing.
  var interval = 5
  /// In which the refresh token before the last one is still taken.
  var reuseLeeway = 0
  /// Added to the clock that clients see.
  var clockOffset = 0
  var rotatesRefreshTokens = true
  var issuesRefreshTokens = true
  var issuesIDTokens = true
  /// ID Tokens of a client with a secret are under it.
  var usesClientSecret = false
  var signsUserInfo = false

  // MARK: Sign-ins and clients

  var approval = Approval.ask
  /// For whom the control endpoint decides.
  var username = DevelopmentIssuer.demoUser
  var pushedRequests = PushedRequests.offered
  /// Whether anyone may register a client (RFC 7591).
  var opensRegistration = false

  // MARK: Proofs of possession (RFC 9449)

  /// Token requests without a proof are refused.
  var requiresProofs = false
  /// Proofs must hold a nonce of this server (section 8).
  var wantsNonce = false
  /// Answers to a good proof hand out the next nonce; the one before is then taken once more.
  var rotatesNonce = true
  /// Seconds by which `iat` may differ from our clock.
  var proofWindow = 60

  // MARK: Protected resources

  /// RFC 6750 section 3.1.
  var requiredScope: String?
  /// RFC 9470 section 3.
  var requiredACR: String?
  /// Seconds since the sign-in; RFC 9470 section 3.
  var requiredMaxAge: Int?
  /// Only tokens that are bound to a key are taken (RFC 9728 section 2).
  var requiresBoundTokens = false
  /// How many good tokens are still refused.
  var refusals = 0
  /// Where `/redirect` sends to.
  var redirectTarget = "http://resource.invalid/"

  // MARK: Misbehaviour

  var tokenDelayMilliseconds = 0
  /// Whose requests hang.
  var hanging: IssuerEndpoint?
  /// For the failures that the same request plans.
  var failure = PlannedFailure()
  var failures: [IssuerEndpoint: PlannedFailure] = [:]
  var faults: [IssuerFault.Place: IssuerFault] = [:]
  /// Whose answers the fault of the body spoils.
  var bodyEndpoint = IssuerEndpoint.token
  /// How many answers it still spoils; nil for all.
  var bodyFaultsLeft: Int?
}
