import Encoding
import Testing
import Wire

@testable import CommandLine

@Suite struct `The vault in words` {
  private func object(_ text: String) throws -> JSONObject {
    try #require(try JSON(parsing: Array(text.utf8)).object)
  }

  @Test func `says what opens it and what is behind each lock`() throws {
    let result = try object(
      #"""
      {"path":"/s/vault.x","exists":true,"device_bound":true,"binding":"tpm2","lock_after":5400,"slots":[
        {"slot":1,"kind":"tpm2","protection":"device"},{"slot":4,"kind":"passphrase","protection":"passphrase"},
        {"slot":7,"kind":"tpm2","protection":"tpm2"},{"slot":9,"kind":"unknown-77","protection":"device"}],
       "levels":[{"protection":"device","locked":false,"accounts":["home","work"]},
        {"protection":"passphrase","locked":true,"accounts":["bank"]},{"protection":"tpm2","locked":true,"accounts":[]}]}
      """#)
    #expect(
      VaultText.status(result) == """
        vault       /s/vault.x
        binding     the TPM
        locks       after 90m of inactivity
        device      open, home work
        passphrase  locked, bank
        tpm2        no accounts
        slot 1      TPM key, level device
        slot 4      passphrase, level passphrase
        slot 7      TPM key with PIN, level tpm2
        slot 9      unknown-77, level device

        """)
  }

  @Test func `says why it cannot be used`() throws {
    let result = try object(
      #"""
      {"path":"/s/v","exists":true,"device_bound":false,"binding":"host","binding_problem":"no TPM","lock_after":0,
       "slots":[],"levels":[],"problem":{"code":"foreign_device","message":"it is foreign","hint":"agent vault rebind"}}
      """#)
    #expect(
      VaultText.status(result) == """
        vault    /s/v
        binding  the device secret only, because the machine has no ID; no TPM
        locks    only on request
        problem  it is foreign; try: agent vault rebind

        """)
  }

  @Test func `says what a look at every part has found`() throws {
    let result = try object(
      #"""
      {"sound":false,"slots":[{"slot":1,"kind":"host","protection":"device","state":"opens"},
        {"slot":2,"kind":"passphrase","protection":"passphrase","state":"asks"}],
       "accounts":[{"account":"bank","protection":"passphrase","state":"locked"},
        {"account":"work","protection":"device","state":"damaged"}]}
      """#)
    #expect(
      VaultText.check(result) == """
        slot 1  machine key, level device: ok
        slot 2  passphrase, level passphrase: intact, not opened
        bank    locked
        work    damaged

        """)
  }

  @Test func `survives members of any type`() throws {
    let result = try object(#"{"path":3,"exists":{},"slots":[1,{"slot":"x"}],"levels":[{}],"lock_after":"never"}"#)
    #expect(!VaultText.status(result).isEmpty && !VaultText.check(result).isEmpty)
    #expect(VaultText.levels(.null) == "nothing, because the vault is empty")
  }
}
