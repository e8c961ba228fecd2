/// A NULL-terminated array of C strings, for `execve`.
@safe struct CStringVector: ~Copyable {
  private let characters: UnsafeMutableBufferPointer<CChar>
  private let pointers: UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>

  /// The strings must not contain NUL.
  init(_ strings: [[UInt8]]) {
    unsafe characters = .allocate(capacity: strings.reduce(1) { $0 + $1.count + 1 })
    unsafe pointers = .allocate(capacity: strings.count + 1)
    var next = 0
    for (index, string) in strings.enumerated() {
      unsafe pointers.initializeElement(at: index, to: characters.baseAddress! + next)
      for byte in string {
        unsafe characters.initializeElement(at: next, to: CChar(bitPattern: byte))
        next += 1
      }
      unsafe characters.initializeElement(at: next, to: 0)
      next += 1
    }
    unsafe pointers.initializeElement(at: strings.count, to: nil)
  }

  /// Valid only as long as the vector.
  var base: UnsafePointer<UnsafeMutablePointer<CChar>?> { unsafe UnsafePointer(pointers.baseAddress!) }

  deinit {
    unsafe pointers.deallocate()
    unsafe characters.deallocate()
  }
}
