import Encoding
import Testing
import Wire

@testable import CommandLine

@Suite struct `The exit status of a check` {
  private static func account(_ check: String, _ code: FailureCode? = nil) -> JSON {
    var account = JSONObject([("check", .string(check))])
    account["check_problem"] = code.map { Failure($0, "x").json }
    return .object(account)
  }

  @Test func `is that of the account which most needs a person`() {
    let (held, ended, away) = (account("ok"), account("signed_out_elsewhere"), account("failed", .network))
    let (locked, denied, odd) = (
      account("failed", .locked), account("failed", .accessDenied), account("failed", .storage)
    )
    func worst(_ accounts: [JSON]) -> Wire.ExitStatus { StatusCommand.worstStatus(of: accounts, isNamed: false) }
    #expect(worst([]) == .done && worst([held, account("not_possible"), account("not_signed_in")]) == .done)
    #expect(worst([away, locked, ended, denied, odd, held]) == .locked)
    #expect(worst([odd, denied, away, ended]) == .signInNeeded)
    #expect(worst([odd, denied, away]) == .tryLater)
    #expect(worst([odd, denied]) == .denied)
    #expect(worst([held, odd]) == .failed)
  }

  @Test func `is never 0 for a check that failed`() {
    for code in FailureCode.allCases {
      #expect(StatusCommand.worstStatus(of: [Self.account("failed", code)], isNamed: false) != .done, "\(code)")
    }
    #expect(StatusCommand.worstStatus(of: [Self.account("failed")], isNamed: false) == .tryLater)
    #expect(StatusCommand.worstStatus(of: [Self.account("not_signed_in")], isNamed: true) == .signInNeeded)
  }

  private func account(_ check: String, _ code: FailureCode? = nil) -> JSON { Self.account(check, code) }
}
