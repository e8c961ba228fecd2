internal import Encoding
internal import Wire

enum DoctorCommand {
  static let doctor = Command(
    .doctor, topic: .upkeep,
    summary: "Diagnose problems and suggest fixes",
    operands: .account,
    examples: [
      Example("See why something does not work", "agent doctor"),
      Example("Check one account", "agent doctor work"),
      Example("Print only what is wrong", "agent doctor --json | jq '.findings[] | select(.level != \"ok\")'"),
    ],
    makeAction: makeAction)

  static func makeAction(_ invocation: Invocation) throws(Failure) -> Action {
    let account = try invocation.namedAccount()
    let client = DaemonClient(invocation).withAnswerTimeout(timeout)
    return Action { () throws(Failure) in
      let findings = examine(account, client)
      let isGood = !findings.contains { $0.level == .fail }
      let result = JSONObject([
        ("ok", .bool(isGood)), ("findings", .array(findings.map { .object($0.json) })),
      ])
      try client.console.answer(result) { _ in Finding.text(findings) }
      return isGood ? 0 : 1
    }
  }

  /// The timeout for the daemon, which waits two seconds for servers.
  private static let timeout = Duration.milliseconds(2500)

  private static func examine(_ account: String?, _ client: DaemonClient) -> [Finding] {
    var (findings, mayAsk) = MachineCheck.checksBeforeDaemon(isPrivate: client.isPrivate)
    if !mayAsk {
      return findings + MachineCheck.checksWithoutDaemon() + ProgramCheck.run() + ProgramCheck.helpers(for: [])
    }
    var programs: [Finding] = []
    var arePrograms = false
    do throws(Failure) {
      findings += try client.converse { (connection) throws(Failure) in
        // Check other programs while the servers respond.
        let answer = try client.ask(.state(.doctor(account: account)), over: &connection) {
          programs = ProgramCheck.run()
          arePrograms = true
        }
        programs += ProgramCheck.helpers(for: DaemonCheck.listedOrigins(answer))
        return DaemonCheck.run(answer) + DaemonCheck.vault(try client.ask(.vault(.status), over: &connection))
      }
    } catch {
      if error.code == .unknownRequest {
        findings.add(.daemon, .fail, Phrase("the daemon is an older version"), hint: Phrase("agent daemon restart"))
      } else if !findings.contains(where: { $0.level == .fail && $0.text == error.text }) {
        findings.add(error.code.exitStatus == .tryLater ? .daemon : .settings, .fail, error)
      }
    }
    if !arePrograms { programs = ProgramCheck.run() + ProgramCheck.helpers(for: []) }
    return findings + MachineCheck.checksWithoutDaemon() + programs
  }
}
