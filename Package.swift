// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Every target is held to the same language mode and the same upcoming features; the module table and the
// reasons behind each arrow are in docs/architecture.md. `make build` adds the flag that refuses an import
// which is not declared here.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport", "Locks"], resources: resources,
        swiftSettings: settings)
}

func system(_ name: String, _ package: String, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: package, providers: [.apt([apt])])
}

let package = Package(
    name: "cookiesync",
    products: [
        .executable(name: "cookiesync", targets: ["cookiesync"]),
        .library(name: "CookieSyncClient", targets: ["CookieSyncClient"]),
        .library(name: "CookieSyncSocketTransport", targets: ["CookieSyncSocketTransport"]),
        .library(name: "CookieSyncURLSession", targets: ["CookieSyncURLSession"]),
    ],
    targets: [
        .systemLibrary(name: "CLinux"),
        system("CSQLite", "sqlite3", apt: "libsqlite3-dev"),
        system("CZlib", "zlib", apt: "zlib1g-dev"),
        system("CPSL", "libpsl", apt: "libpsl-dev"),
        system("CIDN2", "libidn2", apt: "libidn2-dev"),
        system("CCrypto", "libcrypto", apt: "libssl-dev"),
        system("CPostgreSQL", "libpq", apt: "libpq-dev"),

        library("Cookies"),
        library("Telemetry"),
        library("Locks"),
        library("Sealing", ["CCrypto"]),
        library("HostNames", ["Cookies", "CPSL", "CIDN2"]),
        library("JarStorage", ["Cookies", "Locks"]),
        library(
            "SQLiteJarStorage",
            ["JarStorage", "Cookies", "Sealing", "Telemetry", "Locks", "CSQLite", "CLinux"]),
        library(
            "PostgresJarStorage",
            ["JarStorage", "Cookies", "Telemetry", "Locks", "CPostgreSQL", "CCrypto", "CLinux"]),
        library("Moving", ["JarStorage", "Cookies", "CCrypto"]),
        library("HTTPServer", ["Telemetry", "Locks", "CLinux", "CZlib"]),
        library("CookieSyncWire"),
        library("CookieFormats", ["Cookies", "CookieSyncWire"]),
        library("AuditLog", ["CookieSyncWire", "CCrypto"]),
        library(
            "CookieSyncService",
            [
                "Cookies", "JarStorage", "HTTPServer", "CookieSyncWire", "CookieFormats",
                "AuditLog", "Telemetry", "Locks", "CCrypto", "CZlib",
            ]),
        library("CookieSyncClient", ["CookieSyncWire"]),
        library("CookieSyncSocketTransport", ["CookieSyncClient", "Locks"]),
        library("CookieSyncURLSession", ["CookieSyncClient"]),
        .executableTarget(
            name: "cookiesync",
            dependencies: [
                "CookieSyncClient", "CookieSyncSocketTransport", "CookieSyncService", "AuditLog",
                "HTTPServer",
                "SQLiteJarStorage", "PostgresJarStorage", "JarStorage", "Moving", "HostNames",
                "Cookies", "CookieSyncWire", "Sealing", "Telemetry", "Locks", "CLinux",
            ],
            swiftSettings: settings),

        .target(
            name: "TestSupport", dependencies: ["Cookies", "JarStorage", "Locks"],
            path: "Tests/TestSupport",
            swiftSettings: settings),
        tests("CookiesTests", ["Cookies", "HostNames"]),
        tests("HostNamesTests", ["HostNames", "Cookies"]),
        tests("SealingTests", ["Sealing"]),
        tests("JarStorageTests", ["JarStorage", "Cookies"]),
        .executableTarget(
            name: "StorageTortureHelper",
            dependencies: ["SQLiteJarStorage", "JarStorage", "Telemetry", "TestSupport"],
            path: "Tests/StorageTortureHelper", swiftSettings: settings),
        tests(
            "SQLiteJarStorageTests",
            [
                "SQLiteJarStorage", "JarStorage", "Cookies", "Sealing", "Telemetry", "CSQLite",
                "StorageTortureHelper",
            ]),
        tests(
            "StorageContractTests",
            [
                "SQLiteJarStorage", "PostgresJarStorage", "JarStorage", "Moving", "Cookies",
                "Sealing",
                "Telemetry",
            ]),
        tests(
            "PostgresJarStorageTests",
            ["PostgresJarStorage", "JarStorage", "Cookies", "Telemetry"]),
        tests(
            "HTTPServerTests", ["HTTPServer", "Telemetry"], resources: [.copy("Fixtures")]),
        tests("TelemetryTests", ["Telemetry"]),
        tests("CookieSyncWireTests", ["CookieSyncWire"]),
        tests("AuditLogTests", ["AuditLog", "CookieSyncWire"]),
        tests("CookieFormatsTests", ["CookieFormats", "Cookies"]),
        tests(
            "CookieSyncServiceTests",
            [
                "CookieSyncService", "Cookies", "HostNames", "JarStorage", "HTTPServer",
                "CookieSyncWire", "AuditLog", "Telemetry",
            ]),
        tests("CookieSyncClientTests", ["CookieSyncClient", "CookieSyncWire"]),
        tests(
            "CookieSyncSocketTransportTests", ["CookieSyncSocketTransport", "CookieSyncClient"]),
        tests(
            "ContractTests", ["CookieSyncService", "CookieSyncWire", "HTTPServer", "JarStorage"]),
        tests(
            "EndToEndTests",
            [
                "CookieSyncClient", "CookieSyncSocketTransport", "CookieSyncURLSession",
                "CookieSyncWire",
            ]),
    ]
)
