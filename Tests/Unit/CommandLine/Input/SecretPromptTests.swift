import Platform
import Testing

@testable import CommandLine

@Suite(.serialized) struct `A question on the terminal` {
  @Test func `is over when its time is, and its line has no end then`() throws {
    let pipe = try Pipe()
    try pipe.writing.writeAll(Array("half".utf8).span)
    let signals = try SecretPrompt.blockTerminationSignals()
    defer { Signals.unblockAll() }
    var line: [UInt8] = []
    #expect(try SecretPrompt.read(pipe.reading, signals, &line, within: .milliseconds(1)) == nil)
    #expect(line.isEmpty || line == Array("half".utf8))
    try pipe.writing.writeAll(Array(" a word\n".utf8).span)
    #expect(try SecretPrompt.read(pipe.reading, signals, &line, within: .seconds(60)) == nil)
    #expect(line == Array("half a word\n".utf8))
  }
}
