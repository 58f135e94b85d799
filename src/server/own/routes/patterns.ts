import { z } from 'zod';
import { scopeOf } from '../../../kernel/caller.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { limits } from '../../../kernel/limits.ts';
import { parseBody } from '../../../kernel/parse-body.ts';
import type { Pattern } from '../../../kernel/ports/patterns.ts';
import type { PersonsWord } from '../../../patterns/new-pattern.ts';
import type { PatternBook } from '../../../patterns/pattern-book.ts';
import type { AccountCaller } from '../access.ts';
import { checked, checkedQuery, invalid } from '../checked.ts';
import { bySessionOrKey, checkedRoute } from '../checked-route.ts';
import { type BodyRule, jsonBody, noBody } from '../json-body.ts';
import { pageLimit, usualLimit } from '../page-limit.ts';
import type { OwnRoute } from '../route.ts';
import {
  adviceSchema,
  describedPattern,
  patternSchema,
  patternStory,
  patternStorySchema,
  scopeSchema,
  stateSchema,
  toTrigger,
  triggerSchema,
} from './described-pattern.ts';

const query = {
  q: z
    .string()
    .max(200, 'must have at most 200 characters')
    .optional()
    .describe('Words that are all in the trigger or the advice'),
  state: stateSchema.optional(),
  limit: pageLimit(limits.patternPageMax),
  after: z
    .string()
    .refine(isId, 'must be a `next` from an earlier answer')
    .optional()
    .describe('A `next`: those that come after it in the list, which are older'),
};

const newPattern = {
  trigger: triggerSchema,
  advice: adviceSchema,
  state: stateSchema.optional().describe('`active` where it is left out'),
  scope: scopeSchema.optional(),
};
const imported = z.object(newPattern);
const pageSchema = z.strictObject({
  patterns: z.array(patternSchema).describe('The newest first'),
  next: z.string().nullable().describe('For `after`; null where there are no more'),
});

const unauthenticated = { 401: { description: 'No credential that holds' } };
const unknown = { 404: { description: 'The account has no such pattern' } };
const badBody = { 400: { description: 'The body is wrong' } };
const full = { 409: { description: `The account has ${limits.patternsMax} patterns` } };
const lines = 'application/x-ndjson';

/** What the account has learned, and what people teach it. */
export function patternsRoutes(book: PatternBook): readonly OwnRoute[] {
  const tag = 'Patterns';
  const common = { tag, access: bySessionOrKey } as const;
  return [
    checkedRoute({
      ...common,
      method: 'GET',
      path: '/v1/patterns',
      summary: 'The patterns of the account',
      query,
      body: noBody,
      answers: {
        200: { description: 'A page of patterns', schema: pageSchema },
        400: { description: 'The query is wrong' },
        ...unauthenticated,
      },
      async handle({ caller, query: sent }) {
        const { q = '', state, limit = usualLimit, after } = checkedQuery(query, sent);
        const search = q.split(/\s+/).filter((word) => word !== '');
        const found = await book.page(ownerOf(caller), { search, state, after, limit: limit + 1 });
        const shown = found.slice(0, limit);
        const next = found.length > limit ? (shown.at(-1)?.id ?? null) : null;
        return { body: { patterns: shown.map(describedPattern), next } };
      },
    }),
    checkedRoute({
      ...common,
      method: 'POST',
      path: '/v1/patterns',
      summary: 'Teach a pattern',
      body: jsonBody(newPattern),
      answers: {
        201: { description: 'The pattern', schema: patternSchema },
        200: { description: 'One that says the same was there', schema: patternSchema },
        ...badBody,
        ...unauthenticated,
        ...full,
      },
      async handle({ caller, body }) {
        const added = await book.add(ownerOf(caller), wordOf(body));
        if (added === undefined) throw noRoom();
        return { status: added.isNew ? 201 : 200, body: describedPattern(added.pattern) };
      },
    }),
    checkedRoute({
      ...common,
      method: 'GET',
      path: '/v1/patterns/export',
      summary: 'All patterns, as JSON lines',
      body: noBody,
      answers: { 200: { description: 'A pattern a line', type: lines }, ...unauthenticated },
      async handle({ caller }) {
        const all = await everyPattern(book, ownerOf(caller));
        return {
          type: `${lines}; charset=utf-8`,
          body: all.map((one) => `${JSON.stringify(describedPattern(one))}\n`).join(''),
        };
      },
    }),
    checkedRoute({
      ...common,
      method: 'POST',
      path: '/v1/patterns/import',
      summary: 'Patterns as JSON lines, as they are exported',
      body: jsonLines,
      bodyBytesMax: limits.patternImportBytesMax,
      answers: {
        200: {
          description: 'How many are new, and how many were there',
          schema: z.strictObject({ added: z.int(), known: z.int() }),
        },
        ...badBody,
        ...unauthenticated,
        ...full,
      },
      async handle({ caller, body }) {
        let [added, known] = [0, 0];
        for (const word of body) {
          const done = await book.add(ownerOf(caller), word);
          if (done === undefined) throw noRoom();
          if (done.isNew) added++;
          else known++;
        }
        return { body: { added, known } };
      },
    }),
    checkedRoute({
      ...common,
      method: 'GET',
      path: '/v1/patterns/:id',
      summary: 'One pattern with its story',
      body: noBody,
      answers: {
        200: { description: 'The pattern', schema: patternStorySchema },
        ...unauthenticated,
        ...unknown,
      },
      async handle({ caller, parameters: { id = '' } }) {
        const pattern = isId(id) ? await book.find(ownerOf(caller), id) : undefined;
        if (pattern === undefined) throw noSuch();
        return { body: patternStory(pattern) };
      },
    }),
    checkedRoute({
      ...common,
      method: 'PATCH',
      path: '/v1/patterns/:id',
      summary: 'Change a pattern: made active again, it is for all end users and counted anew',
      body: jsonBody({
        trigger: triggerSchema.optional(),
        advice: adviceSchema.optional(),
        state: stateSchema.optional(),
        scope: scopeSchema.optional(),
      }),
      answers: {
        200: { description: 'The pattern as it is now', schema: patternSchema },
        ...badBody,
        ...unauthenticated,
        ...unknown,
      },
      async handle({ caller, body, parameters: { id = '' } }) {
        const { trigger, advice, state, scope } = body;
        const word: Partial<PersonsWord> = {
          ...(trigger !== undefined && { trigger: toTrigger(trigger) }),
          ...(advice !== undefined && { advice }),
          ...(state !== undefined && { state }),
          ...(scope !== undefined && { scope }),
        };
        const changed = isId(id) ? await book.change(ownerOf(caller), id, word) : undefined;
        if (changed === undefined) throw noSuch();
        return { body: describedPattern(changed) };
      },
    }),
    checkedRoute({
      ...common,
      method: 'DELETE',
      path: '/v1/patterns/:id',
      summary: 'Forget a pattern',
      body: noBody,
      answers: { 204: { description: 'It is gone' }, ...unauthenticated, ...unknown },
      async handle({ caller, parameters: { id = '' } }) {
        if (!isId(id) || !(await book.delete(ownerOf(caller), id))) throw noSuch();
        return { status: 204 };
      },
    }),
  ];
}

