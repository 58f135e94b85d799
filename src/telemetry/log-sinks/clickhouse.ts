import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { EgressFetch } from '../../kernel/ports/fetch.ts';
import type { Secret } from '../../lib/secret.ts';
import { limits } from '../limits.ts';
import { checkAccepted, type SinkTarget } from './log-sink.ts';

export interface ClickHouseSettings {
  readonly url: string;
  /** `user:password`. */
  readonly key: Secret | undefined;
  readonly table: string;
}

interface ClickHouseRequest {
  /** The query or its settings. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export type PostToClickHouse = (request: ClickHouseRequest) => Promise<Response>;

export function connectToClickHouse(
  { url, key }: ClickHouseSettings,
  egressFetch: EgressFetch,
): PostToClickHouse {
  return ({ parameters, headers, body }) => {
    const address = new URL(`${url}/`);
    address.search = new URLSearchParams(parameters).toString();
    const [user = 'default', password = ''] = splitOnce(key?.reveal() ?? 'default');
    return egressFetch(address, {
      method: 'POST',
      headers: { ...headers, 'x-clickhouse-user': user, 'x-clickhouse-key': password },
      body,
    });
  };
}

/** Inserts calls into a table of ClickHouse over HTTP. The token lets the server leave out a batch that it has. */
export function createClickHouseTarget(table: string, postToClickHouse: PostToClickHouse): SinkTarget {
  return {
    name: 'ClickHouse',
    flushMs: limits.clickHouseFlushMs,
    callsAtOnce: limits.clickHouseCallsAtOnce,
    async send({ id, text }) {
      const response = await postToClickHouse({
        parameters: {
          query: `INSERT INTO ${table} FORMAT JSONEachRow`,
          date_time_input_format: 'best_effort',
          input_format_skip_unknown_fields: '1',
          insert_deduplication_token: id,
        },
        headers: { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' },
        body: await promisify(gzip)(text),
      });
      await response.body?.cancel();
      checkAccepted('ClickHouse', response.status);
    },
  };
}

/** At the first colon: a password may have more. */
export function splitOnce(text: string): readonly string[] {
  const at = text.indexOf(':');
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
