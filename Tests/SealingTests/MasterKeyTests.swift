// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Sealing

@Suite("The master key wraps data keys")
struct MasterKeyTests {
    private let master: MasterKey
    private let other: MasterKey

    init() throws {
        master = try MasterKey(.random())
        other = try MasterKey(.random())
    }

    @Test("a data key comes back as it was, and opens what it sealed")
    func roundTrip() throws {
        let key = try DataKey(id: 3, .random())
        let sealed = try key.seal([42], masterKey: master.id, associated: [1])
        let again = try master.unwrap(
            try master.wrap(key, context: [9]), context: [9])
        #expect(again.id == 3)
        #expect(try again.open(sealed, associated: [1]) == [42])
    }

    @Test("another master key, another owner, a flipped bit: it does not come back")
    func refusals() throws {
        let wrapped = try master.wrap(try DataKey(id: 3, .random()), context: [9])
        #expect(throws: SealingError.unknownKey) { try other.unwrap(wrapped, context: [9]) }
        #expect(throws: SealingError.forged) { try master.unwrap(wrapped, context: [8]) }
        for bit in 0..<(wrapped.count * 8) {
            var flipped = wrapped
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: SealingError.self) { try master.unwrap(flipped, context: [9]) }
        }
    }

    @Test("id and check value are the key's own, and stay the same")
    func checkValues() throws {
        let bytes = try #require(KeyBytes(Array(0...31)))
        let key = try MasterKey(bytes)
        let again = try MasterKey(bytes)
        #expect(key.id == again.id)
        #expect(key.gives(again.checkValue))
        #expect(key.id == 0x909C_6C4C)
        #expect(!key.gives(other.checkValue))
        #expect(!key.gives([]))
        #expect(key.checkValue.count == 16)
    }

    @Test("a signature holds for its text and its key")
    func signatures() throws {
        let signature = try master.sign([1, 2])
        #expect(try master.verify(signature, of: [1, 2]))
        #expect(try !master.verify(signature, of: [1, 3]))
        #expect(try !other.verify(signature, of: [1, 2]))
        #expect(try !master.verify(Array(signature.dropLast()), of: [1, 2]))
    }

    @Test("a ring finds its keys by their ids")
    func ring() throws {
        let ring = KeyRing(current: master, previous: other)
        #expect(ring.key(master.id) === master)
        #expect(ring.key(other.id) === other)
        #expect(ring.key(master.id ^ other.id ^ 1) == nil)
        #expect(KeyRing(current: master, previous: master).previous == nil)
    }

    @Test("keys cannot be printed")
    func printing() throws {
        let octets = Array(repeating: UInt8(ascii: "K"), count: 32)
        let bytes = try #require(KeyBytes(octets))
        let data = try DataKey(id: 5, bytes)
        let master = try MasterKey(bytes)
        var text = ""
        for secret in [bytes, data, master] as [Any] {
            text += "\(secret) \(String(reflecting: secret)) "
            dump(secret, to: &text)
        }
        #expect(!text.contains("KK"))
        #expect(!text.contains("75"))
        #expect(text.contains("<key>") && text.contains("<data key 5>"))
        #expect(text.contains("<master key "))
    }
}
