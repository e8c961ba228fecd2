internal import Wire

/// How the daemon serves each kind of request.
extension Request {
  /// Whether it is served by the settings as they are on disk now.
  var needsSettings: Bool {
    switch self {
    case .daemonStatus, .daemonStop, .daemonLog, .leaseStatus, .vault(.lock), .variables: false
    case .token, .forget, .assumeRole, .proof, .screenEnvironment, .login, .loginRedirect, .loginConfirm, .loginResume,
      .discover, .logout,
      .status, .doctor, .list, .use, .whoami, .account, .call, .resourceBody, .verify, .vault, .events, .tokenFile,
      .lease, .leaseAnswer:
      true
    }
  }

  /// Whether it may change an account or the vault.
  var isChange: Bool {
    switch self {
    case .vault(.status): false
    case .login, .loginResume, .logout, .use, .account, .vault: true
    case .token, .forget, .assumeRole, .proof, .variables, .screenEnvironment, .loginRedirect, .loginConfirm, .discover,
      .status, .doctor,
      .list, .whoami, .daemonStatus, .daemonStop, .daemonLog, .call, .resourceBody, .verify, .events, .tokenFile,
      .lease,
      .leaseAnswer, .leaseStatus:
      false
    }
  }
}

extension RequestEnvelope {
  /// Seconds until a request times out; nil without a limit. Without a timeout of its own, a sign-in ends when its code
  /// expires, a stop request when all work is done; following events and keeping a token file have no end.
  var deadlineSeconds: Int? {
    switch request {
    case .login, .loginResume, .daemonStop, .tokenFile, .lease: timeoutSeconds
    case .events(let events) where events.follow: timeoutSeconds
    case .token, .forget, .assumeRole, .proof, .variables, .screenEnvironment, .loginRedirect, .loginConfirm, .discover,
      .logout, .status,
      .doctor, .list, .use, .whoami, .daemonStatus, .daemonLog, .account, .call, .resourceBody, .verify, .vault,
      .events,
      .leaseAnswer, .leaseStatus:
      (timeoutSeconds ?? WireProtocol.defaultTimeoutSeconds) + request.waitSeconds
    }
  }
}
