import Platform

/// Called by the fuzzer with each input. `AGENT_FUZZ_TARGET` selects the parser.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
  do {
    try chosenTarget.run(bytes)
  } catch {
    fatalError("broken invariant of \(chosenTarget.rawValue): \(error)")
  }
  return 0
}

private let chosenTarget: FuzzTarget = {
  guard let target = Environment.value("AGENT_FUZZ_TARGET").flatMap({ FuzzTarget(rawValue: $0) }) else {
    fatalError("AGENT_FUZZ_TARGET must be one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: " "))")
  }
  return target
}()
