import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parseArgs } from 'node:util';
import { chatAnswer, messageAnswer, messageEvents } from './answers.ts';
import { listen } from './listen.ts';

/** The provider of the benchmarks: a process that answers from memory. */
const { values } = parseArgs({
  options: { events: { type: 'string', default: '500' }, 'interval-ms': { type: 'string', default: '0' } },
});
const events = messageEvents(Number(values.events));
const intervalMs = Number(values['interval-ms']);

const server = createServer((request, response) => {
  let streamed = false;
  let first = true;
  request.on('data', (chunk: Buffer) => {
    // The bodies of the rows name "stream" early, so the first chunk is enough and a megabyte isn't searched.
    if (first) streamed = chunk.subarray(0, 512).includes('"stream":true');
    first = false;
  });
  request.on('end', () => {
    if (streamed) stream(response);
    else answer(request, response);
  });
});
process.send?.({ kind: 'ready', port: await listen(server) });

function answer(request: IncomingMessage, response: ServerResponse): void {
  const body = request.url?.endsWith('/messages') ? messageAnswer : chatAnswer;
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}

/** Each event leaves in a turn of its own: written together, they would arrive as a few large chunks. */
function stream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let sent = 0;
  const sendNext = (): void => {
    const event = events[sent];
    if (event === undefined) response.end();
    if (event === undefined || response.destroyed) return;
    sent += 1;
    const flowing = response.write(event);
    if (!flowing) response.once('drain', sendNext);
    else if (intervalMs === 0) setImmediate(sendNext);
    else setTimeout(sendNext, intervalMs);
  };
  sendNext();
}
