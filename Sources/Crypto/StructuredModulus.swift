/// RSA moduli of the chips with CVE-2017-15361, whose primes have a form that lets them be found.
///
/// Each prime is a power of 65537 modulo the product of the first primes, so the modulus is one too, modulo each of
/// them. For a modulus of 2048 bits and more the product has the primes up to 701; of moduli made in another way
/// fewer than one in 2^150 looks like that.
enum StructuredModulus {
  /// Whether a big-endian modulus of at least 2048 bits has the form.
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
