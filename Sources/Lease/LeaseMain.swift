internal import Platform
internal import Wire

/// The program `agent-lease`: serves one lease's peers, and ends with the lease's owner.
package enum LeaseMain {
  private static let maximumDescriptors = 256
  /// The limit for data memory, enough for the longest lines of all peers.
  private static let maximumBytes = 512 << 20

  /// Runs until the lease's owner disconnects. Returns the exit status.
  package static func run(arguments: [String]) -> Int32 {
    let options = arguments.dropFirst()
    if options.elementsEqual(["--version"]) { return write("agent-lease \(Product.version)\n") }
    let hasJail = !options.contains(LeaseProgram.noJailOption)
    guard options.allSatisfy({ [LeaseProgram.noJailOption, LeaseProgram.testJailOption].contains($0) }) else {
      printError("it is started by agent serve and agent exec --lease")
      return ExitStatus.usage.rawValue
    }
    do throws(SystemError) {
      Environment.keepOnly { _ in false }
      try ProcessHardening.harden()
      try ResourceLimit.descriptors.lower(to: maximumDescriptors)
      try ResourceLimit.dataBytes.lower(to: maximumBytes)
      if options.contains(LeaseProgram.testJailOption) { return testJail() }
      try ResourceLimit.fileBytes.lower(to: 0)
      let server = try LeaseServer(
        FileDescriptor(owning: LeaseProgram.ownerDescriptor), FileDescriptor(owning: LeaseProgram.listenerDescriptor))
      if hasJail {
        do throws(Jail.Problem) { try Jail.enter() } catch {
          printError("the kernel has no seccomp(2): error \(error.number); --no-jail does without it")
          return ExitStatus.failed.rawValue
        }
      }
      try server.run()
      return ExitStatus.done.rawValue
    } catch {
      printError("\(error.operation): \(error.message)")
      return ExitStatus.failed.rawValue
    }
  }

  /// Prints the ``Jail/mustBeBlocked`` calls that the jail permits. Returns the exit status.
  private static func testJail() -> Int32 {
    do throws(Jail.Problem) { try Jail.enter() } catch { return write("no seccomp: \(error.number)\n") }
    let permitted = Jail.mustBeBlocked.filter { !Jail.blocks($0) }
    return write(
      "tried \(Jail.mustBeBlocked.count), permitted \(permitted.count)\n" + permitted.map { "\($0)\n" }.joined())
  }

  /// Returns the exit status.
  private static func write(_ text: String) -> Int32 {
    (try? Output.write(text, to: .standardOutput)) == nil ? ExitStatus.failed.rawValue : ExitStatus.done.rawValue
  }

  private static func printError(_ message: String) {
    try? Output.write("agent-lease: error: \(message)\n", to: .standardError)
  }
}
