package import Encoding

/// A line of the daemon's response.
package enum Reply: Sendable, Hashable {
  case event(Event)
  case result(JSONObject)
  case failure(Failure)

  /// With a newline. Not for secrets.
  package func serialized() -> [UInt8] {
    var object = JSONObject([("v", .int(WireProtocol.version))])
    switch self {
    case .event(let event):
      let json = event.json
      for name in json.names { object[name] = json[name] }
    case .result(let result): object["result"] = .object(result)
    case .failure(let failure): object["error"] = failure.json
    }
    return JSON.object(object).serialized() + [UInt8(ascii: "\n")]
  }

  /// For an invalid line. Not stored, so that token requests start faster.
  package static var unreadable: Failure {
    Failure(.internalError, "the daemon's answer has another protocol version", hint: "agent daemon restart")
  }

  /// Not for secrets.
  ///
  /// - Throws: `internal_error` for an invalid line.
  package init(parsing line: Span<UInt8>) throws(Failure) {
    guard let json = try? JSON(parsing: line), json["v"]?.int == WireProtocol.version else { throw Self.unreadable }
    if let error = json["error"] {
      guard let failure = Failure(json: error) else { throw Self.unreadable }
      self = .failure(failure)
    } else if let result = json["result"]?.object {
      self = .result(result)
    } else if let event = Event(json: json) {
      self = .event(event)
    } else {
      throw Self.unreadable
    }
  }
}
