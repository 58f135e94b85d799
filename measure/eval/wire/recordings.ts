import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../src/lib/json.ts';
import type { Format } from './formats.ts';

/** A real call to a provider, as it was recorded. */
export interface Recording {
  readonly id: string;
  readonly format: Format;
  readonly provider: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly status: number;
  readonly type: string;
  readonly kind: 'json' | 'sse' | 'text';
  /** What the provider answered. */
  readonly bytes: Buffer;
}

/** The recordings of one format: a folder for each source, a file for each API, a line for each call. */
export function recordingsOf(folder: string, format: Format): readonly Recording[] {
  const files = readdirSync(folder)
    .map((source) => join(folder, source, `${format.api}.jsonl`))
    .filter((file) => existsSync(file));
  return files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => recordingOf(JSON.parse(line), format)),
  );
}

interface Line {
  readonly id: string;
  readonly provider: string;
  readonly request: { readonly method: string; readonly url: string; readonly body: unknown };
  readonly response: {
    readonly status: number;
    readonly headers: JsonObject;
    readonly kind: Recording['kind'];
    readonly body: unknown;
  };
}

const types = { json: 'application/json', sse: 'text/event-stream; charset=utf-8', text: 'text/plain' };

function recordingOf({ id, provider, request, response }: Line, format: Format): Recording {
  const { status, headers, kind, body } = response;
  const type = isJsonObject(headers) ? headers['content-type'] : undefined;
  return {
    id,
    format,
    provider,
    method: request.method,
    path: pathOf(request.url),
    body: isJsonObject(request.body)
      ? (format.recorded?.(request.body, request.url) ?? request.body)
      : request.body,
    status,
    type: typeof type === 'string' && type !== '' ? type : types[kind],
    kind,
    bytes: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  };
}

/** Of any address, also where a placeholder stands for the host. */
function pathOf(url: string): string {
  return /^(?:[a-z]+:\/\/[^/]*)?([^?#]*)/i.exec(url)?.[1] ?? '';
}
