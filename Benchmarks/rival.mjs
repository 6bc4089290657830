// SPDX-License-Identifier: Apache-2.0

// A constant answer by Node's http. Usage: node rival.mjs PORT BODY_FILE
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const [port, file] = process.argv.slice(2);
const body = readFileSync(file);
const fields = { "Content-Type": "application/json", "Content-Length": body.length };
createServer((request, response) => {
    response.writeHead(200, fields);
    response.end(body);
}).listen(Number(port), "127.0.0.1");
