/// The classes of ASCII characters that names and tokens are made of.
extension UInt8 {
  package var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  package var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

  package var isASCIIAlphanumeric: Bool { isASCIILetter || isASCIIDigit }
}
