// ClickHouse's own engine behind the part of its HTTP interface that the gateway uses: server.ts <module of chdb>. Prints its port.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

interface Session {
  query(statement: string): string;
}

const { Session } = await import(process.argv[2] ?? '');
const session: Session = new Session();
/** Settings of the HTTP interface alone. */
const ofHttp = new Set(['query', 'wait_end_of_query']);

const server = createServer(async (request, response) => {
  const parameters = new URL(request.url ?? '', 'http://clickhouse').searchParams;
  const body = await readBody(request);
  try {
    // A session runs one statement at a time, so settings of another request don't get between.
    for (const [name, value] of parameters)
      if (!ofHttp.has(name)) session.query(`SET ${name} = '${value.replaceAll(/[\\']/g, '\\$&')}'`);
    const query = parameters.get('query');
    response.end(session.query(query === null ? body : `${query}\n${body}`));
  } catch (thrown) {
    response.writeHead(400).end(String(thrown));
  }
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(port);
});

async function readBody(request: IncomingMessage): Promise<string> {
  const bytes = await buffer(request);
  return (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
}
