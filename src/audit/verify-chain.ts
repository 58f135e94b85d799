import { type AuditTable, chainStart } from '../kernel/ports/audit.ts';
import type { JsonObject } from '../lib/json.ts';
import { ChainCheck } from './chain-check.ts';
import { limits } from './limits.ts';
import { statementOf } from './signed-points.ts';
import type { VerifiedChain } from './verify-lines.ts';

/** Verifies a chain where it is stored. `findProblem` verifies the signature of a statement. */
export async function verifyChain(
  table: Pick<AuditTable, 'following' | 'end' | 'signedPoints'>,
  chain: string,
  findProblem: (statement: JsonObject) => Promise<string | undefined>,
): Promise<VerifiedChain> {
  // Before the entries: others may be added meanwhile.
  const end = (await table.end(chain)) ?? chainStart;
  const faults: string[] = [];
  const signed = new Map<number, string>();
  let start = chainStart;
  for (const point of await table.signedPoints(chain)) {
    const statement = statementOf(point);
    const { audit: kind, chain: named, number, hash } = statement;
    const problem =
      named === chain && number === point.number ? await findProblem(statement) : 'it is about another entry';
    if (problem !== undefined) faults.push(`the statement about entry ${point.number}: ${problem}`);
    else {
      signed.set(point.number, String(hash));
      if (kind === 'removal') start = { number: point.number, hash: String(hash), atMs: 0 };
    }
  }
  const check = new ChainCheck({ chain, start, signed });
  for (let isMore = true; isMore; ) {
    const page = await table.following(chain, check.end.number, limits.exportedAtOnce);
    const entries = page.filter(({ number }) => number <= end.number);
    for (const { text, values } of entries)
      check.add(text, Object.assign({}, ...values.map((group) => group.values)));
    isMore = page.length === limits.exportedAtOnce && entries.length === page.length;
  }
  check.finish(end);
  return {
    chain,
    entries: check.count,
    from: start.number + 1,
    to: check.end.number,
    faults: [...faults, ...check.faults],
  };
}
