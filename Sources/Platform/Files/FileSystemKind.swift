internal import CPlatform

/// The kind of a file system, by its number in the kernel (statfs(2)).
package struct FileSystemKind: Sendable, Hashable {
  private let number: UInt32

  package init(number: UInt32) { self.number = number }

  /// Nil if the path does not exist.
  package init?(at path: String) {
    let kind = unsafe agent_file_system_kind(path)
    guard kind >= 0 else { return nil }
    self.init(number: UInt32(truncatingIfNeeded: kind))
  }

  /// Whether its files exist in memory only: tmpfs and ramfs.
  package var isMemory: Bool { number == 0x0102_1994 || number == 0x8584_58F6 }

  /// Whether `chmod` has no effect, as on file systems of Windows, even if shared by SMB or WSL.
  package var ignoresModes: Bool {
    switch number {
    // FAT, exFAT, NTFS by both drivers, 9P, SMB by all three protocols.
    case 0x4D44, 0x2011_BAB0, 0x7366_746E, 0x5346_544E, 0x0102_1997, 0x517B, 0xFF53_4D42, 0xFE53_4D42: true
    default: false
    }
  }
}
