import { z } from 'zod';
import { scopeOf } from '../../../kernel/caller.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { limits } from '../../../kernel/limits.ts';
import { parseBody } from '../../../kernel/parse-body.ts';
import type { Pattern } from '../../../kernel/ports/patterns.ts';
import type { PatternFields } from '../../../patterns/new-pattern.ts';
import type { PatternStore } from '../../../patterns/pattern-store.ts';
import type { AccountCaller } from '../access.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { type BodyParser, jsonBody, noBody } from '../json-body.ts';
import { defaultPageLimit, pageLimitSchema } from '../page-limit.ts';
import type { ApiRoute } from '../route.ts';
import { invalidFieldError, parseQuery, parseWithSchema } from '../validation.ts';
import {
  adviceSchema,
  describePattern,
  describePatternWithStory,
  parseTrigger,
  patternSchema,
  patternStorySchema,
  scopeSchema,
  stateSchema,
  triggerSchema,
} from './pattern-schema.ts';

const query = {
  q: z
    .string()
    .max(200, 'must have at most 200 characters')
    .optional()
    .describe('Words that are all in the trigger or the advice'),
  state: stateSchema.optional(),
  limit: pageLimitSchema(limits.patternPageMax),
  after: z
    .string()
    .refine(isPatternId, 'must be a `next` from an earlier answer')
    .optional()
    .describe('A `next`: those that come after it in the list, which are older'),
};

