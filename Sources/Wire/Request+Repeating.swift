extension Request {
  /// Whether a request that may have been answered already can be sent again.
  package var mayBeRepeated: Bool {
    switch self {
    case .token, .proof, .discover, .status, .list, .use, .whoami, .daemonStatus, .daemonLog, .events: true
    case .vault(let request): request.mayBeRepeated
    case .tokenFile, .login, .loginRedirect, .loginResume, .logout, .account, .call, .verify, .daemonStop: false
    }
  }
}
