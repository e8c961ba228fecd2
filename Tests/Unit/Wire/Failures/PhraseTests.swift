import Encoding
import Testing
import WireSupport

@testable import Wire

@Suite struct `A text with values` {
  @Test func `tells a client which part of a hint is a command, and how that differs from the one that failed`() throws
  {
    let command = Correction(
      "agent login --use --issuer https://b/", adding: [.init("use"), .init("issuer", "https://b/")],
      removing: ["no-input"])
    for hint in [Phrase(command), "so: \(command)", Phrase("\(Phrase("so: \(command)")); or else")] {
      let failure = Failure(.network, "x", hint: hint)
      #expect(failure.hint?.contains(command.command) == true)
      let read = try #require(Failure(json: try JSON(parsing: failure.json.serialized())))
      #expect(read.words == failure.words && read.advice == hint)
      let own = read.advice?.correcting { $0 == command ? "mine" : nil }.english
      #expect(own == failure.hint?.replacing(command.command, with: "mine"))
    }
    // A client without a better command keeps it, and a hint of another form is read as text.
    #expect(Phrase(command).correcting { _ in nil }.english == command.command)
    let odd = #"{"code":"network","message":"x","hint":"c","hint_template":"%1$s","hint_values":[{"command":"c"}]}"#
    #expect(Failure(json: try JSON(parsing: Array(odd.utf8)))?.hint == "c")
  }

  @Test func `has a command only where this program put one, and only one`() throws {
    let login = "agent login work --scope 'a b'"
    let change = Correction("agent login work", adding: [.init("scope", "a b")], removing: [])
    for (hint, command) in [
      (.command(login), login), (Phrase("if so: \(login)").withCommandAtEnd(login), login),
      ("if so: \(Phrase.command(login))", login),
      ("if so: \(change)", "agent login work"), ("\(change); or \(Phrase.command(login))", nil),
      ("\(": agent login evil")", nil), ("agent login work", nil),
    ] as [(Phrase, String?)] {
      let failure = Failure(.network, "x", hint: hint)
      #expect(hint.command == command)
      let read = try #require(Failure(json: try JSON(parsing: failure.json.serialized())))
      #expect(read.advice?.command == command && read.hint == hint.english)
    }
    #expect(Phrase("so: \(change)").correcting { _ in login }.command == login)
  }

  @Test func `keeps a template and the values apart`() {
    let place = "https://id.example"
    let phrase: Phrase = "sign in to \(place) within \(5) minutes: 100 %"
    #expect(phrase.template == "sign in to %1$s within %2$s minutes: 100 %%")
    #expect(phrase.values == [.text(place), .text("5")])
    #expect(phrase.english == "sign in to https://id.example within 5 minutes: 100 %")
    let outer: Phrase = "\(phrase), please"
    #expect(outer.template == "%1$s, please" && outer.values == [.phrase(phrase)])
    #expect(outer.english == "\(phrase.english), please")
  }

  static let templates: [(String, String)] = [
    ("%2$s by %1$s", "b by a"), ("%1$s%1$s", "aa"), ("%3$s", "%3$s"), ("%0$s", "%0$s"),
    ("%s %n %x %1$n", "%s %n %x %1$n"),
    ("%", "%"), ("%%1$s", "%1$s"), ("%1", "%1"), ("%1$", "%1$"), ("%99999999999999999999$s", "%99999999999999999999$s"),
    ("%-1$s", "%-1$s"), ("", ""), ("%%", "%"),
  ]

  @Test(arguments: templates) func `knows no more of a template than the places of values`(
    template: String, expected: String
  ) {
    #expect(Phrase.rendered(template, ["a", "b"]) == expected)
  }

  @Test func `does not look for places in a value`() {
    #expect(Phrase.rendered("%1$s and %2$s", ["%2$s", "%%"]) == "%2$s and %%")
    let value = "%1$s %s %%"
    #expect(Phrase("<\(value)>").english == "<%1$s %s %%>")
    #expect(Phrase(verbatim: value).english == value)
    #expect(Phrase(stringLiteral: value).english == value)
  }

  @Test func `isolates values, but for those in a command`() {
    #expect(Phrase.rendered("%1$s: %2$s", ["a", "b"], isolated: [0, 1]) == "\u{2068}a\u{2069}: \u{2068}b\u{2069}")
    #expect(Phrase.rendered("%1$s: %2$s", ["a", "b"], isolated: [1]) == "a: \u{2068}b\u{2069}")
    #expect(Phrase.rendered("تلميح: agent login %1$s", ["a"], isolated: [0]) == "تلميح: agent login a")
    #expect(Phrase.rendered("agent login%1$s --paste", [" a"], isolated: [0]) == "agent login a --paste")
  }

  @Test func `has the number of its count in English`() {
    func files(_ count: Int) -> Phrase { .counted(count, one: "\(count) file", other: "\(count) files") }
    #expect([0, 1, 2].map { files($0).english } == ["0 files", "1 file", "2 files"])
  }

  private static func sent(_ failure: Failure) throws -> Failure? {
    Failure(json: try JSON(parsing: failure.json.serialized()))
  }

  @Test func `crosses the socket with a failure`() throws {
    let origin = "https://a.example"
    let inner: Phrase = "the server \(origin)"
    let failure = Failure(.network, "cannot reach \(inner)", hint: "agent doctor \(1)")
    let sent = try #require(try Self.sent(failure))
    #expect(sent.words == failure.words && sent.text == failure.text && sent.advice == failure.advice)
    #expect(failure.json["message"] == "cannot reach the server https://a.example")
    #expect(failure.json["message_template"] == "cannot reach %1$s")
    #expect(failure.json["hint_values"] == ["1"])
    // A complete text needs no template.
    let fixed = Failure(.cancelled, "cancelled")
    #expect(fixed.json.object?.names == ["code", "message"])
    #expect(try Self.sent(fixed)?.text == "cancelled")
    let verbatim = Failure(.storage, verbatim: "a" + "b %", hint: nil)
    #expect(verbatim.json.object?.names == ["code", "message"] && verbatim.message == "ab %")
  }

  static let senseless = [
    #"{"code":"network","message":"a b","message_template":"a %1$s","message_values":["c"]}"#,
    #"{"code":"network","message":"a b","message_template":"a %1$s","message_values":[7]}"#,
    #"{"code":"network","message":"a b","message_template":"a %1$s"}"#,
    #"{"code":"network","message":"a b","message_template":7,"message_values":["b"]}"#,
    #"{"code":"network","message":"a b","message_values":[{"template":"x"}]}"#,
  ]

  @Test(arguments: senseless) func `is told in English where its form makes no sense`(line: String) throws {
    let failure = try #require(Failure(json: try JSON(parsing: Array(line.utf8))))
    #expect(failure.words == Failure(.network, "a b").words && failure.text == "a b")
  }

  @Test func `has no characters that a terminal would obey`() throws {
    let line =
      #"{"code":"network","message":"a\u001b[2J","message_template":"a\u001b%1$s","message_values":["\u001b[2J"]}"#
    let failure = try #require(Failure(json: try JSON(parsing: Array(line.utf8))))
    #expect(failure.message == "a[2J")
  }
}
