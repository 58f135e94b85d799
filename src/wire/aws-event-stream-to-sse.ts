import { type AwsEventStreamMessage, AwsEventStreamParser } from './aws-event-stream.ts';
import { parseObject, stringOf } from './json-values.ts';

/** Converts Amazon's event streams to server-sent events, which all decoders here read. */
export class AwsEventStreamToSse {
  readonly #parser = new AwsEventStreamParser();

  push(chunk: Uint8Array): Uint8Array {
    return Buffer.from(this.#parser.push(chunk).map(toSseFrame).join(''));
  }
}

function toSseFrame({ headers, payload }: AwsEventStreamMessage): string {
  const text = payload.toString('utf8');
  const kind = headers.get(':message-type');
  if (kind === 'exception') return errorFrame(headers.get(':exception-type'), errorMessageIn(text));
  if (kind === 'error') return errorFrame(headers.get(':error-code'), headers.get(':error-message'));
  const name = headers.get(':event-type') ?? '';
  return name === 'chunk' ? unwrapChunk(text) : formatSseFrame(name, text);
}

/** Frames in a model's own format are wrapped once more. */
function unwrapChunk(text: string): string {
  const packed = stringOf(parseObject(text)?.bytes);
  if (packed === undefined) return '';
  const event = Buffer.from(packed, 'base64').toString('utf8');
  return formatSseFrame(stringOf(parseObject(event)?.type) ?? '', event);
}

/** JSON has line breaks only if it is pretty-printed. */
function formatSseFrame(name: string, json: string): string {
  return `event: ${name.replace(/[^\w-]/g, '')}\ndata: ${json.replace(/[\r\n]+/g, ' ')}\n\n`;
}

function errorMessageIn(text: string): string | undefined {
  const { message, originalMessage } = parseObject(text) ?? {};
  return stringOf(message) ?? stringOf(originalMessage);
}

function errorFrame(name = '', message = 'the provider reported an error without a message'): string {
  const type = errorTypes.get(name.toLowerCase()) ?? 'api_error';
  return formatSseFrame('error', JSON.stringify({ type: 'error', error: { type, message } }));
}

/** Amazon's stream exceptions as Anthropic's error types. */
const errorTypes: ReadonlyMap<string, string> = new Map([
  ['validationexception', 'invalid_request_error'],
  ['accessdeniedexception', 'permission_error'],
  ['resourcenotfoundexception', 'not_found_error'],
  ['throttlingexception', 'rate_limit_error'],
  ['servicequotaexceededexception', 'rate_limit_error'],
  ['modeltimeoutexception', 'timeout_error'],
  ['serviceunavailableexception', 'overloaded_error'],
  ['modelnotreadyexception', 'overloaded_error'],
]);
