import Testing
import Vocabulary

@Suite struct `Hosts to reach without the proxy` {
  @Test(
    arguments: [
      ("as.example", "as.example"), ("as.example", "EXAMPLE"), ("AS.example.", "other, .example."), ("as.example", "*"),
      ("10.1.2.3", "10.0.0.0/8"), ("10.1.2.3", "10.1.2.3"), ("10.1.2.3", "x.example 10.1.2.3/32"),
      ("10.1.2.3", "0.0.0.0/0"),
      ("172.31.0.1", "172.16.0.0/12"), ("[2001:db8::1]", "2001:db8::/32"), ("[::1]", "::1"), ("[::1]", "0:0::1"),
    ])
  func `are those that curl reaches directly`(host: String, list: String) {
    #expect(ProxyExclusions(list).excludes(host))
  }

  @Test(
    arguments: [
      ("xas.example", "as.example"), ("as.example", ""), ("as.example", "."), ("as.example", "as.example.org"),
      ("10.1.2.3", "3"), ("10.1.2.3", "11.0.0.0/8"), ("10.1.2.3", "10.0.0.0/33"), ("10.1.2.3", "10.0.0.0/"),
      ("10.1.2.3", "10.0.0.0/-1"), ("172.32.0.1", "172.16.0.0/12"), ("[::1]", "::/129"),
      ("[2001:db8::1]", "10.0.0.0/8"),
      ("10.1.2.3", "::/0"), ("as.example", "0.0.0.0/0"),
    ])
  func `are no others`(host: String, list: String) {
    #expect(!ProxyExclusions(list).excludes(host))
  }
}
