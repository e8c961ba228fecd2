import Encoding
import Testing
import Wire
import WireSupport

@Suite struct `A failure` {
  /// The exit statuses that scripts depend on, and all codes with them.
  static let documented: [(Wire.ExitStatus, Int32, [String])] = [
    (
      .failed, 1,
      [
        "unsupported_version", "invalid_configuration", "account_exists", "certificate_rejected", "pin_mismatch",
        "client_rejected", "server_rejected", "server_misbehaved", "id_token_rejected", "token_not_bound",
        "lifetime_too_short", "foreign_device", "vault_unusable", "storage", "missing_value", "cancelled",
        "internal_error", "token_returned",
        "origin_not_allowed", "place_not_listed",
        "redirect_unavailable", "redirect_rejected", "tpm_unavailable", "last_slot", "no_such_slot",
      ]
    ),
    (
      .usage, 2,
      [
        "invalid_request", "unknown_request", "descriptor_missing", "directory_needed", "issuer_needed",
        "client_needed",
      ]
    ),
    (
      .signInNeeded, 3,
      [
        "no_account", "signed_out", "session_expired", "configuration_changed", "endpoint_moved", "identity_changed",
        "other_machine", "code_expired", "unknown_login", "step_up_needed", "issuer_not_trusted",
        "assertion_needed",
        "interaction_required", "token_refused",
      ]
    ),
    (
      .tryLater, 4,
      [
        "network", "timeout", "server_unavailable", "too_busy", "vault_busy", "daemon_unavailable", "daemon_stopped",
        "tpm_locked_out",
      ]
    ),
    (.locked, 5, ["locked", "wrong_passphrase", "wrong_pin"]),
    (.denied, 6, ["access_denied", "assertion_rejected", "not_permitted", "lease_ended"]),
    (.tokenNotValid, 7, ["malformed_token"]),
  ]

  @Test func `has the documented exit status`() {
    for (status, number, names) in Self.documented {
      #expect(status.rawValue == number)
      let codes = FailureCode.allCases.filter { $0.exitStatus == status }
      #expect(Set(codes.map(\.rawValue)) == Set(names), "\(status)")
    }
    #expect(Self.documented.map { $0.2.count }.reduce(0, +) == FailureCode.allCases.count)
    #expect(Wire.ExitStatus.done.rawValue == 0)
    #expect(Wire.ExitStatus.allCases.count == 8)
  }

  @Test(arguments: FailureCode.allCases) func `is read back as it was written`(code: FailureCode) throws {
    for hint in [nil, "agent login work"] {
      let failure = Failure(code, "what \"happened\"", hint: hint)
      #expect(Failure(json: failure.json)?.words == failure.words)
      let line = Reply.failure(failure).serialized()
      #expect(try Reply(parsing: line.span).serialized() == line)
    }
  }

  @Test func `equals another by its code and subject, in whatever words`() {
    let gone = Failure.noAccount(named: "gone", hint: "agent list")
    #expect(gone == Failure.noAccount(named: "gone", hint: "agent login gone"))
    #expect(Failure(.network, "no way") == Failure(.network, "no answer", hint: "agent doctor"))
    #expect(Failure(.network, "no") != Failure(.timeout, "no"))
    #expect(gone != Failure.noAccount(named: "work", hint: "agent list"))
    #expect(Set([Failure(.network, "a"), Failure(.network, "b"), gone]).count == 2)
  }

  @Test func `is written as the protocol documents it`() {
    let line = Reply.failure(Failure(.signedOut, "work is signed out", hint: "agent login work")).serialized()
    #expect(
      String(decoding: line, as: UTF8.self)
        == #"{"v":1,"error":{"code":"signed_out","message":"work is signed out","hint":"agent login work"}}"# + "\n")
  }

  @Test func `of a newer daemon is a failure all the same`() {
    #expect(
      Failure(json: ["code": "brand_new", "message": "m", "hint": 1])?.words == Failure(.internalError, "m").words)
  }

  @Test(
    arguments: [[:], ["code": "network"], ["message": "m"], ["code": 1, "message": "m"], "network", .null] as [JSON])
  func `without code or message is none`(json: JSON) {
    #expect(Failure(json: json) == nil)
  }
}
