import { z } from 'zod';
import { scopeOf } from '../../../kernel/caller.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { defaultPageLimit, pageLimitSchema } from '../../../kernel/input-schemas.ts';
import { parseBody } from '../../../kernel/json/parse-body.ts';
import type { Pattern } from '../../../kernel/ports/patterns.ts';
import { limits as patternsLimits } from '../../../patterns/limits.ts';
import type { PatternFields } from '../../../patterns/new-pattern.ts';
import type { PatternStore } from '../../../patterns/pattern-store.ts';
import { limits } from '../../limits.ts';
import type { AccountCaller } from '../access.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { type BodyParser, jsonBody, noBody } from '../json-body.ts';
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
    .describe('Words that must all occur in the trigger or the advice'),
  state: stateSchema.optional(),
  limit: pageLimitSchema(limits.patternPageMax),
  after: z
    .string()
    .refine(isPatternId, 'must be a `next` from an earlier response')
    .optional()
    .describe('A `next`: returns the older patterns that follow it'),
};

const newPattern = {
  trigger: triggerSchema,
  advice: adviceSchema,
  state: stateSchema.optional().describe('`active` by default'),
  scope: scopeSchema.optional(),
};
const importedPatternSchema = z.object(newPattern);
const pageSchema = z.strictObject({
  patterns: z.array(patternSchema).describe('Newest first'),
  next: z.string().nullable().describe('For `after`; null when there are no more'),
});

const unauthenticated = { 401: { description: 'Missing or invalid credential' } };
const unknown = { 404: { description: 'The account has no such pattern' } };
const badBody = { 400: { description: 'The body is invalid' } };
const full = {
  409: { description: `The account has reached the limit of ${patternsLimits.patternsMax} patterns` },
};
const lines = 'application/x-ndjson';

