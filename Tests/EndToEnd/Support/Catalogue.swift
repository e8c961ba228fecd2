import Platform
import TestSupport
import Testing

/// The translatable texts of the catalogue. Another check ensures that each is translated.
struct Catalogue: Sendable {
  /// Each split into parts at its values.
  private let texts: [Text]

  private struct Text: Sendable {
    let first: Substring
    let rest: ArraySlice<Substring>

    /// Whether a line contains all parts in order.
    func isWithin(_ line: Substring) -> Bool {
      var left = line
      for part in [first] + rest {
        guard let range = left.firstRange(of: part) else { return false }
        left = left[range.upperBound...]
      }
      return true
    }
  }

  private static let shared = Result { try Catalogue() }

  private init() throws {
    let entries = try PackageFiles.text("share/po/agent.pot").replacing("\"\n\"", with: "").split(separator: "\n")
    texts = entries.compactMap { line -> Text? in
      guard line.hasPrefix("msgid ") || line.hasPrefix("msgid_plural ") else { return nil }
      let text = String(line.drop { $0 != "\"" }.dropFirst().dropLast())
      let parts = Self.parts(
        text.replacing("\\n", with: "\n").replacing("\\\"", with: "\"").replacing("\\\\", with: "\\"))
      // A text that consists only of values cannot be checked.
      return parts.contains { $0.contains(where: \.isLetter) } ? Text(first: parts[0], rest: parts.dropFirst()) : nil
    }
  }

  private static func parts(_ text: String) -> [Substring] {
    text.split(separator: "%", omittingEmptySubsequences: false).enumerated().map { index, part in
      // A value is a percent sign, a number, a dollar sign and a letter.
      guard index > 0, let end = part.firstIndex(of: "$") else { return part }
      return part[end...].dropFirst(2)
    }
  }

  /// The English remains of a translated text: words in it, or in its values, that no text of the catalogue contains.
  func remains(of text: Substring) -> [String] {
    var reader = Reader(texts: texts.filter { $0.isWithin(text) })
    return reader.remains(of: text)
  }

  private struct Reader {
    let texts: [Text]
    private var known: [Substring: [String]] = [:]

    init(texts: [Text]) { self.texts = texts }

    mutating func remains(of text: Substring) -> [String] {
      if let known = known[text] { return known }
      var words = EnglishWords.found(in: String(text))
      if !words.isEmpty {
        for candidate in texts where text.hasPrefix(candidate.first) {
          guard isWhole(text.dropFirst(candidate.first.count), candidate.rest) else { continue }
          words = []
          break
        }
      }
      // A member's name or a standard error may follow a text in parentheses.
      if !words.isEmpty, text.hasSuffix(")"), let bracket = text.lastIndex(of: "("), text[..<bracket].hasSuffix(" "),
        EnglishWords.found(in: String(text[bracket...])).isEmpty, remains(of: text[..<bracket].dropLast()).isEmpty
      {
        words = []
      }
      // A colon may join two texts: an account, host or subject and a text about it, or a failure and its reason.
      for range in text.ranges(of: ": ") where !words.isEmpty {
        let (first, second) = (text[..<range.lowerBound], text[range.upperBound...])
        // An error's name is followed by the server's description.
        let isTold = first.hasSuffix(")") && first.split(separator: "(").last?.contains("_") == true
        if remains(of: first).isEmpty, isTold || remains(of: second).isEmpty { words = [] }
      }
      known[text] = words
      return words
    }

    /// Whether a text consists of the parts with values between them, and no value has untranslated words.
    private mutating func isWhole(_ text: Substring, _ parts: ArraySlice<Substring>) -> Bool {
      guard let part = parts.first else { return text.isEmpty }
      if parts.count == 1 {
        return text.hasSuffix(part) && remains(of: text.dropLast(part.count)).isEmpty
      }
      for range in text.ranges(of: part) {
        if remains(of: text[..<range.lowerBound]).isEmpty, isWhole(text[range.upperBound...], parts.dropFirst()) {
          return true
        }
      }
      return false
    }
  }

  /// Checks that each line printed by a failed command is in the catalogue, with any values.
  static func check(_ result: ProcessResult, of arguments: [String]) throws {
    guard !result.succeeded, !arguments.contains("--json") else { return }
    try check(result.errorText, of: arguments)
  }

