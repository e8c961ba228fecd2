internal import Glibc

/// Pages of memory that belong to one owner: they are in no core file, and zero in a child process. A page that is not
/// used costs nothing.
@safe package final class PrivateMapping: @unchecked Sendable {
  /// The first byte; zero until it is written to, as are all others.
  package let start: UnsafeMutableRawPointer
  package let byteCount: Int

  /// - Parameter byteCount: At least 1.
  package init(byteCount: Int) throws(SystemError) {
    let start = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let start = unsafe start, unsafe start != MAP_FAILED else {
      throw SystemError(errno: errno, operation: "mmap")
    }
    unsafe self.start = start
    self.byteCount = byteCount
    _ = unsafe madvise(start, byteCount, MADV_DONTDUMP)
    _ = unsafe madvise(start, byteCount, MADV_WIPEONFORK)
  }

  deinit { unsafe munmap(start, byteCount) }

  /// Pages are larger on some machines, and multiples of this everywhere.
  private static let smallestPage = 4096

  /// Keeps the pages of these bytes out of the swap space, as far as the limit on locked memory allows.
  ///
  /// - Parameter isContinued: Whether that was done for the byte before them, and so for the rest of its page.
  package func lock(_ bytes: UnsafeMutableRawBufferPointer, isContinued: Bool = false) {
    guard let first = bytes.baseAddress else { return }
    let offset = unsafe first - start
    let page = Self.smallestPage
    let begin = isContinued ? (offset + page - 1) / page * page : offset
    let end = offset + bytes.count
    if begin < end { _ = unsafe mlock(start + begin, end - begin) }
  }
}
