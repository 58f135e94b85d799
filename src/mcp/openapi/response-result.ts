import type { McpCompleteResult } from '../../kernel/ports/mcp.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { ApiTool } from './api-tool.ts';
import { findFaults } from './check-arguments.ts';
import { limits } from './limits.ts';
import { uncoveredField } from './output-schema.ts';
import { isJsonType } from './parameters.ts';

/** The result of a tool call from the response of the API. */
export async function resultOf(response: Response, tool: ApiTool): Promise<McpCompleteResult> {
  const { bytes, isWhole } = await readStart(response);
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok) return failureResult(response, tool, Buffer.from(bytes).toString('utf8'));
  const media = mediaKind(type);
  if (media !== undefined && isWhole) {
    const mimeType = type.split(';', 1)[0]?.trim() ?? '';
    const content = { type: media, data: Buffer.from(bytes).toString('base64'), mimeType };
    return { resultType: 'complete', content: [content], ...structured(undefined, tool) };
  }
  if (!isText(type, bytes)) {
    const text = `The response is ${isWhole ? bytes.byteLength : `more than ${bytes.byteLength}`} bytes of ${type}, which are not shown.`;
    return { resultType: 'complete', content: [textContent(text)], ...structured(undefined, tool) };
  }
  return textResult(Buffer.from(bytes).toString('utf8'), { type, isWhole, status: response.status, tool });
}

export function errorResult(text: string): McpCompleteResult {
  return { resultType: 'complete', content: [textContent(text)], isError: true };
}

interface TextOptions {
  readonly type: string;
  readonly isWhole: boolean;
  readonly status: number;
  readonly tool: ApiTool;
}

function textResult(text: string, { type, isWhole, status, tool }: TextOptions): McpCompleteResult {
  const value = isWhole && (isJsonType(type) || type === '') ? jsonIn(text) : undefined;
  const shown = text === '' ? `The API answered ${status} without content.` : cut(text, isWhole);
  return { resultType: 'complete', content: [textContent(shown)], ...structured(value, tool, text.length) };
}

/** The response as JSON, if it is an object and not too long for a model. A tool with an output schema always has it. */
function structured(
  value: unknown,
  { promised }: ApiTool,
  characters = 0,
): { readonly structuredContent?: JsonObject } {
  const isShort = characters <= limits.textCharactersMax;
  if (promised === undefined) return isJsonObject(value) && isShort ? { structuredContent: value } : {};
  if (isJsonObject(value) && isShort && findFaults(value, promised).length === 0)
    return { structuredContent: value };
  return { structuredContent: { [uncoveredField]: isShort ? (value ?? null) : null } };
}

/** Redirects are not followed: the secrets are for this API alone. */
function failureResult(response: Response, { method, path }: ApiTool, text: string): McpCompleteResult {
  const { status, statusText, headers } = response;
  const name = `${method} ${path}: the API answered ${status} ${statusText}`.trim();
  const wait = headers.get('retry-after');
  const hints = [
    status >= 300 &&
      status < 400 &&
      `It redirects to ${originOf(headers.get('location'), response)}, which is not followed.`,
    status === 401 && 'The credentials that are stored with this server are missing or wrong.',
    wait !== null && `It can be called again after: ${wait.slice(0, 40)}.`,
    text !== '' && excerpt(text),
  ];
  return errorResult([name, ...hints.filter((hint) => typeof hint === 'string')].join('\n'));
}

function originOf(location: string | null, { url }: Response): string {
  return URL.parse(location ?? '', url === '' ? undefined : url)?.origin ?? 'another address';
}

function excerpt(text: string): string {
  if (text.length <= limits.errorCharactersMax) return text;
  return `${text.slice(0, limits.errorCharactersMax)}\n(the first ${limits.errorCharactersMax} characters)`;
}

function cut(text: string, isWhole: boolean): string {
  const { textCharactersMax } = limits;
  if (isWhole && text.length <= textCharactersMax) return text;
  const total = isWhole ? `${text.length}` : `more than ${text.length}`;
  return `${text.slice(0, textCharactersMax).toWellFormed()}\n(cut: ${Math.min(text.length, textCharactersMax)} of ${total} characters)`;
}

function textContent(text: string): JsonObject {
  return { type: 'text', text };
}

function mediaKind(type: string): 'image' | 'audio' | undefined {
  const lower = type.toLowerCase();
  if (lower.startsWith('image/') && !lower.startsWith('image/svg')) return 'image';
  return lower.startsWith('audio/') ? 'audio' : undefined;
}

/** By its type; without one, by its bytes. */
function isText(type: string, bytes: Uint8Array): boolean {
  const lower = type.toLowerCase();
  if (lower === '' || bytes.byteLength === 0) return !bytes.includes(0);
  return lower.startsWith('text/') || isJsonType(lower) || textTypes.some((name) => lower.includes(name));
}

const textTypes = [
  'xml',
  'yaml',
  'javascript',
  'x-www-form-urlencoded',
  'graphql',
  'csv',
  'ndjson',
  'jsonl',
  'toml',
];

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface ResponseStart {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
}

async function readStart(response: Response): Promise<ResponseStart> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    parts.push(part);
    bytes += part.byteLength;
    // Leaving the loop ends the response.
    if (bytes > limits.responseBytesMax)
      return { bytes: Buffer.concat(parts).subarray(0, limits.responseBytesMax), isWhole: false };
  }
  return { bytes: Buffer.concat(parts), isWhole: true };
}
