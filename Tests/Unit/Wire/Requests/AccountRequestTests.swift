import Encoding
import Testing
import Vocabulary
import Wire
import WireSupport

@Suite struct `A request about accounts` {
  static let all: [AccountRequest] = [
    .add(account: "work", AccountSettings()), .add(account: "work", fullLogin.settings), .show(account: nil),
    .show(account: "work"), .set(account: "work", AccountSettings(), unset: []),
    .set(account: "work", fullLogin.settings, unset: AccountSetting.all.filter(\.canBeUnset)),
    .rename(account: "work", to: "job"),
    .remove(account: "work", local: false), .remove(account: "work", local: true),
    .import(account: "work", fullLogin.settings, passedSecrets: []),
    .import(account: "work", AccountSettings(), passedSecrets: PassedSecret.credentials),
    .clientMetadata(account: nil, fullLogin.settings, passedSecrets: [.clientKey]),
    .clientMetadata(account: "work", AccountSettings(), passedSecrets: []),
  ]

  @Test(arguments: all) func `is read back as it was written`(request: AccountRequest) throws {
    let envelope = RequestEnvelope(.account(request), timeoutSeconds: 9)
    #expect(try RequestEnvelope(parsing: envelope.serialized().span) == envelope)
  }

  @Test func `has a name of its own for each kind`() {
    #expect(
      Set(Self.all.map { Request.account($0).properties.name })
        == [
          "account_add", "account_show", "account_set", "account_rename", "account_remove", "account_import",
          "account_client_metadata",
        ])
  }

  @Test(arguments: [
    (AccountRequest.rename(account: "a", to: "b"), #"{"v":1,"request":"account_rename","account":"a","new_name":"b"}"#),
    (.remove(account: "a", local: true), #"{"v":1,"request":"account_remove","account":"a","local":true}"#),
    (
      .set(account: "a", AccountSettings(), unset: [AccountSetting.table.pins, AccountSetting.table.caFile]),
      #"{"v":1,"request":"account_set","account":"a","unset":["pins","ca_file"]}"#
    ),
    (
      .import(account: "a", AccountSettings(), passedSecrets: [.clientSecret, .clientCertificate]),
      #"{"v":1,"request":"account_import","account":"a","client_secret_descriptor":true,"client_certificate_descriptor":true}"#
    ),
  ]) func `is written as the protocol documents it`(request: AccountRequest, line: String) {
    #expect(String(decoding: RequestEnvelope(.account(request)).serialized(), as: UTF8.self) == line + "\n")
  }

  @Test(arguments: ["account_add", "account_set", "account_rename", "account_remove", "account_import"])
  func `must name the account`(name: String) {
    expect(throws: Failure.invalid("the request needs the member \"account\"")) {
      try parse(#"{"v":1,"request":"\#(name)"}"#)
    }
  }

  @Test func `to rename must name the new name`() {
    expect(throws: Failure.invalid("the request needs the member \"new_name\"")) {
      try parse(#"{"v":1,"request":"account_rename","account":"a"}"#)
    }
  }

  @Test(arguments: ["issuer", "client_id", "PINS", ""]) func `takes back no setting that must be there`(name: String) {
    expect(throws: Failure.invalid("\"unset\" must list settings that can be reset")) {
      try parse(#"{"v":1,"request":"account_set","account":"a","unset":["\#(name)"]}"#)
    }
  }

  @Test(arguments: ["account_", "account", "account_steal", "Account_add"]) func `of an unknown name is refused`(
    name: String
  ) {
    expect(throws: Failure.unknownRequest) { try parse(#"{"v":1,"request":"\#(name)","account":"a"}"#) }
  }

  @Test func `tells settings by their names in the protocol`() {
    let json = fullLogin.settings.json()
    #expect(json["client_id"] == .string(fullLogin.clientID ?? ""))
    #expect(json["pins"] == ["sha256//AAAA="])
    #expect(json["keep"] == true)
    #expect(json["dpop"] == true)
    #expect(json.count == 46)
    #expect(json["protect"] == "passphrase")
    for setting in AccountSetting.all { #expect(json[setting.name] != nil, "\(setting.name)") }
  }
}

@Suite struct `A status request` {
  @Test(arguments: [nil, "work"], [false, true]) func `may ask the servers`(account: String?, check: Bool) throws {
    let envelope = RequestEnvelope(.state(.status(account: account, check: check)))
    #expect(try RequestEnvelope(parsing: envelope.serialized().span) == envelope)
  }

  @Test func `does not ask the servers unless it says so`() throws {
    #expect(try parse(#"{"v":1,"request":"status"}"#) == RequestEnvelope(.state(.status(account: nil, check: false))))
  }
}