const newPattern = {
  trigger: triggerSchema,
  advice: adviceSchema,
  state: stateSchema.optional().describe('`active` where it is left out'),
  scope: scopeSchema.optional(),
};
const importedPatternSchema = z.object(newPattern);
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
export function patternsRoutes(book: PatternStore): readonly ApiRoute[] {
  const tag = 'Patterns';
  const common = { tag, access: bySessionOrKey } as const;
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/patterns',
      summary: 'The patterns of the account',
      query,
      body: noBody,
      responses: {
        200: { description: 'A page of patterns', schema: pageSchema },
        400: { description: 'The query is wrong' },
        ...unauthenticated,
      },
      async handle({ caller, query: sent }) {
        const { q = '', state, limit = defaultPageLimit, after } = parseQuery(query, sent);
        const search = q.split(/\s+/).filter((word) => word !== '');
        const found = await book.page(scopeOfCaller(caller), { search, state, after, limit: limit + 1 });
        const shown = found.slice(0, limit);
        const next = found.length > limit ? (shown.at(-1)?.id ?? null) : null;
        return { body: { patterns: shown.map(describePattern), next } };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/v1/patterns',
      summary: 'Teach a pattern',
      body: jsonBody(newPattern),
      responses: {
        201: { description: 'The pattern', schema: patternSchema },
        200: { description: 'One that says the same was there', schema: patternSchema },
        ...badBody,
        ...unauthenticated,
        ...full,
      },
      async handle({ caller, body }) {
        const added = await book.add(scopeOfCaller(caller), toPatternInput(body));
        if (added === undefined) throw patternLimitError();
        return { status: added.isNew ? 201 : 200, body: describePattern(added.pattern) };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/patterns/export',
      summary: 'All patterns, as JSON lines',
      body: noBody,
      responses: { 200: { description: 'A pattern a line', contentType: lines }, ...unauthenticated },
      async handle({ caller }) {
        const all = await listAllPatterns(book, scopeOfCaller(caller));
        return {
          contentType: `${lines}; charset=utf-8`,
          body: all.map((one) => `${JSON.stringify(describePattern(one))}\n`).join(''),
        };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/v1/patterns/import',
      summary: 'Patterns as JSON lines, as they are exported',
      body: patternLinesBody,
      bodyBytesMax: limits.patternImportBytesMax,
      responses: {
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
          const done = await book.add(scopeOfCaller(caller), word);
          if (done === undefined) throw patternLimitError();
          if (done.isNew) added++;
          else known++;
        }
        return { body: { added, known } };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/patterns/:id',
      summary: 'One pattern with its story',
      body: noBody,
      responses: {
        200: { description: 'The pattern', schema: patternStorySchema },
        ...unauthenticated,
        ...unknown,
      },
      async handle({ caller, parameters: { id = '' } }) {
        const pattern = isPatternId(id) ? await book.find(scopeOfCaller(caller), id) : undefined;
        if (pattern === undefined) throw patternNotFoundError();
        return { body: describePatternWithStory(pattern) };
      },
    }),
    defineRoute({
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
      responses: {
        200: { description: 'The pattern as it is now', schema: patternSchema },
        ...badBody,
        ...unauthenticated,
        ...unknown,
      },
      async handle({ caller, body, parameters: { id = '' } }) {
        const { trigger, advice, state, scope } = body;
        const word: Partial<PatternFields> = {
          ...(trigger !== undefined && { trigger: parseTrigger(trigger) }),
          ...(advice !== undefined && { advice }),
          ...(state !== undefined && { state }),
          ...(scope !== undefined && { scope }),
        };
        const changed = isPatternId(id) ? await book.change(scopeOfCaller(caller), id, word) : undefined;
        if (changed === undefined) throw patternNotFoundError();
        return { body: describePattern(changed) };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: '/v1/patterns/:id',
      summary: 'Forget a pattern',
      body: noBody,
      responses: { 204: { description: 'It is gone' }, ...unauthenticated, ...unknown },
      async handle({ caller, parameters: { id = '' } }) {
        if (!isPatternId(id) || !(await book.delete(scopeOfCaller(caller), id))) throw patternNotFoundError();
        return { status: 204 };
      },
    }),
  ];
}

/** The tenant's name, as modules have it. */
export function scopeOfCaller(caller: AccountCaller): string {
  const { accountId } = caller;
  return scopeOf(caller.kind === 'local' ? { kind: 'local' } : { kind: 'account', accountId, keyId: '' });
}

function isPatternId(text: string): boolean {
  return /^pat_[0-9a-f]{28}$/.test(text);
}

function toPatternInput({
  trigger,
  advice,
  state = 'active',
  scope = null,
}: z.output<typeof importedPatternSchema>): PatternFields {
  return { trigger: parseTrigger(trigger), advice, state, scope };
}

/** One object a line; all are checked before the first is taken, and what we alone write of a pattern is not. */
const patternLinesBody: BodyParser<readonly PatternFields[]> = {
  description: { schema: z.string().describe('A JSON object a line'), required: true },
  async parse({ readBody }) {
    const said = Buffer.from(await readBody())
      .toString('utf8')
      .split('\n');
    const filled = said.map((line, at) => ({ line, at: at + 1 })).filter(({ line }) => line.trim() !== '');
    if (filled.length > limits.patternImportMax)
      throw invalidFieldError(`must have ${limits.patternImportMax} lines at most`, '');
    return filled.map(({ line, at }) => toPatternInput(parsePatternLine(line, at)));
  },
};

function parsePatternLine(line: string, at: number): z.output<typeof importedPatternSchema> {
  try {
    const value = parseBody(Buffer.from(line));
    if (JSON.stringify(value).includes('\\u0000')) throw invalidFieldError('has a NUL character', '');
    return parseWithSchema(importedPatternSchema, value);
  } catch (error) {
    if (!GatewayError.is(error)) throw error;
    throw new GatewayError('invalid_request', `line ${at}: ${error.message}`, { cause: error });
  }
}

async function listAllPatterns(book: PatternStore, owner: string): Promise<readonly Pattern[]> {
  const all: Pattern[] = [];
  for (let after: string | undefined; all.length < limits.patternsMax; ) {
    const page = await book.page(owner, { after, limit: limits.patternPageMax });
    all.push(...page);
    if (page.length < limits.patternPageMax) break;
    after = page.at(-1)?.id;
  }
  return all;
}

function patternNotFoundError(): GatewayError {
  return new GatewayError('not_found', 'there is no such pattern');
}

function patternLimitError(): GatewayError {
  return new GatewayError(
    'pattern_limit_reached',
    `the account has ${limits.patternsMax} patterns, which is the most; delete some`,
  );
}
