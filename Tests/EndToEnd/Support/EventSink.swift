import Encoding
import Platform
import TestSupport
import Testing

/// An event command that records its input.
enum EventSink {
  /// The command in settings. Each run writes its own file, because runs are concurrent.
  static func command(_ tree: AgentTree) throws -> JSON {
    _ = try tree.directory.open("sink")
    return [
      "run": [
        "/bin/sh", "-c", .string("cat >'\(tree.path("sink"))'/$$.part; cd '\(tree.path("sink"))'; mv $$.part $$"),
      ]
    ]
  }

  /// Waits until the command has received exactly these events, in any order.
  static func await(_ events: [String], in tree: AgentTree) throws {
    let deadline = Instant.now.advanced(by: .testLimit)
    while true {
      let received = try received(tree)
      if received == events.sorted() { return }
      try #require(Instant.now < deadline, "\(received) is not \(events.sorted())")
      Threads.sleep(for: .milliseconds(20))
    }
  }

  private static func received(_ tree: AgentTree) throws -> [String] {
    let folder = try tree.directory.open("sink")
    return try folder.fileNames().filter { !$0.hasSuffix(".part") }.map { name in
      let text = String(decoding: try tree.directory.read("sink/\(name)"), as: UTF8.self)
      #expect(text.hasSuffix("\n") && text.split(separator: "\n").count == 1)
      var object = try #require(JSON(parsing: Array(text.utf8)).object)
      object["time"] = nil
      if object["expires_at"] != nil { object["expires_at"] = "T" }
      return String(decoding: JSON.object(object).serialized(), as: UTF8.self)
    }.sorted()
  }
}

extension AgentTree {
  func setCommands(_ commands: [JSON]) throws {
    let folder = try PrivateDirectory(opening: path("config/agent"), create: true)
    var settings = JSONObject([("version", 2)])
    if folder.exists("config.json") {
      settings = try #require(JSON(parsing: try folder.readFile("config.json", limit: 1 << 20)).object)
    }
    settings["on"] = .array(commands)
    try folder.replaceFile("config.json", with: JSON.object(settings).serialized().span)
  }
}
