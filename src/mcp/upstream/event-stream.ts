import { limits } from './limits.ts';
import { LineReader } from './line-reader.ts';
import { failedError } from './server-errors.ts';

export interface ServerEvent {
  /** `message` unless the server names it. */
  readonly name: string;
  readonly data: Uint8Array;
  /** For the continuation of a broken stream; undefined if the event has none. */
  readonly id: string | undefined;
  /** When a broken stream may be continued. */
  readonly retryMs: number | undefined;
}

/** Reads the server-sent events of a response. Events without data are reported if they have an id. */
export async function* readEvents(
  server: string,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerEvent> {
  const tooLong = () => failedError(server, `sent an event of more than ${limits.messageBytesMax} bytes`);
  const lines = new LineReader(limits.messageBytesMax, tooLong);
  let name = 'message';
  let data: Uint8Array[] = [];
  let bytes = 0;
  let id: string | undefined;
  let retryMs: number | undefined;
  for await (const chunk of body)
    for (const line of lines.push(chunk)) {
      if (line.byteLength === 0) {
        if (data.length > 0 || id !== undefined) yield { name, data: joinLines(data), id, retryMs };
        name = 'message';
        data = [];
        bytes = 0;
        id = undefined;
        retryMs = undefined;
        continue;
      }
      const colon = line.indexOf(0x3a);
      const field = asText(colon < 0 ? line : line.subarray(0, colon));
      const value = colon < 0 ? line.subarray(line.length) : afterSpace(line.subarray(colon + 1));
      if (field === 'data') {
        bytes += value.byteLength + 1;
        if (bytes > limits.messageBytesMax) throw tooLong();
        data.push(value);
      } else if (field === 'event') name = asText(value);
      else if (field === 'id') id = asText(value);
      else if (field === 'retry') retryMs = Number(asText(value)) || undefined;
    }
}

function joinLines(lines: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array(0), ...rest] = lines;
  return rest.length === 0 ? first : Buffer.concat([first, ...rest.flatMap((line) => [lineFeed, line])]);
}

const lineFeed = Uint8Array.of(0x0a);

/** One space after the colon belongs to the syntax. */
function afterSpace(value: Uint8Array): Uint8Array {
  return value[0] === 0x20 ? value.subarray(1) : value;
}

function asText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 1024)).toString('utf8');
}