/** The tenant's name, as modules have it. */
export function ownerOf(caller: AccountCaller): string {
  const { accountId } = caller;
  return scopeOf(caller.kind === 'local' ? { kind: 'local' } : { kind: 'account', accountId, keyId: '' });
}

function isId(text: string): boolean {
  return /^pat_[0-9a-f]{28}$/.test(text);
}

function wordOf({ trigger, advice, state = 'active', scope = null }: z.output<typeof imported>): PersonsWord {
  return { trigger: toTrigger(trigger), advice, state, scope };
}

/** One object a line; all are checked before the first is taken, and what we alone write of a pattern is not. */
const jsonLines: BodyRule<readonly PersonsWord[]> = {
  described: { schema: z.string().describe('A JSON object a line'), required: true },
  async read({ readBody }) {
    const said = Buffer.from(await readBody())
      .toString('utf8')
      .split('\n');
    const filled = said.map((line, at) => ({ line, at: at + 1 })).filter(({ line }) => line.trim() !== '');
    if (filled.length > limits.patternImportMax)
      throw invalid(`must have ${limits.patternImportMax} lines at most`, '');
    return filled.map(({ line, at }) => wordOf(lineOf(line, at)));
  },
};

function lineOf(line: string, at: number): z.output<typeof imported> {
  try {
    const value = parseBody(Buffer.from(line));
    if (JSON.stringify(value).includes('\\u0000')) throw invalid('has a NUL character', '');
    return checked(imported, value);
  } catch (error) {
    if (!GatewayError.is(error)) throw error;
    throw new GatewayError('invalid_request', `line ${at}: ${error.message}`, { cause: error });
  }
}

async function everyPattern(book: PatternBook, owner: string): Promise<readonly Pattern[]> {
  const all: Pattern[] = [];
  for (let after: string | undefined; all.length < limits.patternsMax; ) {
    const page = await book.page(owner, { after, limit: limits.patternPageMax });
    all.push(...page);
    if (page.length < limits.patternPageMax) break;
    after = page.at(-1)?.id;
  }
  return all;
}

function noSuch(): GatewayError {
  return new GatewayError('not_found', 'there is no such pattern');
}

function noRoom(): GatewayError {
  return new GatewayError(
    'pattern_limit_reached',
    `the account has ${limits.patternsMax} patterns, which is the most; delete some`,
  );
}
