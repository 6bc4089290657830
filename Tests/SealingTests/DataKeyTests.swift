// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Sealing

@Suite("Values are sealed")
struct DataKeyTests {
    private let key: DataKey
    private let place = Array("acme|alice|native|sid".utf8)

    init() throws {
        key = try DataKey(id: 7, KeyBytes.random())
    }

    private func seal(_ value: [UInt8]) throws -> [UInt8] {
        try key.seal(value, masterKey: 0x0102_0304, associated: place)
    }

    private func open(
        _ sealed: [UInt8], at place: [UInt8]? = nil, with key: DataKey? = nil
    ) throws(SealingError) -> [UInt8] {
        try (key ?? self.key).open(sealed, associated: place ?? self.place)
    }

    @Test("what was sealed opens as it was", arguments: [0, 1, 62, 63, 64, 65, 127, 128, 4096])
    func roundTrip(length: Int) throws {
        let value = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        #expect(try open(try seal(value)) == value)
    }

    @Test("a value of zeros, and one that ends like the padding, open as they were")
    func paddingLookalikes() throws {
        for value: [UInt8] in [[0, 0, 0], [0x80], [0x80, 0, 0], [1, 0x80, 0]] {
            #expect(try open(try seal(value)) == value)
        }
    }

    @Test("the form: version, ids, nonce, text in buckets of 64, tag", arguments: [0, 63, 64, 200])
    func form(length: Int) throws {
        let sealed = try seal([UInt8](repeating: 65, count: length))
        #expect(Array(sealed.prefix(9)) == [1, 1, 2, 3, 4, 0, 0, 0, 7])
        #expect(sealed.count == 1 + 4 + 4 + 12 + (length / 64 + 1) * 64 + 16)
        #expect(DataKey.id(of: sealed) == 7)
    }

    @Test("the same value is never sealed into the same octets")
    func nonces() throws {
        let sealed = try (0..<1000).map { _ in try seal([1]) }
        #expect(Set(sealed).count == 1000)
        #expect(Set(sealed.map { $0[9..<21] }).count == 1000)
    }

    @Test("any bit that was flipped is noticed")
    func flips() throws {
        let sealed = try seal(Array("a secret".utf8))
        for bit in 0..<(sealed.count * 8) {
            var other = sealed
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: SealingError.self) { try open(other) }
        }
    }

    @Test("what was cut short or made longer is noticed")
    func lengths() throws {
        let sealed = try seal(Array("a secret".utf8))
        for length in 0..<sealed.count {
            #expect(throws: SealingError.self) { try open(Array(sealed.prefix(length))) }
        }
        #expect(throws: SealingError.forged) { try open(sealed + [0]) }
    }

    @Test("it opens at its own place only, and with its own key")
    func places() throws {
        let sealed = try seal([1, 2, 3])
        #expect(throws: SealingError.forged) {
            try open(sealed, at: Array("acme|bob|native|sid".utf8))
        }
        let other = try DataKey(id: 7, KeyBytes.random())
        #expect(throws: SealingError.forged) { try open(sealed, with: other) }
        let another = try DataKey(id: 8, KeyBytes.random())
        #expect(throws: SealingError.unknownKey) { try open(sealed, with: another) }
    }

    @Test("octets that another program sealed by the same form open")
    func golden() throws {
        // AES-256-GCM by a second implementation: key 00…1f, nonce 12 times 0x24, master key 1, data key 2,
        // associated data "place".
        let key = try DataKey(id: 2, #require(KeyBytes(Array(0...31))))
        let sealed = try #require(Hex.octets(Self.goldenText))
        #expect(
            try open(sealed, at: Array("place".utf8), with: key) == Array("the value".utf8))
    }

    private static let goldenText =
        "0100000001000000022424242424242424242424247299dcef911ece75a295102c98a43f36b1"
        + "1e8af568a281bf3323b527d5d1376d760ebcd985c1888c18926e1217d4ee6a696d67586e4c92"
        + "44ada029b8b55e420a581a18f5d2f5fdfe7c0779ea84b62e90"
}

enum Hex {
    static func octets(_ text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == text.utf8.count, digits.count % 2 == 0 else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }
}
