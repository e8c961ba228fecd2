import Platform

/// A value that several threads may change.
final class Synchronized<Value: Sendable>: Sendable {
  private let state: Monitor<Value>

  init(_ value: Value) { state = Monitor(value) }

  var value: Value { state.withLock { $0 } }

  func update(_ body: (inout Value) -> Void) { state.withLock { body(&$0) } }
}
