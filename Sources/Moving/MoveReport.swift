// SPDX-License-Identifier: Apache-2.0

public import JarStorage

/// How far a move has come.
public struct MoveReport: Sendable {
    /// How many tenants there are.
    public internal(set) var tenantCount = 0
    /// How many have been moved and found equal.
    public internal(set) var tenants = 0
    /// How many of their jars have.
    public internal(set) var jars = 0
    /// How many jars of those were not there before.
    public internal(set) var moved = 0
    /// How many changes the feeds of those jars have.
    public internal(set) var changes = 0
    /// How many tokens have been moved and found equal.
    public internal(set) var tokens = 0
    /// The hash of all that was moved, at the end: the same for a move of the same content, whichever way.
    public internal(set) var digest: Digest?
}

/// Why a move did not come to its end.
public enum MoveError: Error, Hashable, Sendable {
    /// The target has data of this tenant that are not the source's.
    case occupied(TenantID)
    /// What was written does not come back as it was.
    case different(TenantID)
    /// The target has other tenants and tokens than the source.
    case occupiedCatalogue
    /// What was written of tenants and tokens does not come back as it was.
    case differentCatalogue
    /// What is to be moved cannot be read; nil for the list of tenants, and for tokens.
    case source(TenantID?, JarStorageError)
    /// The target cannot take it; nil for tenants and tokens.
    case target(TenantID?, JarStorageError)
}
