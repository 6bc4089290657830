// SPDX-License-Identifier: Apache-2.0

public import JarStorage
import Locks

/// The catalogue of tenants and tokens in the database, one for all nodes.
///
/// Each node has all of it in memory, so a request's token costs no round trip; how that is kept from being out of date is
/// told in `KnownCatalogue`. Changes are run by the lanes, one transaction of all nodes at a time.
public final class PostgresTenantCatalogue: TenantCatalogue {
    /// The key of the tokens' secrets, which every node has to be given.
    public let pepper: CataloguePepper
    private let known: KnownCatalogue
    private let reading: @Sendable (Job.Kind) -> Void
    private let writing: @Sendable (Job.Kind) -> Void

    init(
        _ known: KnownCatalogue, pepper: CataloguePepper,
        reading: @escaping @Sendable (Job.Kind) -> Void,
        writing: @escaping @Sendable (Job.Kind) -> Void
    ) {
        self.known = known
        self.pepper = pepper
        self.reading = reading
        self.writing = writing
    }

    /// Everything, as of the newest commit that is known here.
    public var state: CatalogueState { known.state }

    /// Everything, as the database has confirmed it within the last second; nil when it has not.
    public var currentState: CatalogueState? { known.currentState }

    /// How many seconds ago the database has confirmed what is known; nil for never.
    var age: Double? { known.now.confirmedAt.map { Double($0.nanosecondsToNow) / 1e9 } }

    /// Whether the database has confirmed nothing for four seconds.
    public var isLost: Bool { known.isLost }

    /// Whether any tenant has limits.
    public var hasLimits: Bool { known.hasLimits }

    /// Calls it on the thread that found something out.
    public func observe(_ observer: @escaping @Sendable () -> Void) { known.observe(observer) }

    /// Asks the database whether what is known is current, together with all who wait for the same.
    public func read(
        completion: @escaping @Sendable (Result<CatalogueState, JarStorageError>) -> Void
    ) {
        reading(.readCatalogue(completion))
    }

    /// Runs the operation in a transaction that has the catalogue to itself.
    ///
    /// A change of tokens takes effect on this node at once, and is completed about a second later, when it has taken
    /// effect on every other one.
    public func write<Answer: Sendable>(
        operation: @escaping @Sendable (inout CatalogueDraft) -> Answer,
        completion: @escaping @Sendable (Result<Answer, JarStorageError>) -> Void
    ) {
        writing(
            .writeCatalogue(
                { draft in
                    let answer = operation(&draft)
                    return { completion($0.map { answer }) }
                }, refuse: { completion(.failure($0)) }))
    }
}
