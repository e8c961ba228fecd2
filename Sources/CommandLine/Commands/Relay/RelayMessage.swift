internal import Encoding
internal import Platform
internal import Wire

/// Messages between `agent login` on a host and `agent ssh` on the user's machine: one JSON object per line, without
/// verifiers or tokens. An invalid one ends the connection.
enum RelayMessage {
  /// The directory for sockets in the host's runtime directory.
  static let directoryName = "relays"
  /// The maximum length of a line.
  static let maximumBytes = 2 * LoginStepRequest.maximumURLBytes
  private static let version = 1

  /// Encodes a message. Omits nil members.
  static func line(_ members: [(String, JSON?)]) -> [UInt8] {
    var object = JSONObject([("v", .int(version))])
    for (name, value) in members { object[name] = value }
    return JSON.object(object).serialized() + [UInt8(ascii: "\n")]
  }

  static func object(_ line: [UInt8]) -> JSONObject? {
    guard let object = (try? JSON(parsing: line))?.object, object["v"]?.int == version else {
      return nil
    }
    return object
  }
}

/// A message from the host.
enum RelayRequest: Equatable {
  /// The first message: requests this port for the redirect, or any port if nil.
  case port(UInt16?)
  /// Requests to open a page. The reply is the redirect.
  case open(url: String, issuer: String, account: String)
  /// Reports success for the browser to show. `person` is the user's name, if known.
  case signedIn(person: String?)
  /// Reports a failure's reason for the browser to show.
  case failed(String)

  var line: [UInt8] {
    switch self {
    case .port(let port): RelayMessage.line([("ask", "port"), ("port", port.map { .int(Int($0)) })])
    case .open(let url, let issuer, let account):
      RelayMessage.line([
        ("ask", "open"), ("url", .string(url)), ("issuer", .string(issuer)), ("account", .string(account)),
      ])
    case .signedIn(let person): RelayMessage.line([("ask", "show"), ("person", person.map(JSON.string))])
    case .failed(let reason): RelayMessage.line([("ask", "show"), ("failure", .string(reason))])
    }
  }

  init?(_ line: [UInt8]) {
    guard let object = RelayMessage.object(line), let word = object["ask"]?.string else { return nil }
    switch word {
    case "port":
      guard let number = object["port"] else {
        self = .port(nil)
        return
      }
      guard let port = number.int.flatMap({ UInt16(exactly: $0) }), port > 0 else { return nil }
      self = .port(port)
    case "open":
      guard let url = object["url"]?.string, let issuer = object["issuer"]?.string,
        let account = object["account"]?.string
      else { return nil }
      self = .open(url: url, issuer: issuer, account: account)
    case "show":
      self = object["failure"]?.string.map { .failed($0) } ?? .signedIn(person: object["person"]?.string)
    default: return nil
    }
  }
}

/// A message from the user's machine.
enum RelayAnswer: Equatable {
  case port(UInt16)
  /// The redirect URL that the browser opened.
  case redirect(String)
  case refused(RelayRefusal)

  var line: [UInt8] {
    switch self {
    case .port(let port): RelayMessage.line([("port", .int(Int(port)))])
    case .redirect(let url): RelayMessage.line([("redirect", .string(url))])
    case .refused(let refusal): RelayMessage.line([("refused", .string(refusal.rawValue))])
    }
  }

  init?(_ line: [UInt8]) {
    guard let object = RelayMessage.object(line) else { return nil }
    if let port = object["port"]?.int.flatMap({ UInt16(exactly: $0) }), port > 0 {
      self = .port(port)
    } else if let url = object["redirect"]?.string {
      self = .redirect(url)
    } else if let word = object["refused"]?.string {
      self = .refused(RelayRefusal(rawValue: word) ?? .declined)
    } else {
      return nil
    }
  }
}

/// Why `agent ssh` does not help with a sign-in.
enum RelayRefusal: String, Error, CaseIterable {
  /// Another sign-in is pending.
  case busy
  /// The host asked too often in the past hour.
  case limit
  case portTaken = "port_taken"
  /// The page is not a verifiable authorization request.
  case notAuthorization = "not_authorization"
  case declined
  case noTerminal = "no_terminal"
  /// The user did not answer in time.
  case late
  /// The connection has ended. Never sent to the host.
  case lost

  var phrase: Phrase {
    switch self {
    case .busy: Phrase("your own machine does not open the page: another sign-in is waiting there")
    case .limit: Phrase("your own machine does not open the page: it was asked too often in the last hour")
    case .portTaken:
      Phrase("your own machine does not open the page: the port of the registered redirect URI is in use there")
    case .notAuthorization:
      Phrase(
        "your own machine does not open the page: it opens only authorization requests over https that it can check")
    case .declined: Phrase("your own machine does not open the page: that was declined")
    case .noTerminal: Phrase("your own machine does not open the page: it has no terminal to ask on")
    case .late: Phrase("your own machine does not open the page: there was no answer in time")
    case .lost: Phrase("the connection to your own machine was lost")
    }
  }
}

struct RelayLines {
  private var bytes: [UInt8] = []

  /// `incomplete` if the line has not ended, `tooLong` over the maximum.
  enum LineResult { case incomplete, line([UInt8]), tooLong }

  mutating func nextLine() -> LineResult {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
      return bytes.count > RelayMessage.maximumBytes ? .tooLong : .incomplete
    }
    guard end <= RelayMessage.maximumBytes else { return .tooLong }
    let line = Array(bytes[..<end])
    bytes = Array(bytes[(end + 1)...])
    return .line(line)
  }

  /// Reads the available input; false if the connection has ended.
  mutating func fill(from socket: borrowing FileDescriptor) -> Bool {
    do throws(SystemError) {
      return try socket.readNow(into: &bytes, upTo: RelayMessage.maximumBytes) > 0
    } catch {
      return error.wouldBlock
    }
  }
}
