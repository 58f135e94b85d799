import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { canonicalJson } from '../canonical-json.ts';
import { limits } from '../limits.ts';
import { parseObject } from '../parse-object.ts';
import { EvidenceDigests } from './bundle.ts';
import { evidenceSections } from './rows.ts';

type ProblemFinder = (statement: JsonObject) => Promise<string | undefined>;

interface VerifiedBundle {
  /** `instance`, or the id of the account. */
  readonly about: string;
  readonly lines: number;
  readonly signedAt: string;
  readonly faults: readonly string[];
}

/** Verifies a bundle from its bytes. `findProblem` verifies the signature of a statement. */
export async function verifyBundle(
  bytes: AsyncIterable<Uint8Array>,
  findProblem: ProblemFinder,
): Promise<VerifiedBundle> {
  const digests = new EvidenceDigests();
  const faults: string[] = [];
  let statement: JsonObject | undefined;
  let number = 0;
  for await (const line of linesOf(bytes)) {
    number++;
    const text = Buffer.from(line).toString('utf8');
    const fields = parseObject(text);
    const section = evidenceSections.find((name) => name === fields.section);
    if (statement !== undefined) faults.push(`line ${number} follows the signed statement`);
    else if (section !== undefined) {
      digests.add(section, line);
      faults.push(...(await faultsOfHead(fields, findProblem)));
    } else if (typeof fields.evidence === 'string') {
      statement = fields;
      faults.push(...(await faultsOfStatement(text, fields, findProblem)));
    } else faults.push(`line ${number} belongs to no section`);
  }
  if (statement === undefined)
    faults.push('the file has no signed statement at its end: lines may be missing');
  else faults.push(...differences(digests.result(), statement));
  const { evidence, account, signed_at: signedAt } = statement ?? {};
  const about = String((evidence === 'account' ? account : evidence) ?? 'unknown');
  return { about, lines: number, signedAt: String(signedAt), faults };
}

/** Lines with their ends. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of bytes) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      yield Buffer.concat([rest, chunk.subarray(from, end + 1)]);
      rest = new Uint8Array();
      from = end + 1;
    }
    rest = Buffer.concat([rest, chunk.subarray(from)]);
    if (rest.length > limits.evidenceLineBytesMax) throw new Error('the file has a line that is too long');
  }
  if (rest.length > 0) yield rest;
}

async function faultsOfStatement(
  text: string,
  statement: JsonObject,
  findProblem: ProblemFinder,
): Promise<readonly string[]> {
  const problem = await findProblem(statement);
  if (problem !== undefined) return [`the signed statement: ${problem}`];
  // The same fields and bytes of the signature could be written in other ways.
  const signature = String(statement.signature).split('.').at(-1) ?? '';
  const isPlain =
    text === `${canonicalJson(statement)}\n` &&
    signature === Buffer.from(signature, 'base64url').toString('base64url');
  return isPlain ? [] : ['the signed statement is not written as Weir writes it'];
}

/** The newest entry of a chain has a signed statement of its own. */
async function faultsOfHead(
  { section, chain, head }: JsonObject,
  findProblem: ProblemFinder,
): Promise<readonly string[]> {
  if (section !== 'audit' || !isJsonObject(head)) return [];
  const problem = head.chain === chain ? await findProblem(head) : 'it is about another chain';
  return problem === undefined ? [] : [`the newest audit entry of ${String(chain)}: ${problem}`];
}

function differences(
  { sections, ...all }: ReturnType<EvidenceDigests['result']>,
  statement: JsonObject,
): readonly string[] {
  const signed = isJsonObject(statement.sections) ? statement.sections : {};
  const changed = evidenceSections
    .filter((name) => !isDeepStrictEqual(signed[name], sections[name]))
    .map((name) => `the section "${name}" is not the one that was signed`);
  const isSame = statement.lines === all.lines && statement.sha256 === all.sha256;
  return isSame || changed.length > 0 ? changed : ['the lines are not in the order that was signed'];
}
