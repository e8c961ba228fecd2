import Wire
import WireSupport
import Platform
import Testing

@testable import Daemon

@Suite struct `Listening for changes of the network` {
  @Test func `is begun once, and not by what ends it`() throws {
    let home = try DaemonHome()
    let listener = NetworkListener(home.sink) {}
    listener.setListening(false)
    #expect(home.sink.watched.isEmpty)
    for _ in 1...3 { listener.setListening(true) }
    #expect(home.sink.watched.count == 1)
    let descriptor = try #require(home.sink.descriptors.first)
    #expect(throws: Never.self, "it is open") { try Poller().add(descriptor, interest: .read, key: 1) }
    listener.setListening(false)
    listener.setListening(true)
    #expect(home.sink.watched.count == 2)
  }
}
