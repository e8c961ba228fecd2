import Testing

@testable import Platform

@Suite struct `A line of passwd` {
  private static let file = Array(
    "root:x:0:0:root:/root:/bin/bash\n# al\nal:x:1000:1000::/home/al:/bin/sh\nshort:x:7\n:x:8:8::/x:/y\n".utf8)

  @Test func `has the name and the home of a user`() {
    #expect(UserEntry.of(1000, in: Self.file)?.name == "al")
    #expect(UserEntry.of(1000, in: Self.file)?.home == "/home/al")
    #expect(UserEntry.of(0, in: Self.file)?.home == "/root")
  }

  @Test(arguments: [7, 8, 100, 1] as [UInt32]) func `is not there for other users`(user: UInt32) {
    #expect(UserEntry.of(user, in: Self.file) == nil)
  }
}