/** Patterns of the account, learned or added by hand. */
export function patternsRoutes(patternStore: PatternStore): readonly ApiRoute[] {
  const tag = 'Patterns';
  const common = { tag, access: bySessionOrKey } as const;
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/patterns',
      summary: 'List the patterns of the account',
      query,
      body: noBody,
      responses: {
        200: { description: 'A page of patterns', schema: pageSchema },
        400: { description: 'A query parameter is invalid' },
        ...unauthenticated,
      },
      async handle({ caller, query: sent }) {
        const { q = '', state, limit = defaultPageLimit, after } = parseQuery(query, sent);
        const search = q.split(/\s+/).filter((word) => word !== '');
        const page = await patternStore.page(scopeOfCaller(caller), {
          search,
          state,
          after,
          limit: limit + 1,
        });
        const shown = page.slice(0, limit);
        const next = page.length > limit ? (shown.at(-1)?.id ?? null) : null;
        return { body: { patterns: shown.map(describePattern), next } };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/v1/patterns',
      summary: 'Add a pattern',
      body: jsonBody(newPattern),
      responses: {
        201: { description: 'The pattern', schema: patternSchema },
        200: { description: 'The same pattern existed already', schema: patternSchema },
        ...badBody,
        ...unauthenticated,
        ...full,
      },
      async handle({ caller, body }) {
        const added = await patternStore.add(scopeOfCaller(caller), toPatternInput(body));
        if (added === undefined) throw patternLimitError();
        return { status: added.isNew ? 201 : 200, body: describePattern(added.pattern) };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/patterns/export',
      summary: 'Export all patterns as JSON lines',
      body: noBody,
      responses: { 200: { description: 'One pattern per line', contentType: lines }, ...unauthenticated },
      async handle({ caller }) {
        const all = await listAllPatterns(patternStore, scopeOfCaller(caller));
        return {
          contentType: `${lines}; charset=utf-8`,
          body: all.map((pattern) => `${JSON.stringify(describePattern(pattern))}\n`).join(''),
        };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/v1/patterns/import',
      summary: 'Import patterns as JSON lines, in the format of the export',
      body: patternLinesBody,
      bodyBytesMax: limits.patternImportBytesMax,
      responses: {
        200: {
          description: 'How many were added, and how many existed already',
          schema: z.strictObject({ added: z.int(), known: z.int() }),
        },
        ...badBody,
        ...unauthenticated,
        ...full,
      },
      async handle({ caller, body }) {
        let [added, known] = [0, 0];
        for (const fields of body) {
          const result = await patternStore.add(scopeOfCaller(caller), fields);
          if (result === undefined) throw patternLimitError();
          if (result.isNew) added++;
          else known++;
        }
        return { body: { added, known } };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/patterns/:id',
      summary: 'Get a pattern with its history',
      body: noBody,
      responses: {
        200: { description: 'The pattern', schema: patternStorySchema },
        ...unauthenticated,
        ...unknown,
      },
      async handle({ caller, parameters: { id = '' } }) {
        const pattern = isPatternId(id) ? await patternStore.find(scopeOfCaller(caller), id) : undefined;
        if (pattern === undefined) throw patternNotFoundError();
        return { body: describePatternWithStory(pattern) };
      },
    }),
    defineRoute({
      ...common,
      method: 'PATCH',
      path: '/v1/patterns/:id',
      summary: 'Change a pattern; reactivating it resets its counts and applies it to all end users',
      body: jsonBody({
        trigger: triggerSchema.optional(),
        advice: adviceSchema.optional(),
        state: stateSchema.optional(),
        scope: scopeSchema.optional(),
      }),
      responses: {
        200: { description: 'The changed pattern', schema: patternSchema },
        ...badBody,
        ...unauthenticated,
        ...unknown,
      },
      async handle({ caller, body, parameters: { id = '' } }) {
        const { trigger, advice, state, scope } = body;
        const changes: Partial<PatternFields> = {
          ...(trigger !== undefined && { trigger: parseTrigger(trigger) }),
          ...(advice !== undefined && { advice }),
          ...(state !== undefined && { state }),
          ...(scope !== undefined && { scope }),
        };
        const changed = isPatternId(id)
          ? await patternStore.change(scopeOfCaller(caller), id, changes)
          : undefined;
        if (changed === undefined) throw patternNotFoundError();
        return { body: describePattern(changed) };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: '/v1/patterns/:id',
      summary: 'Delete a pattern',
      body: noBody,
      responses: { 204: { description: 'Deleted' }, ...unauthenticated, ...unknown },
      async handle({ caller, parameters: { id = '' } }) {
        if (!isPatternId(id) || !(await patternStore.delete(scopeOfCaller(caller), id)))
          throw patternNotFoundError();
        return { status: 204 };
      },
    }),
  ];
}

/** The scope that modules use for the caller's data. */
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

/** One object per line. All lines are validated before the first is stored; fields that Weir computes are ignored. */
const patternLinesBody: BodyParser<readonly PatternFields[]> = {
  description: { schema: z.string().describe('One JSON object per line'), required: true },
  async parse({ readBody }) {
    const lines = Buffer.from(await readBody())
      .toString('utf8')
      .split('\n');
    const filled = lines.map((line, at) => ({ line, at: at + 1 })).filter(({ line }) => line.trim() !== '');
    if (filled.length > limits.patternImportMax)
      throw invalidFieldError(`the body must have at most ${limits.patternImportMax} lines`, '');
    return filled.map(({ line, at }) => toPatternInput(parsePatternLine(line, at)));
  },
};

function parsePatternLine(line: string, at: number): z.output<typeof importedPatternSchema> {
  try {
    const value = parseBody(Buffer.from(line));
    if (JSON.stringify(value).includes('\\u0000'))
      throw invalidFieldError('must not contain NUL characters', '');
    return parseWithSchema(importedPatternSchema, value);
  } catch (error) {
    if (!GatewayError.is(error)) throw error;
    throw new GatewayError('invalid_request', `line ${at}: ${error.message}`, { cause: error });
  }
}

async function listAllPatterns(patternStore: PatternStore, owner: string): Promise<readonly Pattern[]> {
  const all: Pattern[] = [];
  for (let after: string | undefined; all.length < patternsLimits.patternsMax; ) {
    const page = await patternStore.page(owner, { after, limit: limits.patternPageMax });
    all.push(...page);
    if (page.length < limits.patternPageMax) break;
    after = page.at(-1)?.id;
  }
  return all;
}

function patternNotFoundError(): GatewayError {
  return new GatewayError('not_found', 'no such pattern');
}

function patternLimitError(): GatewayError {
  return new GatewayError(
    'pattern_limit_reached',
    `the account has reached the limit of ${patternsLimits.patternsMax} patterns; delete some`,
  );
}
