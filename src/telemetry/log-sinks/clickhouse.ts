import type { EgressFetch } from '../../kernel/ports/fetch.ts';
import type { Secret } from '../../lib/secret.ts';
import { limits } from '../limits.ts';
import type { SinkTarget } from './log-sink.ts';

export interface ClickHouseSettings {
  readonly url: string;
  /** `user:password`. */
  readonly key: Secret | undefined;
  readonly table: string;
}

/** Inserts calls into a table of ClickHouse over HTTP. The token lets the server leave out a batch that it has. */
export function createClickHouseTarget(
  { url, key, table }: ClickHouseSettings,
  egressFetch: EgressFetch,
): SinkTarget {
  return {
    name: 'ClickHouse',
    flushMs: limits.clickHouseFlushMs,
    callsAtOnce: limits.clickHouseCallsAtOnce,
    async send({ id, body }) {
      const address = new URL(`${url}/`);
      address.search = new URLSearchParams({
        query: `INSERT INTO ${table} FORMAT JSONEachRow`,
        date_time_input_format: 'best_effort',
        input_format_skip_unknown_fields: '1',
        insert_deduplication_token: id,
      }).toString();
      const [user = 'default', password = ''] = splitOnce(key?.reveal() ?? 'default');
      const response = await egressFetch(address, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-ndjson',
          'content-encoding': 'gzip',
          'x-clickhouse-user': user,
          'x-clickhouse-key': password,
        },
        body,
      });
      await response.body?.cancel();
      return response.status;
    },
  };
}

/** At the first colon: a password may have more. */
export function splitOnce(text: string): readonly string[] {
  const at = text.indexOf(':');
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
