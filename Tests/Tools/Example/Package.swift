// swift-tools-version: 6.2
import PackageDescription

// A package of somebody else's, which uses the library as any other would.
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
