// SPDX-License-Identifier: Apache-2.0

import Sealing

/// The file `KEYS` at the top of a data directory whose values are sealed, and of its backups.
///
///     cookiesync keys 1
///     state sealed
///     key 1f3a90c2 <16 octets that only this key gives>
///     signature <32 octets, by the first key>
///
/// Octets are hexadecimal. It says which master key belongs to the data, so that a wrong one is known before anything is
/// read. A second `key` line is the key before, while a rotation goes on. While the state is `sealing`, values that
/// are not sealed yet are read as they are.
struct KeyRegister: Equatable {
    static let fileName = "KEYS"
    private static let title = "cookiesync keys 1"

    /// How a master key is known.
    struct Entry: Equatable {
        let id: UInt32
        let checkValue: [UInt8]

        init(_ key: MasterKey) {
            id = key.id
            checkValue = key.checkValue
        }

        fileprivate init(id: UInt32, checkValue: [UInt8]) {
            self.id = id
            self.checkValue = checkValue
        }

        /// Whether it is that key which is meant.
        func fits(_ key: MasterKey?) -> Bool {
            guard let key else { return false }
            return key.id == id && key.gives(checkValue)
        }
    }

    /// Whether there may be values that are not sealed.
    var acceptsPlain: Bool
    /// The key in use; then the one before, if it may still be needed.
    var keys: [Entry]
    /// What the file says it was signed with; empty before it is written.
    private var signature: [UInt8] = []

    init(acceptsPlain: Bool, keys: [Entry]) {
        self.acceptsPlain = acceptsPlain
        self.keys = keys
    }

    private var body: [UInt8] {
        var lines = [Self.title, "state \(acceptsPlain ? "sealing" : "sealed")"]
        for key in keys {
            lines.append(
                "key \(Hexadecimal.text(key.id.octets)) \(Hexadecimal.text(key.checkValue))")
        }
        return Array(lines.map { "\($0)\n" }.joined().utf8)
    }

    /// The file's content.
    func text(signedBy key: MasterKey) throws(SealingError) -> [UInt8] {
        body + Array("signature \(Hexadecimal.text(try key.sign(body)))\n".utf8)
    }

    /// Whether that key wrote it.
    func isSigned(by key: MasterKey) throws(SealingError) -> Bool {
        try key.verify(signature, of: body)
    }

    /// What the content says; nil when it says nothing that this program wrote.
    init?(_ text: [UInt8]) {
        guard text.count < 1024, text.last == UInt8(ascii: "\n"),
            let content = String(validating: text.dropLast(), as: UTF8.self)
        else { return nil }
        var lines = content.split(separator: "\n", omittingEmptySubsequences: false)[...]
        guard lines.popFirst() == Self.title[...], let state = lines.popFirst(),
            state == "state sealed" || state == "state sealing",
            let last = lines.popLast()?.split(separator: " "), last.count == 2,
            last[0] == "signature", let signature = Hexadecimal.octets(last[1])
        else { return nil }
        acceptsPlain = state == "state sealing"
        self.signature = signature
        keys = []
        for line in lines {
            let words = line.split(separator: " ")
            guard words.count == 3, words[0] == "key", let id = Hexadecimal.octets(words[1]),
                id.count == 4, let value = Hexadecimal.octets(words[2])
            else { return nil }
            keys.append(
                Entry(id: id.reduce(0) { $0 << 8 | UInt32($1) }, checkValue: value))
        }
        guard (1...2).contains(keys.count) else { return nil }
    }
}

/// Octets as lower-case hexadecimal digits, and back.
enum Hexadecimal {
    static func text(_ octets: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: octets.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
    }

    static func octets(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
            default: nil
            }
        }
        guard digits.count == text.utf8.count, digits.count % 2 == 0 else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

extension UInt32 {
    /// Its four octets, the highest first.
    var octets: [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> UInt32($0)) }
    }
}
