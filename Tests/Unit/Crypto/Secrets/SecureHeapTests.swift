import Crypto
import Testing

// The heap is initialized once per process, so each test has its own.
@Suite struct `Secure heap` {
  @Test func `it is set up once and then used`() async {
    await #expect(processExitsWith: .success) {
      #expect(SecureHeap.state == .unavailable)
      let state = SecureHeap.initialise(bytes: 1 << 16)
      #expect(state == .locked || state == .unlocked)
      #expect(SecureHeap.initialise() == state)
      #expect(SecureHeap.state == state)
      #expect(SecureHeap.usedBytes == 0)
      do {
        let secret = try SecretBytes(zeroed: 33)
        #expect(SecureHeap.usedBytes == 64)
        _ = secret.count
      }
      #expect(SecureHeap.usedBytes == 0)
    }
  }

  @Test func `when it is full, secrets get memory of their own, and room comes back`() async {
    await #expect(processExitsWith: .success) {
      _ = SecureHeap.initialise(bytes: 1 << 13)
      do {
        let first = try SecretBytes(zeroed: 1 << 12)
        let second = try SecretBytes(zeroed: 1 << 12)
        #expect(SecureHeap.usedBytes == 1 << 13)
        let third = try SecretBytes(copying: [UInt8](repeating: 7, count: 100).span)
        var buffer = SecretBuffer()
        buffer.append(1)
        let fourth = try buffer.finish()
        #expect(SecureHeap.usedBytes == 1 << 13)
        let (isAlone, isWhole) = (third.arena != nil && fourth.arena != nil, third.withBytes { $0[99] == 7 })
        #expect(isAlone && isWhole)
        _ = (first.count, second.count)
      }
      let isOnHeap = try SecretBytes(zeroed: 1 << 12).arena == nil
      #expect(isOnHeap && SecureHeap.usedBytes == 0)
    }
  }

  @Test func `what is larger than a page takes none of it`() async {
    await #expect(processExitsWith: .success) {
      _ = SecureHeap.initialise(bytes: 1 << 14)
      var secrets: [SharedSecret] = []
      for _ in 0..<64 { secrets.append(SharedSecret(try SecretBytes(zeroed: SecretBytes.maximumCount))) }
      #expect(SecureHeap.usedBytes == 0 && secrets.allSatisfy { $0.bytes.count == SecretBytes.maximumCount })
    }
  }

  @Test func `a secret is wiped when its owner goes away`() async {
    await #expect(processExitsWith: .success) {
      _ = SecureHeap.initialise(bytes: 1 << 16)
      var place: UnsafePointer<UInt8>?
      do {
        let secret = try SecretBytes(copying: [UInt8](repeating: 0xaa, count: 256).span)
        unsafe place = secret.withBytes { bytes in unsafe bytes.withUnsafeBufferPointer { $0.baseAddress } }
        #expect(unsafe place?[200] == 0xaa)
      }
      // The page stays mapped. A free block begins with the allocator's links.
      for offset in 32..<256 { #expect(unsafe place?[offset] == 0) }
    }
  }

  @Test func `a buffer that grows leaves nothing behind`() async {
    await #expect(processExitsWith: .success) {
      _ = SecureHeap.initialise(bytes: 1 << 16)
      var buffer = SecretBuffer(capacity: 256)
      buffer.append(contentsOf: [UInt8](repeating: 0xaa, count: 256).span)
      let place = unsafe buffer.withBytes { bytes in unsafe bytes.withUnsafeBufferPointer { $0.baseAddress } }
      buffer.append(0xbb)
      for offset in 32..<256 { #expect(unsafe place?[offset] == 0) }
      #expect(SecureHeap.usedBytes == 512)
      let secret = try buffer.finish()
      #expect(SecureHeap.usedBytes == 512)
      _ = secret.count
    }
  }

  @Test func `private keys are generated on it`() async {
    await #expect(processExitsWith: .success) {
      _ = SecureHeap.initialise(bytes: 1 << 20)
      let key = try PrivateKey.generateEC(.p256)
      #expect(SecureHeap.usedBytes > 0)
      _ = key.kind
    }
  }
}
