import Platform
import TestSupport
import Testing

/// Every seed of a fuzzer, and every input that once broke something.
@Suite struct `Readers of what others send` {
  struct Input: Sendable, CustomTestStringConvertible {
    let target: FuzzTarget
    let name: String
    let bytes: [UInt8]
    var testDescription: String { "\(target.rawValue)/\(name)" }
  }

  private static let top = PackageFiles.path("Tests/Tools/Fuzz")

  static let inputs: [Input] = FuzzTarget.allCases.flatMap {
    inputs(of: $0, in: "Corpus") + inputs(of: $0, in: "Found")
  }

  private static func inputs(of target: FuzzTarget, in folder: String) -> [Input] {
    let path = "\(top)/\(folder)/\(target.rawValue)"
    let listing = try? ProcessRunner.run(executable: "/bin/ls", arguments: [path])
    return (listing?.outputText ?? "").split(separator: "\n").compactMap { (name) -> Input? in
      guard let file = try? FileDescriptor(opening: "\(path)/\(name)", for: .reading),
        let bytes = try? file.readToEnd(limit: 1 << 20)
      else { return nil }
      return Input(target: target, name: String(name), bytes: bytes)
    }
  }

  @Test(arguments: FuzzTarget.allCases) func `have inputs to begin with`(target: FuzzTarget) {
    #expect(Self.inputs.contains { $0.target == target })
  }

  @Test(arguments: inputs) func `keep the invariants`(input: Input) throws {
    try input.target.run(input.bytes)
  }

  @Test(arguments: inputs.filter { $0.bytes.count <= 512 })
  func `keep them when the input ends anywhere`(input: Input) throws {
    for count in 0..<input.bytes.count { try input.target.run(Array(input.bytes.prefix(count))) }
  }

  @Test(arguments: inputs.filter { $0.bytes.count <= 512 })
  func `keep them when a bit is another`(input: Input) throws {
    for index in input.bytes.indices {
      var changed = input.bytes
      changed[index] ^= 1 << (index % 8)
      try input.target.run(changed)
    }
  }

  // The targets can fail: a broken invariant is reported.
  @Test func `are watched by invariants that can be broken`() {
    #expect(throws: BrokenInvariant("an invariant")) { try BrokenInvariant.unless(false, "an invariant") }
  }
}
