package import Encoding

package struct LogEntry: Sendable, Hashable {
  /// In unix seconds.
  package let time: Int
  /// Nil if the event concerns no account.
  package let account: String?
  package let event: LogEvent

  package init(time: Int, account: String?, event: LogEvent) {
    self.time = time
    self.account = account
    self.event = event
  }

  package var line: LogLine {
    let properties = event.properties
    var object = JSONObject([("time", .int(time))])
    object["account"] = account.map { .string($0) }
    object["event"] = .string(properties.code)
    for (name, value) in properties.members { object[name] = value }
    object["text"] = .string(properties.text)
    return LogLine(time: time, json: object)
  }
}

/// A ``LogEntry`` received by a client, with its sentence.
package struct LogLine: EventEntry, Hashable {
  /// In unix seconds.
  package let time: Int
  /// `{"time":…,"account":…,"event":…,"text":…}`, with further members.
  package let json: JSONObject

  fileprivate init(time: Int, json: JSONObject) {
    self.time = time
    self.json = json
  }

  /// Nil without time or event.
  package init?(json: JSON) {
    guard let object = json.object, let time = json["time"]?.int, json["event"]?.string != nil else { return nil }
    self.init(time: time, json: object)
  }

  /// One line without newline; `stamp` formats unix seconds.
  package func text(_ stamp: (Int) -> String) -> String { "\(stamp(time)) \(sentence)" }

  /// Account and sentence or, from an older daemon, code and members.
  package var sentence: String {
    let account = json["account"]?.string.map { "\(TerminalText.clean($0, limit: 64)): " } ?? ""
    return account + TerminalText.clean(json["text"]?.string ?? code, limit: 4096)
  }

  private var code: String {
    var members = json
    for name in ["time", "account", "event"] { members[name] = nil }
    let code = json["event"]?.string ?? ""
    return members.isEmpty ? code : "\(code) \(String(decoding: JSON.object(members).serialized(), as: UTF8.self))"
  }
}
