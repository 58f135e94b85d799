/** Not imported by name, for which Node.js would load its `fetch` and `WebSocket` too: 16 MB that nothing here uses. */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
