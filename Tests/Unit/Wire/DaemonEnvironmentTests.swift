import Testing
import Wire

@Suite struct `The environment of the daemon` {
  @Test(arguments: ["HOME", "USER", "PATH", "TZ", "LC_ALL", "XDG_RUNTIME_DIR", "TPM2OPENSSL_TCTI", "TSS2_LOG"])
  func `keeps what it needs`(name: String) { #expect(DaemonEnvironment.keeps(name)) }

  @Test(arguments: [
    "", "HOM", "HOMEX", "home", "SSLKEYLOGFILE", "OPENSSL_CONF", "OPENSSL_MODULES", "LD_PRELOAD", "https_proxy",
    "CURL_HOME", "SSL_CERT_FILE", "XDG", "LC", "AGENT_SOCKET", "SWIFT_BACKTRACE", "LISTEN_FDS",
  ]) func `keeps nothing that a library takes orders from`(name: String) { #expect(!DaemonEnvironment.keeps(name)) }
}
