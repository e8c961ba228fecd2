import OAuth
import Testing
import Wire

@Suite struct `The services that a client may name` {
  @Test func `are those that the daemon knows`() {
    #expect(KnownServiceName.allCases.map(\.rawValue) == KnownService.all.map(\.name))
  }
}
