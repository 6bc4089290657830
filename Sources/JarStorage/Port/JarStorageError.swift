// SPDX-License-Identifier: Apache-2.0

/// Why a storage call failed.
///
/// Nothing of the call has taken effect, `inDoubt` apart.
public enum JarStorageError: Error, Hashable, Sendable {
    /// Too much is queued: try again shortly.
    case busy
    /// The storage is closing, or its engine cannot be reached: try again later.
    case unavailable
    /// No room is left for the write.
    case full
    /// The tenant's data is damaged; other tenants are not concerned.
    case corrupt
    /// A value of this jar is not what was stored there; other jars are not concerned.
    case integrity
    /// The tenant's data was written by a newer version.
    case schemaTooNew
    /// The engine refuses writes.
    case readOnly
    /// Whether the write took effect is unknown; repeating it with its idempotency key is safe.
    case inDoubt
    /// The jar is not at the revision that the caller expects, but at this one.
    case revisionConflict(Revision)
    /// The key of the write has been used for another request.
    case keyReused
    /// Whoever asked for the write lost the right to it while it was queued.
    case notPermitted
}
