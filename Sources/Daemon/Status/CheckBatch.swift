internal import Encoding
internal import Platform
internal import Wire

/// A `status --check` request and its results so far.
final class CheckBatch {
  let ticket: Ticket
  /// Nil for all accounts.
  let only: AccountName?
  let startedAt: Instant
  /// Accounts without a result.
  var pending: Set<ObjectIdentifier> = []
  /// Accounts checked by a refresh.
  var refreshed: Set<ObjectIdentifier> = []
  /// The reference to the account keeps its identifier unique.
  var checks: [ObjectIdentifier: (account: Account, check: Check)] = [:]

  init(ticket: Ticket, only: AccountName?, startedAt: Instant) {
    self.ticket = ticket
    self.only = only
    self.startedAt = startedAt
  }

  struct Check {
    let result: CheckResult
    /// Why the server ended the session, if so.
    var cause: SessionEvent.SignOutCause?
    /// Why the check failed, if so.
    var failure: Failure?

    init(_ result: CheckResult, _ failure: Failure? = nil) {
      self.result = result
      self.failure = failure
    }

    /// Describes a session that the server ended.
    init(_ cause: SessionEvent.SignOutCause) {
      self.init(.signedOutElsewhere)
      self.cause = cause
    }

    /// Describes a failed token request. `wasTokenRejected` is true if the server had rejected an unexpired token.
    init(_ failure: Failure, wasTokenRejected: Bool) {
      switch failure.code {
      case .sessionExpired: self.init(wasTokenRejected ? .revoked : .expired)
      case .signedOut, .noAccount: self.init(.notSignedIn)
      default: self.init(.failed, failure)
      }
    }

    func add(to object: inout JSONObject) {
      object[.check] = .string(result.rawValue)
      object[.checkCause] = cause.map { .string($0.rawValue) }
      object[.checkProblem] = failure?.json
    }
  }
}
