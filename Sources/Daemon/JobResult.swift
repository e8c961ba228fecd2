internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// What a worker hands back to the loop.
enum JobResult: Sendable {
  case refreshEnded(AccountName, TokenTarget?, Session.Refresh, RefreshOperation.Ending)
  case loginPrepared(login: UInt64, Result<PreparedSignIn, SessionError>)
  case loginPolled(login: UInt64, Result<DeviceSignIn.Poll, SessionError>)
  case loginFinished(login: UInt64, Result<SignIn.Outcome, SessionError>)
  case signedOut(SignOutBatch, AccountName, Result<SignOutOperation.Ending, SessionError>)
  case surveyed(Survey.Purpose, Ticket, [AccountSummary], VaultStatus)
  case userInfo(AccountName, Ticket, mayRefresh: Bool, Result<JSONObject?, SessionError>)
  /// A job that goes on tells what it does.
  case step(AccountName, LogStep)
  /// What the loop does with the result is in it.
  case then(@Sendable (Hub) -> Void)
  /// The same from a job that goes on.
  case meanwhile(@Sendable (Hub) -> Void)
}
