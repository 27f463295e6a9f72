// swift-tools-version: 6.0
// What the sample app knows and says, without a screen: so that it can be tested on Linux through the real library.

import PackageDescription

let package = Package(
    name: "sample-models",
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [.library(name: "SampleModels", targets: ["SampleModels"])],
    dependencies: [.package(name: "exo-mobile", path: "../..")],
    targets: [
        .target(name: "SampleModels", dependencies: [.product(name: "ExoMobile", package: "exo-mobile")]),
        .testTarget(name: "SampleModelsTests", dependencies: ["SampleModels"]),
    ],
    swiftLanguageModes: [.v6]
)
