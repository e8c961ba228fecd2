internal import Wire

/// The options of a sign-in. The default signs in the active account with its settings.
///
/// Configure secrets and other settings with `agent account`, not in your program.
public struct SignInOptions: Sendable, Hashable {
  /// The flows of a sign-in.
  public enum Flow: Sendable, Hashable, CaseIterable {
    /// A browser on this machine. The agent listens at the redirect URI (RFC 8252).
    case browser
    /// A code that the user enters on any device (RFC 8628).
    case device
    /// A browser on any machine. The user pastes its final URL; see ``SignIn/pass(redirect:)``.
    case paste
  }

  /// The account; by default the active one or, with an ``issuer``, one named after it.
  public var account: String?

  /// The authorization server's issuer identifier. The sign-in adds an account if none has it.
  public var issuer: String?

  /// The client identifier; by default the account's, or the one in the agent's `clients.json`.
  public var clientID: String?

  /// The requested scope. If empty, the account's.
  public var scope: [String] = []

  /// The resources of the tokens (RFC 8707, section 2.1).
  public var resources: [String] = []

  /// Additional origins that may get the access token, such as `https://api.example.org`.
  public var origins: [String] = []

  /// The flow; nil if the agent chooses.
  public var flow: Flow?

  /// Whether your program can open the URL of ``SignIn/Step/openPage(_:)`` in a browser on this machine.
  public var canOpenBrowser = false

  /// Whether to bind the tokens to a key (RFC 9449).
  public var bindsTokens = false

  /// Whether to keep an existing session of the account instead of signing in again.
  public var keepsSession = false

  /// Whether to sign in as a guest: the client authenticates itself and gets tokens without a user (RFC 6749, section
  /// 4.4). A later sign-in without this option makes the account the user's.
  public var isGuest = false

  /// Whether to make the account active, even if ``keepsSession`` makes a sign-in unnecessary.
  public var activates = false

  /// Whether to keep account and session in the daemon's memory only.
  public var isEphemeral = false

  /// Whether to allow an issuer at a loopback address without TLS, for tests.
  public var allowsHTTPLoopback = false

  /// The user name to suggest (`login_hint` of OpenID Connect Core 1.0, section 3.1.2.1). The device flow ignores this
  /// option, ``prompt``, ``acrValues`` and ``maximumAge``.
  public var loginHint: String?

  /// The prompts to show, separated by spaces, such as `login`, `consent` or `select_account`.
  public var prompt: String?

  /// The acceptable authentication context classes (`acr_values`).
  public var acrValues: [String] = []

  /// The maximum age of the user's authentication, up to a year.
  public var maximumAge: Duration?

  /// How long to wait for the user: 1 second to an hour.
  public var timeout: Duration = .seconds(600)

  /// Creates options for a sign-in.
  ///
  /// - Parameters:
  ///   - account: The default is the active one or, with an issuer, one named after it.
  ///   - issuer: The default is the account's issuer.
  ///   - clientID: The default is the account's client ID.
  public init(_ account: String? = nil, issuer: String? = nil, clientID: String? = nil) {
    self.account = account
    self.issuer = issuer
    self.clientID = clientID
  }

  var request: LoginRequest {
    var request = LoginRequest()
    request.account = account
    request.settings.issuer = issuer
    request.settings.clientID = clientID
    request.settings.scope = scope
    request.settings.resources = resources
    request.settings.origins = origins
    request.settings.usesDPoP = bindsTokens
    request.settings.allowHTTPLoopback = allowsHTTPLoopback
    request.flow =
      switch flow {
      case .browser: .browser
      case .device: .device
      case .paste: .paste
      case nil: nil
      }
    request.canOpenBrowser = canOpenBrowser
    request.isGuest = isGuest
    request.skipCondition = keepsSession ? .signedIn : nil
    request.activates = activates
    request.isEphemeral = isEphemeral
    request.requirements.loginHint = loginHint
    request.requirements.prompt = prompt
    request.requirements.acrValues = acrValues
    request.requirements.maxAge = maximumAge.map { min($0.wholeSeconds, 31_536_000) }
    return request
  }

  var timeoutSeconds: Int { min(max(timeout.wholeSeconds, 1), WireProtocol.maximumTimeoutSeconds) }
}
