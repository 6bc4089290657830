// SPDX-License-Identifier: Apache-2.0

/// Where the tenants that were made explicitly and all tokens are kept, beside the tenants' own data.
///
/// Every conformer guarantees, and the suite `TenantCatalogueContract` checks, also where several processes share what is
/// kept:
///
/// 1. `currentState` has every change whose write was completed before the call, by whichever process: a token that was
///    revoked is not found any more, one that was made is. `read` completes with such a state as well.
/// 2. `write` completes with `success` only after its changes are durable, all of them or none. Operations never
///    interleave, and each sees all earlier ones.
/// 3. A completion is called exactly once, on a thread of the catalogue's own; it must return at once.
/// 4. No call blocks its caller on I/O.
public protocol TenantCatalogue: Sendable {
    /// Everything, as of the newest commit that is known here.
    ///
    /// - Complexity: O(1), without a heap allocation.
    var state: CatalogueState { get }

    /// Everything, as of a commit that nothing completed is missing from; nil while that cannot be told, as the engine
    /// is out of reach.
    ///
    /// - Complexity: O(1), without a heap allocation.
    var currentState: CatalogueState? { get }

    /// Whether that has not been told for some seconds: then what was allowed by `currentState` before is not any more.
    var isLost: Bool { get }

    /// Whether `state.hasLimits`, for those who would not look at it otherwise.
    ///
    /// - Complexity: O(1), without a lock.
    var hasLimits: Bool { get }

    /// The key, 32 octets, that the secrets of tokens are hashed with; kept apart from the records.
    var pepper: CataloguePepper { get }

    /// Whether nobody but this process changes it; false unless an engine says otherwise.
    var isExclusive: Bool { get }

    /// Has `observer` called when `state` has changed by what this process did not write, and when `isLost` becomes true.
    ///
    /// It must return at once. The last one that was given counts.
    func observe(_ observer: @escaping @Sendable () -> Void)

    /// Completes with everything, as of a moment after the call.
    func read(
        completion: @escaping @Sendable (Result<CatalogueState, JarStorageError>) -> Void)

    /// Runs `operation` on a draft, makes its changes durable, publishes them and completes with its answer.
    ///
    /// The operation must be pure: a fleet's engine may run it again on a newer state.
    func write<Answer: Sendable>(
        operation: @escaping @Sendable (inout CatalogueDraft) -> Answer,
        completion: @escaping @Sendable (Result<Answer, JarStorageError>) -> Void)
}

/// What holds unless an engine says otherwise: the state that is known is that of the newest commit.
extension TenantCatalogue {
    /// The state.
    public var currentState: CatalogueState? { state }

    /// False.
    public var isLost: Bool { false }

    /// Never calls it.
    public func observe(_ observer: @escaping @Sendable () -> Void) {}

    /// Completes with the state before it returns.
    public func read(
        completion: @escaping @Sendable (Result<CatalogueState, JarStorageError>) -> Void
    ) {
        completion(.success(state))
    }

    /// False.
    public var isExclusive: Bool { false }
}

/// A secret key of the service, which cannot be printed.
public struct CataloguePepper: Sendable, CustomStringConvertible, CustomReflectable {
    /// How many octets it has.
    public static let length = 32

    /// Its octets.
    public let bytes: [UInt8]

    /// A pepper made of these octets.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// A new one, from the system's generator.
    public static func random() -> CataloguePepper {
        var generator = SystemRandomNumberGenerator()
        return CataloguePepper((0..<length).map { _ in generator.next() })
    }

    /// A placeholder.
    public var description: String { "<redacted>" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
