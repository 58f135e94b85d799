import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { chatAnswer, chatEvents, embeddingAnswer, messageAnswer, messageEvents } from './answers.ts';
import { listen } from './listen.ts';
import { finish } from './messages.ts';
import { readUpstreamOptions, type UpstreamOptions } from './upstream-options.ts';

/** The provider of the benchmarks: a process that answers from memory, in the way that the request wishes. */
const rendered = new Map<string, readonly Buffer[]>();
const streaming = new Set<ServerResponse>();

const server = createServer((request, response) => {
  let beginning: Buffer | undefined;
  request.on('data', (chunk: Buffer) => {
    beginning ??= chunk;
  });
  request.on('end', () => respond(request, response, beginning ?? Buffer.alloc(0)));
});
process.on('message', (message: unknown) => {
  if (!finish.safeParse(message).success) return;
  process.send?.({ kind: 'finished', streams: streaming.size });
  for (const response of streaming) response.end();
});
process.send?.({ kind: 'ready', port: await listen(server) });

function respond(request: IncomingMessage, response: ServerResponse, beginning: Buffer): void {
  const isMessages = request.url?.endsWith('/messages') === true;
  const wish = readUpstreamOptions(beginning);
  if (wish === undefined) {
    const isEmbedding = request.url?.endsWith('/embeddings') === true;
    const body = isMessages ? messageAnswer : isEmbedding ? embeddingAnswer : chatAnswer;
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  } else if (wish.kind === 'status') {
    response.writeHead(wish.status, { 'content-type': 'application/json' });
    response.end('{"error":{"message":"as you wish","type":"server_error","param":null,"code":null}}');
  } else stream(response, wish, eventsFor(wish, isMessages, beginning));
}

function eventsFor({ events }: EventStream, isMessages: boolean, beginning: Buffer): readonly Buffer[] {
  const withUsage = !isMessages && beginning.includes('"include_usage":true');
  const key = `${events} ${isMessages} ${withUsage}`;
  const known = rendered.get(key);
  if (known !== undefined) return known;
  const frames = isMessages ? messageEvents(events) : chatEvents(events, withUsage);
  rendered.set(key, frames);
  return frames;
}

type EventStream = Extract<UpstreamOptions, { kind: 'stream' }>;

/** What opens a stream with its first token, and what closes it, comes without pauses also in a slow one. */
const promptEvents = 3;

/** Each event leaves in a turn of its own: written together, they would arrive as a few large chunks. */
function stream(response: ServerResponse, wish: EventStream, events: readonly Buffer[]): void {
  // Fewer than there are where the usage was asked for, which is no reason to take longer.
  const { events: wished, intervalMs, breaks } = wish;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  streaming.add(response);
  response.once('close', () => streaming.delete(response));
  const last = breaks ? Math.floor(events.length / 2) : events.length;
  let sent = 0;
  const sendNext = (): void => {
    if (response.destroyed || response.writableEnded) return;
    const event = sent < last ? events[sent] : undefined;
    if (event === undefined) {
      if (breaks) response.destroy();
      else response.end();
      return;
    }
    sent += 1;
    const flowing = response.write(event);
    const prompt = intervalMs === 0 || sent < promptEvents || sent >= wished - promptEvents;
    if (!flowing) response.once('drain', sendNext);
    else if (prompt) setImmediate(sendNext);
    else setTimeout(sendNext, intervalMs);
  };
  sendNext();
}