  static func check(_ errorText: String, of arguments: [String]) throws {
    let catalogue = try shared.get()
    // Steps are diagnostics for developers, in English.
    let tellsSteps = arguments.contains { $0 == "-v" || $0.contains(" -v ") || $0.contains("--verbose") }
    for line in errorText.split(separator: "\n") {
      guard let prefix = ["agent: error: ", "agent: hint: ", "agent: "].first(where: line.hasPrefix) else { continue }
      if tellsSteps, prefix == "agent: " { continue }
      let text = line.dropFirst(prefix.count)
      var remains = catalogue.remains(of: text)
      // Quoted words are not this program's.
      if !remains.isEmpty, text.contains("\"") {
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
        let own = parts.map { $0.offset % 2 == 0 ? String($0.element) : "x" }.joined(separator: "\"")
        remains = catalogue.remains(of: own[...])
      }
      // A problem with a file follows its path.
      if !remains.isEmpty, text.hasPrefix("/"), let space = text.firstIndex(of: " ") {
        remains = catalogue.remains(of: text[space...].dropFirst())
      }
      // A helper prints the error and, in parentheses, the hint in one line.
      if !remains.isEmpty, text.hasSuffix(")"), let bracket = text.firstRange(of: " (") {
        remains = catalogue.remains(of: text[..<bracket.lowerBound])
        remains += catalogue.remains(of: text[bracket.upperBound...].dropLast())
      }
      #expect(remains.isEmpty, "no other language has \(remains) in \"\(line)\" of \(arguments)")
    }
  }
}

enum EnglishWords {
  /// Words in most English sentences, and in no German one.
  private static let common: Set<String> = [
    "the", "is", "are", "not", "no", "to", "of", "for", "and", "or", "with", "without", "cannot", "must", "there",
    "has",
    "have", "had", "be", "been", "by", "from", "at", "it", "its", "that", "this", "these", "which", "does", "did", "do",
    "done", "only", "than", "if", "then", "your", "you", "needs", "takes", "give", "given", "choose", "again",
    "unknown",
    "value", "wrong", "failed", "denied", "invalid", "missing", "such", "file", "could", "may", "their", "them", "when",
    "where", "who", "one", "every", "any", "nothing", "already", "before", "after", "between", "now", "found", "kept",
  ]

  /// The English words in a text, apart from what is the same in all languages: quotations, URLs, paths, options,
  /// names with a sign or a digit, a server's description, and commands up to the end of a clause.
  static func found(in text: String) -> [String] {
    var words: [String] = []
    for line in text.split(separator: "\n") { words += found(inLine: withoutQuotes(String(line))) }
    return words
  }

  private static func found(inLine line: String) -> [String] {
    var words: [String] = []
    var isCommand = false
    for part in line.split(separator: " ") {
      let word = part.drop { !isLetter($0) }
      let bare = String(word.prefix { isLetter($0) })
      let ends = part.last.map { ";,?.:؛،؟".contains($0) } ?? false
      if part == "agent" || part == "chmod" || part == "ssh" { isCommand = true }
      let isName = part.contains { "/_=@-.0123456789".contains($0) } && !ends || part.hasPrefix("-")
      if !isCommand, !isName, common.contains(bare), String(word).dropFirst(bare.count).allSatisfy({ !isLetter($0) }) {
        words.append(bare)
      }
      if ends { isCommand = false }
    }
    return words
  }

  private static func isLetter(_ character: Character) -> Bool { character.isASCII && character.isLetter }

  /// The text without quotations, and without parentheses that begin with "server:".
  private static func withoutQuotes(_ text: String) -> String {
    var result = ""
    var end: Character?
    for character in text {
      if let closing = end {
        if character == closing { end = nil }
      } else if let closing = quotes[character] {
        end = closing
      } else {
        result.append(character)
        if result.hasSuffix("(server: ") || result.hasSuffix("(Server: ") || result.hasSuffix("(الخادم: ") { end = ")" }
      }
    }
    return result
  }

  private static let quotes: [Character: Character] = ["„": "“", "«": "»", "\"": "\"", "'": "'"]
}
