internal import Encoding
internal import Platform
internal import Wire

/// A `status --check` request and its results so far.
final class CheckBatch {
  let ticket: Ticket
  /// The only account to check. Nil for all.
  let only: AccountName?
  let startedAt: Instant
  /// The accounts without a result.
  var pending: Set<ObjectIdentifier> = []
  /// The accounts checked by a refresh.
  var refreshed: Set<ObjectIdentifier> = []
  /// The results. The reference to the account keeps its identifier unique.
  var checks: [ObjectIdentifier: (account: Account, check: Check)] = [:]

  init(ticket: Ticket, only: AccountName?, startedAt: Instant) {
    self.ticket = ticket
    self.only = only
    self.startedAt = startedAt
  }

  struct Check {
    let result: CheckResult
    /// Why the server ended the session, if it did.
    var cause: SessionEvent.SignOutCause?
    /// Why the check failed, if it did.
    var failure: Failure?

    init(_ result: CheckResult, _ failure: Failure? = nil) {
      self.result = result
      self.failure = failure
    }

    /// The result if the server has ended the session.
    init(_ cause: SessionEvent.SignOutCause) {
      self.init(.signedOutElsewhere)
      self.cause = cause
    }

    /// The result of a failed token request. `wasTokenRejected` is true if the server had rejected an unexpired token.
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
