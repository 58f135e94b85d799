// How fast bodies of several shapes are scanned, beside JSON.parse: npm run bench:scan, or with files of one's own.
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseBody } from '../../src/kernel/json/parse-body.ts';
import { scan } from '../../src/kernel/scan/scan.ts';

const bounds = { valuesMax: Number.POSITIVE_INFINITY, depthMax: 200 };
const batchMs = 0.2;
const batchesMin = 20;
const msMin = 500;

const files = process.argv.slice(2);
const bodies: readonly (readonly [string, Buffer])[] =
  files.length > 0 ? files.map((file) => [basename(file), readFileSync(file)]) : shapes();

console.log('shape                          bytes   scan GB/s  JSON.parse  parseBody   scan µs');
for (const [name, body] of bodies) {
  const fast = microsOf(() => mustPass(body));
  const parse = microsOf(() => JSON.parse(body.toString()));
  const checked = microsOf(() => parseBody(body));
  const speed = (micros: number, width: number) => (body.length / micros / 1000).toFixed(3).padStart(width);
  console.log(
    `${name.padEnd(24)}${String(body.length).padStart(12)}${speed(fast, 12)}${speed(parse, 12)}${speed(checked, 11)}${fast.toFixed(2).padStart(10)}`,
  );
}

function mustPass(body: Buffer): void {
  const found = scan(body, bounds);
  if (typeof found === 'string') throw new Error(`refused: ${found}`);
}

/** The best of many short batches: others work on the machine, too. */
function microsOf(work: () => void): number {
  work();
  const startedAt = performance.now();
  let best = Number.POSITIVE_INFINITY;
  let times = 1;
  for (let batch = 0; batch < batchesMin || performance.now() - startedAt < msMin; batch++) {
    const batchAt = performance.now();
    for (let time = 0; time < times; time++) work();
    const ms = performance.now() - batchAt;
    best = Math.min(best, ms / times);
    if (ms < batchMs) times++;
  }
  return best * 1000;
}

function shapes(): readonly (readonly [string, Buffer])[] {
  const sources = globSync('src/**/*.ts', { cwd: join(import.meta.dirname, '..', '..') }).sort();
  const agent = (bytes: number, space?: number) => {
    const messages: object[] = [];
    for (let at = 0, length = 0; length < bytes; at++) {
      const file = sources[at % sources.length] ?? '';
      const text = readFileSync(join(import.meta.dirname, '..', '..', file), 'utf8').slice(0, bytes);
      messages.push(
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: `toolu_${at}`, name: 'read', input: { file } }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: `toolu_${at}`, content: text }] },
      );
      length += text.length + 250;
    }
    return Buffer.from(JSON.stringify({ model: 'm', max_tokens: 1000, stream: true, messages }, null, space));
  };
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  const random = (_: unknown, at: number) => Math.sin(at + 1);
  const letters = 'Ünïcödé wörds, 日本語 🎉 ';
  const image = { type: 'image', data: Buffer.alloc(3 << 20, 'an image').toString('base64') };
  const many = {
    type: 'object',
    properties: { name: { type: 'string' }, on: { type: 'boolean', default: true } },
  };
  return [
    ['hello', json({ model: 'm', messages: [{ role: 'user', content: 'hello' }] })],
    ['agent, 1 KB', agent(500)],
    ['agent, 16 KB', agent(15_000)],
    ['agent, 128 KB', agent(128 << 10)],
    ['agent, 1 MB', agent(1 << 20)],
    ['agent, 16 MB', agent(16 << 20)],
    ['agent, indented', agent(1 << 20, 2)],
    ['image', json({ messages: [{ role: 'user', content: [image] }] })],
    ['letters', json({ text: letters.repeat(20_000) })],
    ['letters, escaped', Buffer.from(escaped(JSON.stringify({ text: letters.repeat(20_000) })))],
    ['schemas', json({ tools: Array.from({ length: 10_000 }, () => many) })],
    ['floats', json({ input: Array.from({ length: 60_000 }, random) })],
    ['small numbers', json({ input: Array.from({ length: 200_000 }, (_, at) => at % 100) })],
    ['empty objects', json({ input: Array.from({ length: 100_000 }, () => ({})) })],
  ];
}

function escaped(text: string): string {
  return text.replace(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
