internal import CPlatform
internal import Glibc

extension Signals {
  /// Receives signals as events of a poll loop (`signalfd(2)`), so that no code runs in a handler.
  package struct SignalReceiver: ~Copyable, Sendable {
    private let descriptor: FileDescriptor

    package var raw: Int32 { descriptor.raw }

    /// Blocks the signals in the calling thread and receives them. Create it before other threads, which would receive
    /// them instead.
    package init(_ signals: [Int32]) throws(SystemError) {
      Signals.block(signals)
      let result = unsafe signals.withUnsafeBufferPointer { (numbers) -> Int32 in
        guard let start = numbers.baseAddress else { return -EINVAL }
        return unsafe agent_signal_descriptor(start, numbers.count)
      }
      descriptor = FileDescriptor(owning: try SystemCall.checked(result, "signalfd"))
    }

    /// Nil if no signal is pending. Never blocks. Equal signals may be merged.
    package borrowing func next() -> Int32? { nextWithOrigin()?.signal }

    /// Also returns whether the signal is from the kernel, which sends that of Ctrl-C to all foreground processes.
    package borrowing func nextWithOrigin() -> (signal: Int32, isFromKernel: Bool)? {
      var isFromKernel: Int32 = 0
      let number = unsafe agent_signal_next(raw, &isFromKernel)
      return number > 0 ? (number, isFromKernel != 0) : nil
    }
  }
}
