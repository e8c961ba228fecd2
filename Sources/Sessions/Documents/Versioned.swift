package import JOSE

/// A document with a version number that grows with each fetch.
package struct Versioned<Document: Sendable>: Sendable {
  package let document: Document
  /// Larger than that of every document that this process got from the network before; 0 for one that it did not.
  let version: Int

  /// Wraps a document that never changes.
  package init(_ document: Document) { self.init(document, version: 0) }

  init(_ document: Document, version: Int) {
    self.document = document
    self.version = version
  }

  package func isNewer(than other: Versioned) -> Bool { version > other.version }

  /// The same version, seen in another way.
  func map(_ change: (Document) -> Document) -> Versioned { Versioned(change(document), version: version) }
}

extension Versioned where Document == JWKSet {
  package var keys: JWKSet { document }
}
