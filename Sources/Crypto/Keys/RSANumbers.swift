internal import COpenSSL

/// Rules for the numbers of an RSA public key.
enum RSANumbers {
  /// Accepted modulus sizes. RFC 7518 section 3.3 sets the minimum; larger keys would be slow.
  static let bits = 2048...8192

  /// Validates the numbers. Returns the modulus size in bits.
  static func check(modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) -> Int {
    let size = bitCount(modulus)
    guard bits.contains(size), modulus.first != 0, modulus.last.map({ $0 & 1 == 1 }) == true
    else { throw CryptoError(.invalidKey, "RSA modulus") }
    // At most 2^32.
    guard (1...4).contains(exponent.count), exponent.first != 0 else { throw CryptoError(.invalidKey, "RSA exponent") }
    let value = exponent.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard value >= 3, value & 1 == 1 else { throw CryptoError(.invalidKey, "RSA exponent") }
    guard !StructuredModulus.matches(modulus) else { throw CryptoError(.invalidKey, "RSA modulus") }
    return size
  }

  private static func bitCount(_ number: [UInt8]) -> Int {
    guard let first = number.first else { return 0 }
    return number.count * 8 - first.leadingZeroBitCount
  }

  static func makeKey(modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) -> KeyHandle {
    ErrorQueue.clear()
    var n = nativeOrder(modulus)
    var e = nativeOrder(exponent)
    let key = try unsafe n.withUnsafeMutableBufferPointer { (n) throws(CryptoError) in
      try unsafe e.withUnsafeMutableBufferPointer { (e) throws(CryptoError) in
        var parameters = unsafe [
          OSSL_PARAM_construct_BN(agent_name_rsa_n(), n.baseAddress, n.count),
          OSSL_PARAM_construct_BN(agent_name_rsa_e(), e.baseAddress, e.count),
          OSSL_PARAM_construct_end(),
        ]
        return try unsafe KeyHandle.makePublicKey(named: "RSA", &parameters)
      }
    }
    return unsafe KeyHandle(owning: key)
  }

  private static func nativeOrder(_ bigEndian: [UInt8]) -> [UInt8] {
    #if _endian(little)
      bigEndian.reversed()
    #else
      bigEndian
    #endif
  }
}

/// Detects RSA moduli of chips with CVE-2017-15361, which are easy to factor: powers of 65537 modulo each prime up to
/// 701.
enum StructuredModulus {
  /// Whether a big-endian modulus of at least 2048 bits is one.
  static func matches(_ modulus: [UInt8]) -> Bool {
    fields.allSatisfy { field in
      field.isPower[modulus.reduce(0) { ($0 << 8 | Int($1)) % field.prime }]
    }
  }

  /// For each odd prime up to 701, which residues are powers of 65537.
  private static let fields: [(prime: Int, isPower: [Bool])] = primes.map { prime in
    var isPower = [Bool](repeating: false, count: prime)
    var power = 1
    while !isPower[power] {
      isPower[power] = true
      power = power * 65_537 % prime
    }
    return (prime, isPower)
  }

  private static let primes = (3...701).filter { number in
    (2..<number).allSatisfy { number % $0 != 0 }
  }
}
