package import Crypto

package struct Versioned<Document: Sendable>: Sendable {
  package let document: Document
  /// Higher for later fetches by this process; 0 if fetched elsewhere.
  let version: Int

  /// Wraps a document that never changes.
  package init(_ document: Document) { self.init(document, version: 0) }

  init(_ document: Document, version: Int) {
    self.document = document
    self.version = version
  }

  package func isNewer(than other: Versioned) -> Bool { version > other.version }

  func map(_ change: (Document) -> Document) -> Versioned { Versioned(change(document), version: version) }
}

extension Versioned where Document == JWKSet {
  package var keys: JWKSet { document }
}
