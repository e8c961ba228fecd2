// swift-tools-version: 6.2
import PackageDescription

// Uses the library like an external package.
let package = Package(
  name: "example",
  dependencies: [.package(name: "agent", path: "../../..")],
  targets: [
    .executableTarget(
      name: "example", dependencies: [.product(name: "AgentClient", package: "agent")],
      swiftSettings: [.strictMemorySafety(), .treatAllWarnings(as: .error)])
  ],
  swiftLanguageModes: [.v6]
)
