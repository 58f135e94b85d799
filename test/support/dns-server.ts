import { createSocket } from 'node:dgram';
import type { TestContext } from 'node:test';
import { cleanUp } from './clean-up.ts';

/** Answers questions about TXT records, by UDP. */
export class DnsServer {
  readonly address: string;
  readonly records: Map<string, readonly string[]>;

  static async start(t: TestContext): Promise<DnsServer> {
    const socket = createSocket('udp4');
    const records = new Map<string, readonly string[]>();
    socket.on('message', (question, { address, port }) =>
      socket.send(answerTo(question, records), port, address),
    );
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    cleanUp(t, () => new Promise<void>((resolve) => socket.close(() => resolve())));
    return new DnsServer(`127.0.0.1:${socket.address().port}`, records);
  }

  private constructor(address: string, records: Map<string, readonly string[]>) {
    this.address = address;
    this.records = records;
  }
}

const headBytes = 12;

function answerTo(question: Buffer, records: ReadonlyMap<string, readonly string[]>): Buffer {
  const { name, end } = nameIn(question);
  const texts = records.get(name) ?? [];
  const head = Buffer.from(question.subarray(0, headBytes));
  // An answer with recursion, and "no such name" if there is none.
  head.writeUInt16BE(texts.length === 0 ? 0x8183 : 0x8180, 2);
  head.writeUInt16BE(texts.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, question.subarray(headBytes, end + 4), ...texts.map(recordOf)]);
}

function recordOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 255) {
    const part = bytes.subarray(at, at + 255);
    parts.push(Buffer.from([part.length]), part);
  }
  const data = Buffer.concat(parts);
  const head = Buffer.alloc(12);
  // The name of the question, TXT, IN, no time to live.
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(16, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function nameIn(question: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = headBytes;
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}
