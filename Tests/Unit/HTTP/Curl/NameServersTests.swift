import Testing

@testable import HTTP

@Suite struct `The name servers of this machine` {
  @Test func `are read from resolv_conf, at most three`() {
    let text = "# nameserver 9.9.9.9\nsearch example.org\nnameserver 10.0.0.53\n nameserver\tfe80::1%eth0 \r\n"
    #expect(NameServers.list(in: Array(text.utf8)) == "10.0.0.53, fe80::1%eth0")
    let many = (1...5).map { "nameserver 10.0.0.\($0)\n" }.joined()
    #expect(NameServers.list(in: Array(many.utf8)) == "10.0.0.1, 10.0.0.2, 10.0.0.3")
  }

  @Test(arguments: ["", "nameserver\n", "options timeout:1\n", "nameserver \u{1B}]0;x\n"])
  func `may be none`(text: String) { #expect(NameServers.list(in: Array(text.utf8)) == nil) }
}
