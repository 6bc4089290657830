// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

extension SyncModel {
    /// All of a state that what follows can depend on.
    ///
    /// Revisions and times count by their order alone, the time that a cookie has left by its length: nothing asks how
    /// much one revision is above another, and whatever comes next is above them all.
    struct Essence: Hashable {
        private struct Copy: Hashable {
            let version: Int
            let creationOrder: Int
            let remaining: Int64?
            let createdAt: Int
            let updatedAt: Int
        }

        private struct Grave: Hashable {
            let revision: Int
            let cause: ChangeCause
            let travels: Bool
        }

        private struct Side: Hashable {
            let copy: Copy?
            let grave: Grave?
            let deletion: Int?
        }

        private let sides: [Side]

        fileprivate init(of model: SyncModel) {
            let stores = [SyncModel.first, SyncModel.second].map { ($0, model.draft.state[$0]) }
            let identity = model.twin.identity
            var revisions: Set<UInt64> = Set(model.deletions.values)
            var times: Set<Timestamp> = []
            for (_, content) in stores {
                if let cookie = content.cookies[identity] {
                    revisions.formUnion([cookie.version, cookie.creationOrder])
                    times.formUnion([cookie.createdAt, cookie.updatedAt])
                }
                if let tombstone = content.tombstones[identity] {
                    revisions.insert(tombstone.revision.rawValue)
                }
            }
            let (ranks, ages) = (revisions.sorted(), times.sorted())
            sides = stores.map { store, content in
                Side(
                    copy: content.cookies[identity].map { cookie in
                        Copy(
                            version: ranks.firstIndex(of: cookie.version) ?? -1,
                            creationOrder: ranks.firstIndex(of: cookie.creationOrder) ?? -1,
                            remaining: cookie.expires.map {
                                max(0, $0.milliseconds - model.now.milliseconds)
                            },
                            createdAt: ages.firstIndex(of: cookie.createdAt) ?? -1,
                            updatedAt: ages.firstIndex(of: cookie.updatedAt) ?? -1)
                    },
                    grave: content.tombstones[identity].map { tombstone in
                        Grave(
                            revision: ranks.firstIndex(of: tombstone.revision.rawValue) ?? -1,
                            cause: tombstone.cause, travels: tombstone.travels)
                    }, deletion: model.deletions[store].flatMap(ranks.firstIndex))
            }
        }
    }

    /// The state without what nothing depends on.
    var essence: Essence { Essence(of: self) }
}
