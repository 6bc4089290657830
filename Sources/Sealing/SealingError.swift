// SPDX-License-Identifier: Apache-2.0

/// Why something could not be sealed or opened.
///
/// None of the cases carries octets of a key, a value or a sealed value.
public enum SealingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// libcrypto refused: no randomness, no memory, or a cipher that its policy does not allow.
    case engine(operation: String)
    /// The octets are not a sealed value of a known version.
    case malformed
    /// The key that sealed it is not here.
    case unknownKey
    /// The octets, or what they belong to, are not what was sealed.
    case forged

    /// The failure in a few words.
    public var description: String {
        switch self {
        case .engine(let operation): "libcrypto failed: \(operation)"
        case .malformed: "not a sealed value"
        case .unknownKey: "sealed with a key that is not here"
        case .forged: "not what was sealed"
        }
    }
}
