internal import Platform
internal import Wire

/// Requests a credential as the client does, without showing it.
struct SetupTrial {
  private let program: InstalledProgram
  private let words: [String]
  private let input: String
  /// Environment variables to set, or to unset if nil.
  private let changes: [String: String?]
  /// The start of one line of a successful response.
  private let expected: String

  /// `name` is an absolute path or on the `PATH`. `words` are the arguments.
  init(
    _ name: String, _ words: [String], input: String = "", changes: [String: String?] = [:], expected: String = ""
  ) throws(Failure) {
    guard let program = InstalledProgram(name) else { throw Self.missing(name) }
    (self.program, self.words, self.input) = (program, words, input)
    (self.changes, self.expected) = (changes, expected)
  }

  /// Calls this program by a link's name.
  init(
    link name: String, _ context: SetupContext, _ words: [String], input: String = ""
  ) throws(Failure) {
    guard context.path(of: name) != nil else { throw Self.missing(name) }
    try self.init(name, words, input: input)
  }

  private static func missing(_ name: String) -> Failure {
    Failure(.invalidConfiguration, "\(name) in PATH is missing or not this program")
  }

  /// Throws `missing_value` if no credential is returned. `showsErrors` lets the user see the client's errors.
  func run(showsErrors: Bool) throws(Failure) {
    var result: InstalledProgram.Result
    do {
      result = try program.run(words, input: Array(input.utf8), changes: changes, showsErrors: showsErrors)
    } catch {
      throw Failure(error, doing: Phrase("cannot run \(program.path)"))
    }
    defer { result.output.overwrite() }
    let isGood = result.output.split(separator: UInt8(ascii: "\n")).contains { $0.starts(with: expected.utf8) }
    guard result.succeeded, isGood else {
      throw Failure(.missingValue, Phrase("\(program.path) returned no credentials"), hint: "agent status")
    }
  }
}

extension InstalledProgram {
  /// The output of a command that prints settings.
  func settings(
    _ words: [String], input: [UInt8] = [], changes: [String: String?] = [:]
  ) throws(Failure) -> [UInt8] {
    let result: InstalledProgram.Result
    do {
      result = try run(words, input: input, changes: changes, limit: 1 << 22)
    } catch {
      throw Failure(error, doing: Phrase("cannot run \(path)"))
    }
    guard result.succeeded else {
      throw Failure(.invalidConfiguration, "\(path) cannot read its settings, which were not changed")
    }
    return result.output
  }
}
