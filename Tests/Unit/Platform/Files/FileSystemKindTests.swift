import Platform
import TestSupport
import Testing

@Suite struct `Kinds of file systems` {
  @Test(
    arguments: [
      (0x4D44, true), (0x2011_BAB0, true), (0xFF53_4D42, true), (0x0102_1997, true), (0xEF53, false),
      (0x0102_1994, false),
      (0x6969, false),
    ] as [(UInt32, Bool)])
  func `that ignore modes are those of Windows`(number: UInt32, ignores: Bool) {
    #expect(FileSystemKind(number: number).ignoresModes == ignores)
  }

  @Test func `are read from the kernel`() throws {
    let directory = try TemporaryDirectory()
    #expect(FileSystemKind(at: directory.path)?.ignoresModes == false)
    #expect(FileSystemKind(at: directory.path("none")) == nil)
  }

  @Test func `a directory in the place of a file is not to be made private`() throws {
    let directory = try TemporaryDirectory()
    _ = try directory.open("folder")
    #expect(FileProblem.of(directory.path("folder"), mustBeFile: true) == .notRegular)
    #expect(FileProblem.of(directory.path("folder")) == nil)
  }
}
