internal import Encoding
internal import Platform
internal import Wire

/// A command's HTTP variables: each origin's local URL, and a token valid only there.
struct LentHTTP {
  struct ServedOrigin {
    let request: LeaseHTTPRequest
    let listener: SharedDescriptor
    let port: UInt16
  }

  struct OpenSockets {
    /// Emptied after passing the sockets to `agent-lease`, so that they close with it.
    var origins: [ServedOrigin] = []
    /// As `NAME=VALUE`.
    var variables: [[UInt8]] = []

    func adding(to environment: [[UInt8]]) -> [[UInt8]] {
      let names = variables.map { Array($0.prefix { $0 != UInt8(ascii: "=") }) + [UInt8(ascii: "=")] }
      return environment.filter { entry in !names.contains { entry.starts(with: $0) } } + variables
    }
  }

  /// Nil without HTTP.
  private let tokenVariable: String?
  private var originVariables: [(variable: String, entry: OriginEntry)] = []

  /// The length before hexadecimal encoding.
  private static let tokenBytes = 32

  /// Reads `--url-as` and `--token-as`. Throws `invalid_request` if they conflict.
  init(_ invocation: Invocation) throws(Failure) {
    let (names, origins) = (invocation[.urlVariables], invocation[.leaseOrigins])
    tokenVariable = invocation[.tokenVariable]
    guard let tokenVariable else {
      guard names.isEmpty else { throw Failure(.invalidRequest, "\"--url-as\" requires \"--token-as\"") }
      return
    }
    guard !names.isEmpty, names.count <= origins.count else {
      throw Failure(
        .invalidRequest, "\"--url-as\" needs one variable for each \"--only\", in the same order",
        hint: "agent help exec")
    }
    for name in names + [tokenVariable] {
      guard VariableName.isWellFormed(name[...].utf8), !VariableName.isRefused(name) else {
        throw Failure(
          .invalidRequest, Phrase("\(TokenShape.redacted(name)) is not a variable that a lease sets"),
          hint: "agent help env")
      }
    }
    for (name, text) in zip(names, origins) {
      guard let entry = OriginEntry(text, allowHTTPLoopback: true), !entry.isMail else {
        throw Failure(.invalidRequest, "a lease accepts only hosts, origins and URLs without a query")
      }
      originVariables.append((name, entry))
    }
  }

  var usesHTTP: Bool { tokenVariable != nil }

  /// Opens the sockets and creates the token. `listen` returns an origin's socket and port.
  func open(
    by listen: (_ index: Int) throws(Failure) -> (SharedDescriptor, UInt16) = Self.listen
  ) throws(Failure) -> OpenSockets {
    guard let tokenVariable else { return OpenSockets() }
    let token = HexDigit.text(Randomness.bytes(Self.tokenBytes))
    var opened = OpenSockets(variables: [Array("\(tokenVariable)=\(token)".utf8)])
    for (index, (name, entry)) in originVariables.enumerated() {
      let (listener, port) = try listen(index)
      let base = "http://127.0.0.1:\(port)"
      let request = LeaseHTTPRequest(origin: entry.origin, localOrigin: base, token: token)
      opened.origins.append(ServedOrigin(request: request, listener: listener, port: port))
      opened.variables.append(Array("\(name)=\(base)\(entry.path)".utf8))
    }
    return opened
  }

  /// Opens any loopback port.
  private static func listen(_ index: Int) throws(Failure) -> (SharedDescriptor, UInt16) {
    do {
      let listener = SharedDescriptor(try UnixSocket.listenLoopback(port: 0))
      return (listener, try UnixSocket.localPort(listener.descriptor))
    } catch {
      throw Failure(error, doing: "cannot open a port on this machine")
    }
  }
}
