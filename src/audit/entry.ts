import { randomUUID } from 'node:crypto';
import type {
  AuditEntry,
  ChainPoint,
  LinkedEntry,
  PersonalValues,
  ValuesOfPerson,
} from '../kernel/ports/audit.ts';
import { canonicalJson } from './canonical-json.ts';
import { shown, splitPersonal } from './change.ts';
import { commitmentsTo, saltedValue } from './commitment.ts';
import type { AuditRecord } from './facts.ts';
import { hashOf } from './hash-of.ts';

/** An entry without its place in a chain: attempts to store it again have the same salts. */
export interface PreparedEntry extends Omit<AuditEntry, 'number' | 'text'> {
  readonly fields: object;
}

export function prepareEntry(record: AuditRecord, chain: string, atMs: number): PreparedEntry {
  const {
    event,
    entry,
    actor = '',
    account,
    id: request,
    address,
    client,
    email,
    before,
    after,
    ...facts
  } = record;
  const [role = '', name = ''] = actor.split(/:(.*)/s);
  // The login name of an operator is a name of a person; the ids of people and keys say nothing by themselves.
  const isNamed = role === 'operator' && name !== '';
  const [old, made] = [splitPersonal(shown(before ?? {})), splitPersonal(shown(after ?? {}))];
  const values = groupByPerson([
    { person: role === 'user' ? name : '', texts: { address, client, operator: isNamed ? name : undefined } },
    { person: record.user ?? record.member ?? '', texts: { email } },
    { person: '', texts: { ...atPath('before', old.personal), ...atPath('after', made.personal) } },
  ]);
  const personal = commitmentsTo(Object.assign({}, ...values.map((group) => group.values)));
  const id = entry ?? randomUUID();
  const named = isNamed ? role : actor;
  const fields = {
    ...facts,
    ...{ chain, id, event, request },
    actor: named === '' ? undefined : named,
    before: before && old.plain,
    after: after && made.plain,
    account: account === chain ? undefined : account,
    personal: values.length > 0 ? personal : undefined,
  };
  return { id, atMs, event, actor: named, values, fields };
}

/** The entry at the end of a chain. Times never go back, whatever the clocks of replicas do. */
export function linkEntry({ fields, ...entry }: PreparedEntry, end: ChainPoint): LinkedEntry {
  const number = end.number + 1;
  const atMs = Math.max(entry.atMs, end.atMs);
  const text = canonicalJson({ ...fields, number, at: new Date(atMs).toISOString(), previous: end.hash });
  return { ...entry, number, atMs, text, hash: hashOf(text) };
}

function atPath(
  path: 'before' | 'after',
  texts: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [`${path}.${name}`, text]));
}

interface TextsOfPerson {
  readonly person: string;
  readonly texts: Readonly<Record<string, string | undefined>>;
}

function groupByPerson(given: readonly TextsOfPerson[]): readonly ValuesOfPerson[] {
  const groups = new Map<string, PersonalValues>();
  for (const { person, texts } of given)
    for (const [name, text] of Object.entries(texts))
      if (text !== undefined) groups.set(person, { ...groups.get(person), [name]: saltedValue(text) });
  return [...groups].map(([person, values]) => ({ person, values }));
}
