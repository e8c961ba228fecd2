internal import Encoding

/// A command in a hint: the failed one with other options, or a sign-in. Clients apply it to the user's command line,
/// so that the hint runs as shown (invariant: hints run).
package struct Correction: Sendable, Hashable {
  private static let maximumChanges = 16

  /// The account's option, also accepted as an operand.
  package static let account = "account"

  /// Quoted for `sh`.
  package let command: String

  /// The options to add or replace.
  package let added: [Addition]

  /// The options to remove, without dashes.
  package let removed: [String]

  /// An option without dashes; the value is nil for a switch.
  package struct Addition: Sendable, Hashable {
    /// The option, without dashes.
    package let name: String
    package let value: String?

    package init(_ name: String, _ value: String? = nil) {
      self.name = name
      self.value = value
    }
  }

  package init(_ command: String, adding added: [Addition], removing removed: [String]) {
    self.command = command
    self.added = added
    self.removed = removed
  }

  var json: JSON {
    let added = self.added.map { addition in
      var object = JSONObject([("option", .string(addition.name))])
      object["value"] = addition.value.map { .string($0) }
      return JSON.object(object)
    }
    return .object(
      JSONObject([
        ("command", .string(command)), ("add", .array(added)), ("remove", .array(removed.map { .string($0) })),
      ]))
  }

  /// Nil if malformed or too long.
  init?(_ json: JSON) {
    guard let command = json["command"]?.string, let added = json["add"]?.array, let removed = json["remove"]?.array,
      added.count + removed.count <= Self.maximumChanges
    else { return nil }
    self.init(
      TerminalText.clean(command, limit: 16_384),
      adding: added.compactMap { addition in
        addition["option"]?.string.map { Addition($0, addition["value"]?.string) }
      },
      removing: removed.compactMap(\.string))
    guard self.added.count == added.count, self.removed.count == removed.count else { return nil }
  }
}

extension Phrase {
  /// Replaces each correction's command by the result of `command`, if any.
  package func correcting(_ command: (Correction) -> String?) -> Phrase {
    guard plural == nil else { return self }
    let corrected = values.map { (value) -> Value in
      switch value {
      case .text: value
      case .phrase(let phrase): .phrase(phrase.correcting(command))
      case .command(let correction): .phrase(.command(command(correction) ?? correction.command))
      }
    }
    return Phrase(template: template, values: corrected).withCommandAtEnd(finalCommand)
  }

  /// All corrections, also nested ones.
  package var corrections: [Correction] {
    values.flatMap { (value) -> [Correction] in
      switch value {
      case .text: []
      case .phrase(let phrase): phrase.corrections
      case .command(let correction): [correction]
      }
    }
  }
}
