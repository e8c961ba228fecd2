package import Crypto
internal import Vocabulary

/// One request to a resource, without what proves that it may be made.
package struct ResourceRequest: Sendable {
  package var method: ResourceMethod
  package var endpoint: Endpoint
  package var fields: [ResourceField]
  package var transport: Transport
  /// How long nothing may move between here and the server. The length of a transfer has no limit.
  package var stallSeconds: Int
  /// The same once the head of the answer is there; 0 is without a limit, nil the same as before.
  package var idleSeconds: Int?
  /// The access token, if the answer goes to a peer of a lease and is cut off where it contains the token.
  package var withheld: SharedSecret?
  /// Ends the request early from another thread.
  package var cancellation: Cancellation

  /// Whether an HTTP/1.1 connection may be kept after this request. A server that reads a message differently takes a part of
  /// it for the next request (RFC 9112 section 9.3), which would then escape the limits of a lease. HTTP/2 frames each
  /// request.
  ///
  /// - Parameter hasContent: Whether the request has a body.
  package func mayKeepConnection(hasContent: Bool) -> Bool {
    guard let lease = transport.connectionGroup?.lease else { return !hasContent || method.definesContent }
    return !hasContent && !lease.isNarrow
  }

  package init(
    method: ResourceMethod, endpoint: Endpoint, fields: [ResourceField] = [], transport: Transport,
    stallSeconds: Int, idleSeconds: Int? = nil, withheld: SharedSecret? = nil, cancellation: Cancellation
  ) {
    self.idleSeconds = idleSeconds
    self.withheld = withheld
    self.method = method
    self.endpoint = endpoint
    self.fields = fields
    self.transport = transport
    self.stallSeconds = stallSeconds
    self.cancellation = cancellation
  }
}

/// A header field whose value is secret.
package struct SecretField: Sendable {
  package let name: String
  package let value: SharedSecret

  package init(_ name: String, _ value: SharedSecret) {
    self.name = name
    self.value = value
  }
}

/// Status and header fields of an answer.
package struct ResourceHead: Sendable {
  package let status: Int
  package let headers: HTTPHeaders

  package init(status: Int, headers: HTTPHeaders) {
    self.status = status
    self.headers = headers
  }
}

/// An answer whose content went to a ``ResourceReceiver``.
package struct ResourceResponse: Sendable {
  package let head: ResourceHead
  /// How many bytes of content the receiver took.
  package let contentBytes: Int
  /// The content that is still to come, where the server was silent for a moment; nil if all of it is there.
  package let pending: (any PendingContent)?

  package init(head: ResourceHead, contentBytes: Int, pending: (any PendingContent)? = nil) {
    self.head = head
    self.contentBytes = contentBytes
    self.pending = pending
  }
}

/// The content of an answer that is still to come. No thread of the caller waits for it.
package protocol PendingContent: Sendable {
  /// Passes the content to the receiver as it comes. Called once at most; without it the answer is given up.
  ///
  /// - Parameter finish: Called once, on another thread, with the number of all bytes of content that the receiver took.
  func receive(_ finish: @escaping @Sendable (Result<Int, HTTPFailure>) -> Void)
}

/// Where the content of a request comes from. Used by one thread at a time.
package protocol ResourceContent: AnyObject, Sendable {
  /// In bytes; nil when it is known only at the end.
  var length: Int? { get }
  /// Whether ``rewind()`` would work now.
  var canRewind: Bool { get }
  /// Becomes readable when there is more after a `later`.
  var descriptor: Int32 { get }
  /// Fills the start of `space`. Never waits.
  func read(into space: inout MutableSpan<UInt8>) -> ResourceContentPart
  /// Goes back to the first byte.
  func rewind()
}

/// The result of one read of a ``ResourceContent``.
package enum ResourceContentPart: Sendable, Hashable {
  case bytes(Int)
  case end
  /// Nothing yet.
  case later
  /// It cannot be read, or is shorter than it said.
  case failed
}

/// Where the content of an answer goes. Used by one thread at a time.
package protocol ResourceReceiver: AnyObject, Sendable {
  /// Becomes writable when there is room again.
  var descriptor: Int32 { get }
  /// Takes the head of the answer, before any content.
  ///
  /// - Returns: Whether the content is wanted. Of what is not, only a little is read.
  func begin(_ head: ResourceHead) -> Bool
  /// Takes as many of the bytes as there is room for. Never waits.
  ///
  /// - Returns: The number of bytes taken; nil when the receiver wants no more.
  func take(_ bytes: Span<UInt8>) -> Int?
}
