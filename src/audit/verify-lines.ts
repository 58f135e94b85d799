import type { PersonalValues } from '../kernel/ports/audit.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { canonicalJson } from './canonical-json.ts';
import { ChainCheck } from './chain-check.ts';
import { hashOf } from './hash-of.ts';
import { parseObject } from './parse-object.ts';

export interface VerifiedChain {
  readonly chain: string;
  readonly entries: number;
  /** The numbers of the first and the last entry. */
  readonly from: number;
  readonly to: number;
  readonly faults: readonly string[];
}

interface OpenChain {
  readonly check: ChainCheck;
  readonly from: number;
  readonly faults: string[];
  /** Of the statements so far. */
  readonly signatures: Set<unknown>;
  /** The last statement about the chain, if no entry follows it. */
  newest: { readonly number: number; readonly hash: string } | undefined;
}

/**
 * Verifies exports of one or several chains, line by line. Statements about the same entry must agree, so an earlier export shows
 * whether the past was rewritten.
 */
export class LineVerifier {
  readonly #findProblem: (statement: JsonObject) => Promise<string | undefined>;
  readonly #chains = new Map<string, OpenChain>();
  readonly #signed = new Map<string, Map<number, string>>();
  readonly #done: VerifiedChain[] = [];

  /** `findProblem` verifies the signature of a statement. */
  constructor(findProblem: (statement: JsonObject) => Promise<string | undefined>) {
    this.#findProblem = findProblem;
  }

  /** Text before the JSON, as in syslog, is left out. */
  async add(line: string): Promise<void> {
    const parsed = parseObject(line.slice(Math.max(line.indexOf('{'), 0)));
    const chain = String(parsed.chain ?? '');
    if (typeof parsed.audit === 'string') await this.#addStatement(chain, parsed);
    else this.#addEntry(chain, parsed);
  }

  /** At the end of a file: another one may have the same chain. */
  endFile(): void {
    for (const [chain, open] of this.#chains) this.#done.push(finish(chain, open));
    this.#chains.clear();
  }

  results(): readonly VerifiedChain[] {
    return this.#done;
  }

  async #addStatement(chain: string, statement: JsonObject): Promise<void> {
    const problem = await this.#findProblem(statement);
    const { audit: kind, number, hash } = statement;
    const point = { number: Number(number), hash: String(hash) };
    const signed = this.#signedOf(chain);
    const known = signed.get(point.number);
    if (problem === undefined) signed.set(point.number, point.hash);
    const open =
      this.#chains.get(chain) ??
      this.#open(chain, problem === undefined && kind !== 'head' ? point : undefined);
    if (problem !== undefined) open.faults.push(`the statement about entry ${point.number}: ${problem}`);
    else if (known !== undefined && known !== point.hash)
      open.faults.push(`two signed statements about entry ${point.number} differ`);
    else if (point.number === open.check.end.number && point.hash !== open.check.end.hash)
      open.faults.push(`entry ${point.number} or one before it differs from what was signed`);
    if (open.signatures.has(statement.signature))
      open.faults.push(`the statement about entry ${point.number} comes twice`);
    open.signatures.add(statement.signature);
    open.newest = point;
  }

  #addEntry(chain: string, line: JsonObject): void {
    const open = this.#chains.get(chain) ?? this.#open(chain, undefined);
    const { hash, values, ...fields } = line;
    const text = canonicalJson(fields);
    if (hash !== hashOf(text)) open.faults.push(`entry ${String(fields.number)} was changed`);
    open.check.add(text, valuesIn(values));
    open.newest = undefined;
  }

  #open(chain: string, start: { readonly number: number; readonly hash: string } | undefined): OpenChain {
    const check = new ChainCheck({
      chain,
      signed: this.#signedOf(chain),
      ...(start !== undefined && { start: { ...start, atMs: 0 } }),
    });
    const open: OpenChain = {
      check,
      from: (start?.number ?? 0) + 1,
      faults: start === undefined ? ['the file has no signed statement at its beginning'] : [],
      signatures: new Set(),
      newest: undefined,
    };
    this.#chains.set(chain, open);
    return open;
  }

  #signedOf(chain: string): Map<number, string> {
    const signed = this.#signed.get(chain) ?? new Map<number, string>();
    this.#signed.set(chain, signed);
    return signed;
  }
}

function finish(chain: string, { check, from, faults, newest }: OpenChain): VerifiedChain {
  if (newest === undefined) faults.push('the file has no signed statement at its end: lines may be missing');
  else check.finish(newest);
  const all = [...new Set([...faults, ...check.faults])];
  return { chain, entries: check.count, from, to: check.end.number, faults: all };
}

function valuesIn(given: unknown): PersonalValues {
  const entries = Object.entries(isJsonObject(given) ? given : {});
  return Object.fromEntries(
    entries.map(([name, one]) => {
      const { value, salt } = isJsonObject(one) ? one : {};
      return [name, { value: String(value), salt: String(salt) }];
    }),
  );
}
