// `npm run bench:realtime`: what a frame of a realtime session costs in the gateway and in the barest proxy of WebSockets, by turns in one run.
/// <reference path="../../src/http/ws.d.ts" />

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { WebSocket } from 'ws';
import { byTurns } from './by-turns.ts';
import { endOnSignals } from './end-on-signals.ts';
import { usage } from './messages.ts';
import { numberOption } from './number-option.ts';
import { spreadOf } from './statistics.ts';
import { startOwn } from './subjects.ts';
import { type Gateway, startWeir } from './weir.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '1.5' },
    sessions: { type: 'string', default: '8' },
  },
});
const rounds = numberOption('rounds', values.rounds);
const seconds = numberOption('seconds', values.seconds);
const sessions = numberOption('sessions', values.sessions);
/** Frames of a session that are under way at once. */
const underWay = 8;
const warmUpSeconds = 5;
/** 20 ms of sound. */
const sound = JSON.stringify({
  type: 'input_audio_buffer.append',
  audio: Buffer.alloc(960, 'sound').toString('base64'),
});
const text = { binary: false };

endOnSignals();
await using children = new AsyncDisposableStack();
const provider = children.use(await startOwn('realtime-server.ts'));
const upstream = provider.origin.replace('http', 'ws');
const bare: Subject = { gateway: children.use(await startOwn('realtime-server.ts', '--upstream', upstream)) };
const weir: Subject = { gateway: children.use(await startWeir({ upstream: provider.origin })) };
const subjects = [bare, weir];
for (const subject of subjects) await frameMicros(subject, warmUpSeconds);
const turns = await byTurns(subjects, rounds, (subject) => frameMicros(subject, seconds));
const [ofBare = [], ofWeir = []] = subjects.map((subject) => turns.get(subject) ?? []);
const { median, lowest, highest } = spreadOf(ofWeir.map((micros, at) => micros / (ofBare[at] ?? Number.NaN)));
console.log(
  `a frame of 20 ms of sound takes ${spreadOf(ofWeir).median.toFixed(1)} µs of CPU time in Weir, ` +
    `${spreadOf(ofBare).median.toFixed(1)} µs in the barest proxy: ${median.toFixed(2)} times ` +
    `(${lowest.toFixed(2)}–${highest.toFixed(2)}) in ${rounds} rounds of ${seconds} s, ${sessions} sessions`,
);

interface Subject {
  readonly gateway: Gateway;
}

/** CPU time of a frame, whichever way it goes. */
async function frameMicros({ gateway: { child, origin } }: Subject, forSeconds: number): Promise<number> {
  const clients = await Promise.all(Array.from({ length: sessions }, () => open(origin)));
  const before = await child.ask({ kind: 'usage' }, usage);
  let frames = 0;
  let isOver = false;
  for (const client of clients) {
    client.on('message', () => {
      frames += 2;
      if (!isOver) client.send(sound, text);
    });
    for (let count = 0; count < underWay; count += 1) client.send(sound, text);
  }
  await sleep(forSeconds * 1000);
  const after = await child.ask({ kind: 'usage' }, usage);
  isOver = true;
  const counted = frames;
  for (const client of clients) client.terminate();
  return (after.cpuMicros - before.cpuMicros) / counted;
}

/** A session in whose response sound arrives. */
async function open(origin: string): Promise<WebSocket> {
  const headers = { authorization: 'Bearer anything' };
  const address = `${origin.replace('http', 'ws')}/v1/realtime?model=gpt-realtime`;
  const client = new WebSocket(address, [], { headers, perMessageDeflate: false });
  await once(client, 'open');
  client.send(JSON.stringify({ type: 'response.create' }), text);
  await once(client, 'message');
  return client;
}
