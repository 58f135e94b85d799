import { isJsonObject } from '../../src/lib/json.ts';
import type { Random } from './random.ts';

/** Writes a value as JSON with something wrong in as many places; text, since not all of it can be said in values. */
export function mutatedJson(value: unknown, random: Random, places = 1): string {
  const all = placesIn(value);
  const edits = new Map<string, Edit>();
  for (let made = 0; made < places; made++) edits.set(random.pick(all), editOf(random));
  return written(value, '', edits) ?? 'null';
}

/** Writes a value as JSON with the text in place of some of its strings. */
export function withText(value: unknown, text: string, random: Random, places: number): string {
  const edit: Edit = { kind: 'other', json: JSON.stringify(text) };
  const strings = placesIn(value, '', (inner) => typeof inner === 'string');
  const edits = Array.from({ length: places }, () => [random.pick(strings), edit] as const);
  return written(value, '', new Map(edits)) ?? 'null';
}

/** Each thing that can be wrong in each place, one at a time; written by who wants it. */
export function* everyMutation(value: unknown): Generator<() => string> {
  for (const place of placesIn(value))
    for (const edit of everyEdit) yield () => written(value, '', new Map([[place, edit]])) ?? 'null';
}

/** What is done to the value in a place. */
type Edit =
  | { readonly kind: 'other'; readonly json: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'more'; readonly name: string; readonly json: string }
  | { readonly kind: 'twice'; readonly json: string }
  | { readonly kind: 'wrapped' };

const names = [
  '__proto__',
  'constructor',
  'toString',
  'type',
  'id',
  'content',
  'length',
  'error',
  'usage',
  '',
];

const oddities: readonly string[] = [
  ...['null', 'true', 'false', '0', '-1', '-0', '1.5', '1e308', '1e999', '-1e999', '1e-400', '2147483648'],
  ...['9007199254740993', '99999999999999999999999', '""', '"x"', '" "', '"0"', '"null"', '"__proto__"'],
  ...['"\\u0000"', '"\\ud800"', '"é🔑‮"', '"a\\r\\nb: c"', '"data: x\\n\\n"', '"[DONE]"', '"error"', '"text"'],
  ...['"tool_use"', '"thinking"', '"function_call"', '"message_stop"', '"response.completed"', '"failed"'],
  ...['[]', '{}', '[[]]', '[null]', '[{}]', '[1,"x"]', '{"toString":1}', '{"toString":null,"valueOf":null}'],
  ...['{"__proto__":{"type":"text"}}', '{"__proto__":null}', '{"length":-1}', '{"type":{"toString":1}}'],
  ...['[{"type":{"toString":1}}]', '[{"type":"text","text":{}}]', '[{"type":"text"}]', '{"then":1}'],
  ...['{"type":"foreign","wire":"openai-chat","kind":"x","part":{}}', '{"type":"error","error":null}'],
  `"${'long '.repeat(4000)}"`,
  `${'['.repeat(300)}${']'.repeat(300)}`,
  `${'{"a":'.repeat(150)}1${'}'.repeat(150)}`,
  `[${'{},'.repeat(500)}{}]`,
];

const everyEdit: readonly Edit[] = [
  { kind: 'missing' },
  { kind: 'wrapped' },
  ...oddities.map((json): Edit => ({ kind: 'other', json })),
  ...names.map((name): Edit => ({ kind: 'more', name, json: '{"toString":1}' })),
];

function editOf(random: Random): Edit {
  const json = random.pick(oddities);
  const turn = random.next();
  if (turn < 0.6) return { kind: 'other', json };
  if (turn < 0.75) return { kind: 'missing' };
  if (turn < 0.85) return { kind: 'more', name: random.pick(names), json };
  return turn < 0.95 ? { kind: 'twice', json } : { kind: 'wrapped' };
}

/** Every place in a value, as a path that is written the same way further down. */
function placesIn(
  value: unknown,
  at = '',
  isWanted: (value: unknown) => boolean = () => true,
): readonly string[] {
  const inner = Array.isArray(value)
    ? value.flatMap((item, index) => placesIn(item, `${at}/${index}`, isWanted))
    : isJsonObject(value)
      ? Object.entries(value).flatMap(([name, item]) => placesIn(item, `${at}/${name}`, isWanted))
      : [];
  return isWanted(value) ? [at, ...inner] : inner;
}

/** Undefined where the value is to be left out. */
function written(value: unknown, at: string, edits: ReadonlyMap<string, Edit>): string | undefined {
  const edit = edits.get(at);
  if (edit?.kind === 'other') return edit.json;
  if (edit?.kind === 'missing') return undefined;
  const text = insideOf(value, at, edits);
  if (edit?.kind === 'wrapped') return `[${text}]`;
  if (edit?.kind !== 'more') return text;
  const field = `${JSON.stringify(edit.name)}:${edit.json}`;
  if (isJsonObject(value)) return text === '{}' ? `{${field}}` : `{${field},${text.slice(1)}`;
  return Array.isArray(value)
    ? text === '[]'
      ? `[${edit.json}]`
      : `[${edit.json},${text.slice(1)}`
    : edit.json;
}

function insideOf(value: unknown, at: string, edits: ReadonlyMap<string, Edit>): string {
  if (Array.isArray(value))
    return `[${value.flatMap((item, index) => written(item, `${at}/${index}`, edits) ?? []).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).flatMap(([name, item]) => {
    const place = `${at}/${name}`;
    const text = written(item, place, edits);
    if (text === undefined) return [];
    const edit = edits.get(place);
    const field = `${JSON.stringify(name)}:${text}`;
    return edit?.kind === 'twice' ? [field, `${JSON.stringify(name)}:${edit.json}`] : [field];
  });
  return `{${fields.join(',')}}`;
}
