internal import Vocabulary
internal import Wire

/// The options of a sign-in. Without any it signs in to the active account by its settings.
///
/// A client secret, a key and further settings are given to the account with the command `agent account`, so that no secret is
/// in your program.
public struct SignInOptions: Sendable, Hashable {
  /// The flows of a sign-in.
  public enum Flow: Sendable, Hashable, CaseIterable {
    /// A browser on this machine; the agent listens at the redirect URI (RFC 8252).
    case browser
    /// A code that the person types on any device (RFC 8628).
    case device
    /// A browser anywhere; the person pastes the address where it ended, see ``SignIn/pass(redirect:)``.
    case paste
  }

  /// The account; nil means the active one, or a name made from the issuer's host.
  public var account: String?

  /// The issuer identifier of the authorization server. If there is no such account, one is added for it.
  public var issuer: String?

  /// The client identifier; nil means that of the account or of the agent's `clients.json`.
  public var clientID: String?

  /// The requested scope; empty means that of the account.
  public var scope: [String] = []

  /// The resources of the tokens (RFC 8707, section 2.1).
  public var resources: [String] = []

  /// Further origins that may get the access token, such as `https://api.example.org`.
  public var origins: [String] = []

  /// The flow; nil means that the agent chooses.
  public var flow: Flow?

  /// Whether your program opens the address of ``SignIn/Step/openPage(_:)`` in a browser on this machine, for the choice.
  public var canOpenBrowser = false

  /// Whether the tokens are bound to a key (RFC 9449).
  public var bindsTokens = false

  /// Whether to keep a session that the account already has. Then there is nothing to do in a browser.
  public var keepsSession = false

  /// Whether the account becomes the active one.
  public var activates = false

  /// Whether account and session are in no file, and end with the daemon.
  public var isEphemeral = false

  /// Whether an issuer at a loopback address may be reached without TLS, for tests.
  public var allowsHTTPLoopback = false

  /// The user name to suggest (`login_hint` of OpenID Connect Core 1.0, section 3.1.2.1); not in the device flow, nor the three
  /// that follow.
  public var loginHint: String?

  /// `login`, `consent`, `select_account` and such, with spaces between them.
  public var prompt: String?

  /// The acceptable authentication context classes.
  public var acrValues: [String] = []

  /// The largest age of the person's authentication, up to a year.
  public var maximumAge: Duration?

  /// The longest wait for the person: 1 second to an hour.
  public var timeout: Duration = .seconds(600)

  /// A sign-in to an account.
  ///
  /// - Parameters:
  ///   - account: nil means the active one, or a name made from the issuer's host.
  ///   - issuer: nil means that of the account.
  ///   - clientID: nil means that of the account.
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
    request.settings.dpop = bindsTokens
    request.settings.allowHTTPLoopback = allowsHTTPLoopback
    request.flow =
      switch flow {
      case .browser: .browser
      case .device: .device
      case .paste: .paste
      case nil: nil
      }
    request.canOpenBrowser = canOpenBrowser
    request.unless = keepsSession ? .signedIn : nil
    request.activates = activates
    request.isEphemeral = isEphemeral
    request.demands.loginHint = loginHint
    request.demands.prompt = prompt
    request.demands.acrValues = acrValues
    request.demands.maxAge = maximumAge.map { min($0.wholeSeconds, 31_536_000) }
    return request
  }

  var timeoutSeconds: Int { min(max(timeout.wholeSeconds, 1), WireProtocol.maximumTimeoutSeconds) }
}
