internal import CPlatform
internal import Glibc

extension Signals {
  /// Receives signals in a poll loop (`signalfd(2)`).
  package struct SignalReceiver: ~Copyable, Sendable {
    private let descriptor: FileDescriptor

    package var raw: Int32 { descriptor.raw }

    /// Blocks and receives the signals. Create it before other threads, which would receive them instead.
    package init(_ signals: [Int32]) throws(SystemError) {
      Signals.block(signals)
      let result = unsafe signals.withUnsafeBufferPointer { (numbers) -> Int32 in
        guard let start = numbers.baseAddress else { return -EINVAL }
        return unsafe agent_signal_descriptor(start, numbers.count)
      }
      descriptor = FileDescriptor(owning: try SystemCall.checked(result, "signalfd"))
    }

    /// Nil if no signal is pending. Never blocks. Equal signals may merge.
    package borrowing func next() -> Int32? { nextWithOrigin()?.signal }

    /// Also returns whether the signal is from the kernel, as after Ctrl-C.
    package borrowing func nextWithOrigin() -> (signal: Int32, isFromKernel: Bool)? {
      var isFromKernel: Int32 = 0
      let number = unsafe agent_signal_next(raw, &isFromKernel)
      return number > 0 ? (number, isFromKernel != 0) : nil
    }
  }
}
