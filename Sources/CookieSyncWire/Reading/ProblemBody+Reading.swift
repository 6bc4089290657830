// SPDX-License-Identifier: Apache-2.0

extension ProblemBody: ReadableBody {
    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.anyObject()
        var errors: [Item] = []
        for item in try object["errors"]?.elements() ?? [] {
            let item = try item.anyObject()
            errors.append(
                Item(
                    pointer: try item.required("pointer").text(),
                    detail: try item.required("detail").text(),
                    reason: try item.present("reason")?.text()))
        }
        self.init(
            type: try object.required("type").text(), title: try object.required("title").text(),
            status: UInt16(try object.required("status").integer(in: 100...599)),
            detail: try object.required("detail").text(),
            instance: try object.required("instance").text(),
            offset: try object.present("offset")?.count(),
            revision: try object.present("revision")?.revision(), errors: errors)
    }
}
