// SPDX-License-Identifier: Apache-2.0

/// What an engine stores, to be taken out and put in as it is while nobody serves it.
///
/// Nothing is decided here: no limit, no rule and no clock has a say. Each call blocks; they come from one thread.
public protocol JarArchive {
    /// The tenants, by name.
    func tenants() throws(JarStorageError) -> [TenantID]

    /// The jars of a tenant by name, those included that do not exist for clients any more; none for a tenant that is
    /// not there.
    func jars(of tenant: TenantID) throws(JarStorageError) -> [JarID]

    /// All that is kept of a jar.
    ///
    /// Complexity: O(what it holds and its kept changes).
    func image(of address: JarAddress) throws(JarStorageError) -> JarImage

    /// The tenant's records.
    func records(of tenant: TenantID) throws(JarStorageError) -> RecordImage

    /// Keeps a jar that is not there, before any record of its tenant; all of it or nothing, durable on return.
    func put(_ image: JarImage, at address: JarAddress) throws(JarStorageError)

    /// Keeps the records of a tenant that has none; all of them or nothing, durable on return.
    func put(_ records: RecordImage, of tenant: TenantID) throws(JarStorageError)

    /// The tenants that were made explicitly, and all tokens.
    func catalogue() throws(JarStorageError) -> CatalogueImage

    /// Keeps these where there is neither a tenant nor a token; all of them or nothing, durable on return.
    func put(_ catalogue: CatalogueImage) throws(JarStorageError)
}
