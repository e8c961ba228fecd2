internal import Glibc

/// Memory pages with one owner, excluded from core dumps and zero in a child process.
@safe package final class PrivateMapping: @unchecked Sendable {
  /// All bytes are initially zero.
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

  private static let minimumPageBytes = 4096

  /// Keeps these bytes out of the swap space, if the limit for locked memory allows. `isContinued`: the preceding
  /// byte's page is locked.
  package func lock(_ bytes: UnsafeMutableRawBufferPointer, isContinued: Bool = false) {
    guard let first = bytes.baseAddress else { return }
    let offset = unsafe first - start
    let page = Self.minimumPageBytes
    let begin = isContinued ? (offset + page - 1) / page * page : offset
    let end = offset + bytes.count
    if begin < end { _ = unsafe mlock(start + begin, end - begin) }
  }
}
