internal import CPlatform

/// A kind of file system, by its kernel number (statfs(2)).
package struct FileSystemKind: Sendable, Hashable {
  private let number: UInt32

  package init(number: UInt32) { self.number = number }

  package init?(at path: String) {
    let kind = unsafe agent_file_system_kind(path)
    guard kind >= 0 else { return nil }
    self.init(number: UInt32(truncatingIfNeeded: kind))
  }

  /// True for tmpfs and ramfs.
  package var isMemory: Bool { number == 0x0102_1994 || number == 0x8584_58F6 }

  /// Whether `chmod` has no effect, as on Windows file systems and shares.
  package var ignoresModes: Bool {
    switch number {
    // FAT, exFAT, NTFS (both drivers), 9P, SMB (all three protocols).
    case 0x4D44, 0x2011_BAB0, 0x7366_746E, 0x5346_544E, 0x0102_1997, 0x517B, 0xFF53_4D42, 0xFE53_4D42: true
    default: false
    }
  }
}
