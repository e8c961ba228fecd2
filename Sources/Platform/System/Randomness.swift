internal import CPlatform

/// Random bytes from the kernel, for file names. For keys and nonces, use the Crypto module.
package enum Randomness {
  package static func bytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let result = unsafe bytes.withUnsafeMutableBytes { (buffer) -> Int32 in
      guard let start = buffer.baseAddress else { return 0 }
      return unsafe agent_random(start, buffer.count)
    }
    precondition(result == 0, "getrandom(2) without flags has no other failure than a bad address")
    return bytes
  }
}
