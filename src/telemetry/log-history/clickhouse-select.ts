import type { z } from 'zod';
import { storageUnavailable } from '../../kernel/ports/storage-unavailable.ts';
import { limits } from '../limits.ts';
import type { PostToClickHouse } from '../log-sinks/clickhouse.ts';

/** A statement with values, which are sent beside it. */
export class ClickHouseSelect {
  readonly #parameters: Record<string, string> = {};
  readonly #conditions: string[] = [];

  get where(): string {
    return this.#conditions.length === 0 ? '1' : this.#conditions.join(' AND ');
  }

  /** Adds a condition that all rows have to meet. */
  and(condition: string): void {
    this.#conditions.push(`(${condition})`);
  }

  text(value: string): string {
    // ClickHouse reads values as it reads fields of tab-separated lines.
    const escaped = value.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n');
    return this.#parameter(escaped, 'String');
  }

  integer(value: number): string {
    return this.#parameter(String(value), 'Int64');
  }

  time(ms: number): string {
    return `fromUnixTimestamp64Milli(${this.integer(ms)})`;
  }

  async run<Row>(
    postToClickHouse: PostToClickHouse,
    statement: string,
    row: z.ZodType<Row>,
  ): Promise<readonly Row[]> {
    const response = await postToClickHouse({
      parameters: {
        ...this.#parameters,
        output_format_json_quote_64bit_integers: '0',
        // Each row and its repetitions are in the same partition.
        do_not_merge_across_partitions_select_final: '1',
        max_execution_time: String(limits.clickHouseReadSeconds),
        // An error in the middle of a response would look like rows.
        wait_end_of_query: '1',
      },
      body: `${statement} FORMAT JSONEachRow`,
    }).catch((cause) => {
      throw storageUnavailable('the history of calls in ClickHouse is not available', cause);
    });
    const text = await response.text();
    if (!response.ok)
      throw storageUnavailable(
        'the history of calls in ClickHouse is not available',
        new Error(
          `ClickHouse answered ${response.status}: ${text.slice(0, limits.clickHouseErrorCharacters)}`,
        ),
      );
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => row.parse(JSON.parse(line)));
  }

  #parameter(value: string, type: 'String' | 'Int64'): string {
    const name = `p${Object.keys(this.#parameters).length}`;
    this.#parameters[`param_${name}`] = value;
    return `{${name}:${type}}`;
  }
}
