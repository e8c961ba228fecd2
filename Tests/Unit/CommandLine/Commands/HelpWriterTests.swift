import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import CommandLine

@Suite struct `The help in another language` {
  private static let german = HelpWriter(
    language: Language { phrase in
      [
        "Change when the vault locks by itself": "Ändern, wann sich der Tresor sperrt", "Usage: %1$s": "Aufruf: %1$s",
        "Examples:": "Beispiele:", "Lock after an hour without use": "Nach einer Stunde sperren",
        "Protection": "Schutz", "Options:": "Optionen:", "More: %1$s": "Mehr: %1$s",
        "Lock after this idle time, or `never` (default: 15m)": "Nach dieser Zeit sperren, oder `never`",
        "The options of every command are in %1$s.": "Die Optionen jedes Befehls stehen in %1$s.",
        "The manual: %1$s.": "Handbuchseite: %1$s.",
      ][phrase.template]
    })

  @Test func `translates sentences and titles, but no words that are typed`() {
    #expect(
      Self.german.help(on: Main.commands.named(.vaultSet))
        == """
        Ändern, wann sich der Tresor sperrt.
        Aufruf: agent vault set [OPTION]...

        Beispiele:
          Nach einer Stunde sperren:
            agent vault set --lock-after 1h

        Optionen:
          --lock-after DURATION  Nach dieser Zeit sperren, oder never

        Mehr: agent help --all vault set, agent-vault(1)

        """)
    #expect(
      Self.german.help(on: Main.commands.named(.vaultSet), all: true)
        == """
        Ändern, wann sich der Tresor sperrt.
        Aufruf: agent vault set [OPTION]...

        Beispiele:
          Nach einer Stunde sperren:
            agent vault set --lock-after 1h

        Schutz:
              --lock-after DURATION
                                  Nach dieser Zeit sperren, oder never

        Die Optionen jedes Befehls stehen in agent(1). Handbuchseite: agent-vault(1).

        """)
  }

  @Test func `wraps what is longer than the English text`() {
    let long = Array(repeating: "Wörter", count: 30).joined(separator: " ")
    let texts = HelpWriter.texts(of: Main.commands).subtracting(OptionGroup.allCases.map(\.rawValue))
    let writer = HelpWriter(
      language: Language { phrase in texts.contains(phrase.template) ? "\(phrase.template.prefix(1)) \(long)" : nil })
    for command in Main.commands.all {
      let lines = (writer.help(on: command) + writer.help(on: command, all: true)).split(separator: "\n")
      #expect(lines.contains { $0.contains("Wörter Wörter") }, "\(command.name)")
      for line in lines where !line.contains("agent") { #expect(line.count <= 79, "\(line)") }
    }
    for line in writer.help(onProgram: Main.commands).split(separator: "\n") { #expect(line.count <= 79, "\(line)") }
  }

  @Test func `isolates words that are typed, in text that is written from right to left, and gives them no columns`() {
    let words = Array(repeating: "`--ask` نص", count: 20).joined(separator: " ")
    let writer = HelpWriter(
      language: Language { phrase in
        switch phrase.template {
        case "left-to-right": "right-to-left"
        case "Print a valid access token": words
        case "Minimum time left for the token (default: 1m); less if its whole lifetime is below 10m": "أدنى مدة؛ أقل"
        default: nil
        }
      })
    let text = writer.help(on: Main.commands.named(.token))
    let first = text.prefix { $0 != "\n" }
    #expect(first.hasPrefix("\u{2068}--ask\u{2069} نص \u{2068}--ask\u{2069} نص "))
    let isolates = first.count { $0 == "\u{2068}" || $0 == "\u{2069}" }
    #expect((74...79).contains(first.count - isolates))
    #expect(text.contains("--min-valid DURATION  أدنى مدة\n"))
    #expect(writer.help(on: Main.commands.named(.token), all: true).contains("أدنى مدة؛ أقل\n"))
  }

  private final class Lookups: Sendable {
    private let found = Mutex<Set<String>>([])

    var all: Set<String> { found.withLock { $0 } }

    func add(_ phrase: Phrase) { found.withLock { _ = $0.insert(phrase.template) } }
  }

  @Test func `looks up only texts that translators have, and each text of the list`() throws {
    let lookups = Lookups()
    let writer = HelpWriter(
      language: Language { phrase in
        lookups.add(phrase)
        return nil
      })
    for all in [false, true] {
      _ = writer.help(onProgram: Main.commands, all: all)
      for group in ["account", "vault", "daemon"] { _ = writer.help(onGroup: group, of: Main.commands, all: all) }
      for command in Main.commands.all { _ = writer.help(on: command, all: all) }
    }
    let catalogue = try PackageFiles.text("share/po/agent.pot")
    let texts = Set(
      catalogue.split(separator: "\n").filter { $0.hasPrefix("msgid \"") }.map { $0.dropFirst(7).dropLast() })
    for template in lookups.all where template != "left-to-right" {
      #expect(texts.contains(template.replacing(each: "\"", with: "\\\"")[...]), "\(template)")
    }
    // Groups of options are listed although a command may have none of some.
    let unused = Set(HelpWriter.texts(of: Main.commands).map { Phrase(stringLiteral: $0).template })
      .subtracting(lookups.all)
    #expect(unused.isSubset(of: OptionGroup.allCases.map(\.rawValue)), "\(unused)")
    #expect(try PackageFiles.text("share/po/help") == Generator.helpTexts.content)
  }
}
