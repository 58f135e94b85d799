import { gzipSync } from 'node:zlib';
import type { Dialect, Frame } from './dialects.ts';
import { mutatedJson } from './mutated-json.ts';
import type { Random } from './random.ts';
import type { RawAnswer } from './raw-provider.ts';

export interface HostileAnswer extends RawAnswer {
  /** The body that a client of the same format must get byte for byte; undefined where HTTP itself is broken. */
  readonly body: Uint8Array | undefined;
}

/** A good answer with one thing wrong: in what it says, in how it is framed, or in the HTTP around it. */
export function hostileAnswer(dialect: Dialect, streamed: boolean, random: Random): HostileAnswer {
  const turn = random.next();
  const body = streamed ? streamBody(dialect, random) : wholeBody(dialect, random);
  const type = typeOf(dialect, streamed);
  if (turn < 0.7) return plainly(body, type, random);
  if (turn < 0.8) return { ...plainly(body, random.pick(oddTypes), random), body: undefined };
  return { ...brokenHttp(body, type, random), body: undefined };
}

/** One that is as it should be. */
export function goodAnswer(dialect: Dialect, streamed: boolean): HostileAnswer {
  const { whole, frames } = dialect;
  const body = streamed
    ? framed(dialect, frames.map((frame) => textOf(frame)).join(''))
    : Buffer.from(JSON.stringify(whole));
  return { steps: [head(200, typeOf(dialect, streamed), body.byteLength), body], cut: false, body };
}

export function typeOf({ streamType = 'text/event-stream' }: Dialect, streamed: boolean): string {
  return streamed ? streamType : 'application/json';
}

/** Frames as they go over the wire. */
export function framed({ framed: pack = Buffer.from }: Dialect, text: string): Buffer {
  return pack(text);
}

const oddTypes = [
  '',
  'text/html',
  'application/json',
  'text/event-stream',
  'text/event-stream;x',
  'application/vnd.amazon.eventstream',
  'é',
  ';;;',
];

function wholeBody({ whole }: Dialect, random: Random): Buffer {
  const json = mutatedJson(whole, random, random.happens(0.2) ? 2 : 1);
  return random.happens(0.05) ? spoiled(Buffer.from(json), random) : Buffer.from(json);
}

function streamBody(dialect: Dialect, random: Random): Buffer {
  const { frames } = dialect;
  const chosen = random.below(frames.length);
  const frame = frames[chosen];
  if (frame === undefined) throw new Error('there are no frames');
  const texts = frames.map((one) => textOf(one));
  const turn = random.next();
  if (turn < 0.6) texts[chosen] = textOf(frame, random);
  else if (turn < 0.7) texts.splice(chosen, 1);
  else if (turn < 0.8) texts.splice(random.below(frames.length), 0, texts[chosen] ?? '');
  else if (turn < 0.84)
    texts[chosen] = textOf({ ...frame, event: random.pick(['', 'x', 'error', 'ping', frame.event]) });
  else if (turn < 0.88) texts[chosen] = random.pick(oddFrames);
  else if (turn < 0.92)
    texts[chosen] = (texts[chosen] ?? '').replaceAll('\n', random.pick(['\r\n', '\r', '\n\n']));
  else return spoiled(framed(dialect, texts.join('')), random);
  return framed(dialect, texts.join(''));
}

/** Deeper than there is stack for who would write it again. */
const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;

const oddFrames = [
  'data: [DONE]\n\n',
  'data\n\n',
  'data:\n\n',
  ': \n\n',
  'event: error\n\n',
  'event: throttlingException\ndata: {"message":{"a":1}}\n\n',
  'event: modelStreamErrorException\ndata: nonsense\n\n',
  'data: {"error":{"message":{"a":1},"code":[]}}\n\n',
  'data: {"error":"no"}\n\n',
  'data: nonsense\n\n',
  `data: "${'x'.repeat(200_000)}"\n\n`,
  `event: ${'e'.repeat(5000)}\ndata: {}\n\n`,
  `${'data: {\n'.repeat(2000)}\n`,
  `data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","input":${deep}}}\n\n`,
  'id: 1\nretry: -1\n\n',
  '\ufeffdata: {}\n\n',
];

function textOf({ event, data }: Frame, random?: Random): string {
  const name = event === '' ? '' : `event: ${event}\n`;
  if (data === undefined) return `${name}data: [DONE]\n\n`;
  const json =
    random === undefined ? JSON.stringify(data) : mutatedJson(data, random, random.happens(0.2) ? 2 : 1);
  return `${name}data: ${json}\n\n`;
}

