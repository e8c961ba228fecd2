import Encoding
import Testing
import Vocabulary
import Wire
import WireSupport

@Suite struct `A request about the vault` {
  static let all: [VaultRequest] =
    Protection.allCases.flatMap { level -> [VaultRequest] in
      [.unlock(level), .create(level), .addPassphrase(level), .changePassphrase(level)]
    } + [
      .status, .lock, .bind(nil), .bind(.host), .bind(.tpm2), .removeSlot(1), .removeSlot(255), .rotateKey(slots: []),
      .rotateKey(slots: [2, 255, 7]), .rebind, .setAside, .check, .set(lockAfterSeconds: 0),
      .set(lockAfterSeconds: VaultRequest.maximumLockAfterSeconds),
    ]

  @Test(arguments: all) func `is read back as it was written`(request: VaultRequest) throws {
    let envelope = RequestEnvelope(.vault(request), timeoutSeconds: 9)
    #expect(try RequestEnvelope(parsing: envelope.serialized().span) == envelope)
  }

  @Test func `has a name of its own for each kind`() {
    #expect(
      Set(Self.all.map { Request.vault($0).properties.name }) == [
        "vault_status", "lock", "unlock", "vault_create", "vault_bind", "vault_add_passphrase",
        "vault_change_passphrase", "vault_remove_slot", "vault_rotate_key", "vault_rebind", "vault_set_aside",
        "vault_check",
        "vault_set",
      ])
  }

  @Test(arguments: [
    (VaultRequest.unlock(.tpm2), #"{"v":1,"request":"unlock","protection":"tpm2"}"#),
    (.rotateKey(slots: [2, 5]), #"{"v":1,"request":"vault_rotate_key","slots":[2,5]}"#),
    (.removeSlot(3), #"{"v":1,"request":"vault_remove_slot","slot":3}"#),
    (.set(lockAfterSeconds: 0), #"{"v":1,"request":"vault_set","lock_after":0}"#),
    (.lock, #"{"v":1,"request":"lock"}"#),
  ]) func `is written as the protocol documents it`(request: VaultRequest, line: String) {
    #expect(String(decoding: RequestEnvelope(.vault(request)).serialized(), as: UTF8.self) == line + "\n")
  }

  @Test(arguments: ["unlock", "vault_create", "vault_add_passphrase", "vault_change_passphrase"])
  func `must name the level`(name: String) {
    expect(throws: Failure.invalid("the request needs the member \"protection\"")) {
      try parse(#"{"v":1,"request":"\#(name)"}"#)
    }
    expect(throws: Failure.invalid("\"protection\" must be one of device, passphrase, tpm2")) {
      try parse(#"{"v":1,"request":"\#(name)","protection":"none"}"#)
    }
  }

  @Test(arguments: ["0", "256", "-1", "1.5", #""1""#, "null", "[1]"]) func `of a slot must name one`(number: String) {
    #expect(throws: Failure.self) { try parse(#"{"v":1,"request":"vault_remove_slot","slot":\#(number)}"#) }
    #expect(throws: Failure.self) { try parse(#"{"v":1,"request":"vault_rotate_key","slots":[\#(number),2]}"#) }
  }

  @Test func `names no more slots than there can be`() throws {
    let most = (1...VaultRequest.maximumSlots).map { String($0) }.joined(separator: ",")
    #expect(try parse(#"{"v":1,"request":"vault_rotate_key","slots":[\#(most)]}"#).verbose == false)
    expect(throws: Failure.invalid(#""slots" must be a list of at most 16 numbers from 1 to 255"#)) {
      try parse(#"{"v":1,"request":"vault_rotate_key","slots":[\#(most),17]}"#)
    }
  }

  @Test(arguments: all) func `brings as many secrets as it needs`(request: VaultRequest) {
    let expected =
      switch request {
      case .changePassphrase: 2
      case .unlock, .create, .addPassphrase, .rebind: 1
      case .rotateKey(let slots): slots.count
      default: 0
      }
    #expect(request.secretCount == expected)
  }
}
