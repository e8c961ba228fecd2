internal import Encoding
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// One `status` request that asks the servers, and what they have answered so far.
final class CheckBatch {
  let ticket: Ticket
  let only: AccountName?
  let startedAt: Instant
  var open: Set<AccountName> = []
  /// Accounts whose session was put to the test by a refresh: if that works, the session holds.
  var refreshed: Set<AccountName> = []
  var checks: [AccountName: Check] = [:]

  init(ticket: Ticket, only: AccountName?, startedAt: Instant) {
    self.ticket = ticket
    self.only = only
    self.startedAt = startedAt
  }

  /// What came of the question about one account.
  struct Check {
    let result: CheckResult
    /// Why there was no answer.
    var failure: Failure?

    init(_ result: CheckResult, _ failure: Failure? = nil) {
      self.result = result
      self.failure = failure
    }

    /// What a failed attempt to get a token says about the session.
    init(_ failure: Failure) {
      switch failure.code {
      case .sessionExpired: self.init(.signedOutElsewhere)
      case .signedOut, .noAccount: self.init(.notSignedIn)
      default: self.init(.failed, failure)
      }
    }

    func add(to object: inout JSONObject) {
      object["check"] = .string(result.rawValue)
      object["check_problem"] = failure?.json
    }
  }
}