/** Cut off somewhere, or with some bytes of it turned into others. */
function spoiled(bytes: Buffer, random: Random): Buffer {
  if (random.happens(0.5)) return bytes.subarray(0, random.below(bytes.byteLength));
  const copy = Buffer.from(bytes);
  for (let turned = random.below(5); turned >= 0; turned--)
    copy[random.below(copy.byteLength)] = random.below(256);
  return copy;
}

function plainly(body: Buffer, type: string, random: Random): HostileAnswer {
  const steps: (Uint8Array | string | number)[] = [head(200, type, body.byteLength)];
  if (random.happens(0.7)) return { steps: [...steps, body], cut: false, body };
  const piece = Math.ceil(body.byteLength / (1 + random.below(40))) || 1;
  for (let at = 0; at < body.byteLength; at += piece) steps.push(body.subarray(at, at + piece), 1);
  return { steps, cut: false, body };
}

type BrokenAnswer = (body: Buffer, type: string, random: Random) => RawAnswer;

const broken: readonly BrokenAnswer[] = [
  // Cut off in the middle.
  (body, type, random) => ({
    steps: [head(200, type, body.byteLength), body.subarray(0, random.below(body.byteLength))],
    cut: random.happens(0.5),
  }),
  // A length that isn't true.
  (body, type, random) => ({
    steps: [
      head(200, type, random.pick([0, 1, body.byteLength - 1, body.byteLength + 5, -1, 2 ** 53])),
      body,
    ],
    cut: false,
  }),
  (body, type) => ({
    steps: [lines('HTTP/1.1 200 OK', `content-type: ${type}`, 'content-length: 5, 6'), body],
    cut: false,
  }),
  // Other statuses.
  (body, type, random) => ({
    steps: [
      head(
        random.pick([100, 103, 201, 204, 205, 206, 301, 304, 400, 404, 429, 500, 503, 529, 599, 999]),
        type,
        body.byteLength,
      ),
      body,
    ],
    cut: false,
  }),
  // Chunks.
  (body, type, random) => ({
    steps: [
      lines('HTTP/1.1 200 OK', `content-type: ${type}`, 'transfer-encoding: chunked'),
      random.pick([
        `${body.byteLength.toString(16)}\r\n`,
        'zz\r\n',
        'ffffffffffffffff\r\n',
        '-1\r\n',
        '0\r\n\r\n',
      ]),
      body,
      random.pick(['\r\n0\r\n\r\n', '', '0', '\r\n0\r\nx: y\r\n\r\n']),
    ],
    cut: random.happens(0.3),
  }),
  // Labels of an encoding that it isn't in, or is in twice.
  (body, type, random) => {
    const encoding = random.pick(['gzip', 'br', 'deflate', 'zstd', 'gzip, gzip', 'x', 'identity']);
    const sent = random.happens(0.5) ? gzipSync(body) : body;
    return { steps: [head(200, type, sent.byteLength, `content-encoding: ${encoding}`), sent], cut: false };
  },
  // No HTTP, or hardly.
  (body, _type, random) => ({
    steps: [
      random.pick([
        '',
        'HTTP/1.1\r\n\r\n',
        'HTTP/9.9 200 OK\r\n\r\n',
        'SSH-2.0-x\r\n',
        '\u0000\u0000',
        'HTTP/1.1 200 OK\r\nx',
        'HTTP/1.1 abc\r\n\r\n',
      ]),
      body,
    ],
    cut: random.happens(0.5),
  }),
  // Headers without an end, and odd ones.
  (_body, type) => ({
    steps: [head(200, type, 0).slice(0, -2), 'x-more: and more\r\n'.repeat(8000)],
    cut: false,
  }),
  (body, type, random) => ({
    steps: [
      head(
        200,
        type,
        body.byteLength,
        random.pick([
          'x-é: ü',
          'retry-after: nonsense',
          'x-request-id: evil',
          'set-cookie: a=b',
          'x-weir-cost-usd: -1',
          'connection: close, x',
          ': no name',
          `x-long: ${'x'.repeat(20_000)}`,
        ]),
      ),
      body,
    ],
    cut: false,
  }),
  // Two answers to one question, and one that comes after a hint.
  (body, type) => ({
    steps: [head(200, type, body.byteLength), body, head(200, type, body.byteLength), body],
    cut: false,
  }),
  (body, type) => ({
    steps: ['HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n', head(200, type, body.byteLength), 2, body],
    cut: false,
  }),
];

function brokenHttp(body: Buffer, type: string, random: Random): RawAnswer {
  return random.pick(broken)(body, type, random);
}

function head(status: number, type: string, length: number, ...more: readonly string[]): string {
  const label = type === '' ? [] : [`content-type: ${type}`];
  return lines(`HTTP/1.1 ${status} Said`, ...label, `content-length: ${length}`, ...more);
}

function lines(...all: readonly string[]): string {
  return `${all.join('\r\n')}\r\n\r\n`;
}
