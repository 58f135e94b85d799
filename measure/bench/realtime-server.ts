/// <reference path="../../src/http/ws.d.ts" />

import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { WebSocket, WebSocketServer } from 'ws';
import { listen } from './listen.ts';

/** A provider of realtime sessions that answers each message with one; with an upstream, the least that a proxy in front of it can do. */
const { values } = parseArgs({ options: { upstream: { type: 'string', default: '' } } });

const created = JSON.stringify({
  type: 'response.created',
  response: { id: 'resp_1', status: 'in_progress' },
});
/** 20 ms of sound. */
const delta = JSON.stringify({
  ...{ type: 'response.output_audio.delta', event_id: 'event_1', response_id: 'resp_1', item_id: 'item_1' },
  ...{ output_index: 0, content_index: 0, delta: Buffer.alloc(960, 'sound').toString('base64') },
});
const text = { binary: false };

const webSockets = new WebSocketServer({
  ...{ noServer: true, clientTracking: false, perMessageDeflate: false, autoPong: false },
  ...{ maxPayload: 1024 * 1024, maxFragments: 100, closeTimeout: 1000 },
  handleProtocols: () => false,
});
const server = createServer();
server.on('upgrade', ({ method = '', url = '', headers }, socket, head) => {
  const names = ['upgrade', 'sec-websocket-key', 'sec-websocket-version'];
  const handshake = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
  webSockets.handleUpgrade({ method, headers: handshake }, socket, head, (client) => {
    client.on('error', () => undefined);
    if (values.upstream === '') answer(client);
    else pass(client, new WebSocket(values.upstream + url, [], { perMessageDeflate: false }));
  });
});
process.send?.({ kind: 'ready', port: await listen(server) });

function answer(client: WebSocket): void {
  client.on('message', (message) => {
    client.send(message.includes('response.create') ? created : delta, text);
  });
}

function pass(client: WebSocket, provider: WebSocket): void {
  const early: Buffer[] = [];
  client.on('message', (message, binary) => {
    if (provider.readyState === WebSocket.OPEN) provider.send(message, { binary });
    else early.push(message);
  });
  provider.on('open', () => {
    for (const message of early) provider.send(message, text);
  });
  provider.on('message', (message, binary) => client.send(message, { binary }));
  provider.on('error', () => client.terminate());
  client.on('close', () => provider.terminate());
}
