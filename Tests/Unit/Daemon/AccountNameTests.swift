import Testing
import Vault
import Vocabulary
import Wire

@Suite struct `The name of an account` {
  @Test func `is the same to the protocol and to the vault`() {
    let bytes = (1...127 as ClosedRange<UInt8>).map { String(UnicodeScalar($0)) }
    let names =
      ["", "é", String(repeating: "a", count: 64), String(repeating: "a", count: 65)] + bytes
      + bytes.map { "a\($0)" }
    for name in names {
      #expect(((try? AccountName(name)) != nil) == WireProtocol.isAccountName(name), "\(name.debugDescription)")
    }
  }
}
