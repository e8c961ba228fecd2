internal import Encoding
internal import Platform
internal import Wire

/// `agent __notify`, run by the daemon: shows a desktop notice if an event ends a session.
enum NotifyCommand {
  static let notify = Command(
    .notify,
    summary: "Show an event on standard input as a desktop notice",
    makeAction: makeAction)

  private static let maximumBytes = 64 << 10

  static func makeAction(_ invocation: Invocation) -> Action {
    return .doing { () throws(Failure) in
      let input: [UInt8]
      do throws(SystemError) { input = try FileDescriptor.duplicate(0).readToEnd(limit: maximumBytes) } catch {
        throw Failure(error, doing: "cannot read the event")
      }
      guard let json = try? JSON(parsing: input), let entry = SessionEntry(json: json), let text = text(entry) else {
        return
      }
      let program = try EventsCommand.notifySendPath()
      let words = ["notify-send", "--app-name=agent", text.title.localized(), text.body.localized()]
      let error = Spawn.replaceProcess(
        executable: program, arguments: words.map { Array($0.utf8) }, environment: Environment.entries())
      throw Failure(error, doing: "cannot run \(program)")
    }
  }

  /// The notice; nil unless a session ended without user action.
  static func text(_ entry: SessionEntry) -> (title: Phrase, body: Phrase)? {
    guard let account = entry.account else { return nil }
    switch entry.event.name {
    case .signedOut where entry.event.cause != .user && entry.event.cause != .removed: break
    case .expired where entry.event.isRenewable == false: break
    default: return nil
    }
    let command = ProgramName.current.renaming(hint: "agent login \(account)")
    return (Phrase("The session of \(account) has ended"), Phrase("to sign in again: \(command)"))
  }
}
