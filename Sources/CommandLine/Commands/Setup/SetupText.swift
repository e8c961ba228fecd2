internal import Encoding
internal import Wire

struct SetupOutcome: Sendable {
  enum State: String, CaseIterable, Sendable {
    case setUp = "set_up"
    /// The settings already exist.
    case unchanged
    /// With `--dry-run`: the lines would be added.
    case proposed
    /// With `--print`: the settings were printed, not written.
    case printed
    /// The test got a token.
    case works
    case undone
    /// The addition to undo no longer exists.
    case missing
    /// The addition was changed, so `setup` kept it.
    case changed
  }

  var client: SetupClient
  var url: String?
  var account: String?
  var file: String?
  var state: State
  var text: [String] = []

  var json: JSONObject {
    var object = JSONObject([("client", .string(client.name)), ("state", .string(state.rawValue))])
    object["host"] = url.map { .string($0) }
    object["account"] = account.map { .string($0) }
    object["file"] = file.map { .string($0) }
    if !text.isEmpty { object["text"] = .string(text.joined(separator: "\n") + "\n") }
    return object
  }

  var subject: String { url.map { "\(client.name) \($0)" } ?? client.name }

  var phrase: Phrase {
    let file = file ?? ""
    return switch state {
    case .setUp: Phrase("\(subject) is set up: \(file)")
    case .unchanged: Phrase("\(subject) is already set up: \(file)")
    case .proposed: Phrase("nothing changed; would add to \(file):")
    case .printed: Phrase("nothing changed; add this to \(file):")
    case .works: Phrase("\(subject) gets a token of \(account ?? "")")
    case .undone: Phrase("removed \(subject) from \(file)")
    case .missing: Phrase("\(subject) is no longer in \(file)")
    case .changed: Phrase("\(subject) was changed after setup and remains in \(file)")
    }
  }
}

enum SetupList {
  static func json(_ receipts: SetupReceipts) -> JSONObject {
    let clients = SetupClient.all.map { client in
      var object = JSONObject([("client", .string(client.name))])
      object["program"] = client.path.map { .string($0) }
      object["printed_only"] = .bool(client.isPrintedOnly)
      object["set_up"] = .array(
        receipts.all.filter { $0.client == client }.map { receipt in .object(receipt.outcome.json) })
      return JSON.object(object)
    }
    return JSONObject([("clients", .array(clients))])
  }

  static func text(_ result: JSONObject) -> String {
    var listing = Listing()
    for client in result["clients"]?.array ?? [] {
      let done = client["set_up"]?.array ?? []
      guard client["program"] != nil || !done.isEmpty else { continue }
      let start = [client["client"]?.string ?? "?", client["program"]?.string ?? "-"].map { Phrase(verbatim: $0) }
      if done.isEmpty {
        listing.add(start + [client["printed_only"]?.bool == true ? Phrase("add by hand") : Phrase("not set up")])
      }
      for outcome in done {
        let account = outcome["account"]?.string ?? "?"
        let text = outcome["host"]?.string.map { Phrase("\($0) for \(account)") } ?? Phrase("set up")
        listing.add(
          start + [
            outcome["state"]?.string == SetupOutcome.State.setUp.rawValue
              ? text : Phrase("\(text), changed after setup")
          ])
      }
    }
    return listing.text()
  }
}

extension SetupReceipt {
  var outcome: SetupOutcome {
    let isThere = addition.map { addition in
      (try? SetupFile(file).read()).flatMap { $0 }.map { addition.isIn($0) } ?? false
    }
    return SetupOutcome(
      client: client, url: url, account: account, file: file, state: isThere ?? true ? .setUp : .changed)
  }
}
