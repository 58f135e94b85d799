import { z } from 'zod';
import {
  defaultPageLimit,
  defineModuleRoute,
  GatewayError,
  type ModuleRoute,
  pageLimitSchema,
} from '../../../module-api.ts';
import { findConflicts } from '../conflicts.ts';
import type { Pattern } from '../pattern.ts';
import { limits as patternsLimits } from '../store/limits.ts';
import type { PatternFields } from '../store/new-pattern.ts';
import type { PatternStore } from '../store/pattern-store.ts';
import { limits } from './limits.ts';
import { newPattern, parsePatternLines, toPatternInput } from './pattern-input.ts';
import {
  adviceSchema,
  describeListedPattern,
  describePattern,
  describePatternWithStory,
  listedPatternSchema,
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

const pageSchema = z.strictObject({
  patterns: z.array(listedPatternSchema).describe('Newest first'),
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
export function patternsRoutes(patternStore: PatternStore): readonly ModuleRoute[] {
  const common = { tag: 'Patterns', access: 'sessionOrKey' } as const;
  return [
    defineModuleRoute({
      ...common,
      method: 'GET',
      path: '/v1/patterns',
      summary: 'List the patterns of the account',
      query,
      responses: {
        200: { description: 'A page of patterns', schema: pageSchema },
        400: { description: 'A query parameter is invalid' },
        ...unauthenticated,
      },
      async handle({ scope, query: { q = '', state, limit = defaultPageLimit, after } }) {
        const search = q.split(/\s+/).filter((word) => word !== '');
        const page = await patternStore.page(scope, {
          search,
          state,
          after,
          limit: limit + 1,
        });
        const shown = page.slice(0, limit);
        const next = page.length > limit ? (shown.at(-1)?.id ?? null) : null;
        const conflicts = findConflicts(shown, await patternStore.of(scope).listUnretired());
        return {
          body: { patterns: shown.map((one) => describeListedPattern(one, conflicts.get(one.id))), next },
        };
      },
    }),
    defineModuleRoute({
      ...common,
      method: 'POST',
      path: '/v1/patterns',
      summary: 'Add a pattern',
      body: z.strictObject(newPattern),
      responses: {
        201: { description: 'The pattern', schema: patternSchema },
        200: { description: 'The same pattern existed already', schema: patternSchema },
        ...badBody,
        ...unauthenticated,
        ...full,
      },
      async handle({ scope, body }) {
        const added = await patternStore.add(scope, toPatternInput(body));
        if (added === undefined) throw patternLimitError();
        return { status: added.isNew ? 201 : 200, body: describePattern(added.pattern) };
      },
    }),
    defineModuleRoute({
      ...common,
      method: 'GET',
      path: '/v1/patterns/export',
      summary: 'Export all patterns as JSON lines',
      responses: { 200: { description: 'One pattern per line', contentType: lines }, ...unauthenticated },
      async handle({ scope }) {
        const all = await listAllPatterns(patternStore, scope);
        return {
          contentType: `${lines}; charset=utf-8`,
          body: all.map((pattern) => `${JSON.stringify(describePattern(pattern))}\n`).join(''),
        };
      },
    }),
    defineModuleRoute({
      ...common,
      method: 'POST',
      path: '/v1/patterns/import',
      summary: 'Import patterns as JSON lines, in the format of the export',
      body: z.string().describe('One JSON object per line'),
      isTextBody: true,
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
      async handle({ scope, body }) {
        let [added, known] = [0, 0];
        for (const fields of await parsePatternLines(body)) {
          const result = await patternStore.add(scope, fields);
          if (result === undefined) throw patternLimitError();
          if (result.isNew) added++;
          else known++;
        }
        return { body: { added, known } };
      },
    }),
    defineModuleRoute({
      ...common,
      method: 'GET',
      path: '/v1/patterns/:id',
      summary: 'Get a pattern with its history',
      responses: {
        200: { description: 'The pattern', schema: patternStorySchema },
        ...unauthenticated,
        ...unknown,
      },
      async handle({ scope, parameters: { id = '' } }) {
        const pattern = isPatternId(id) ? await patternStore.find(scope, id) : undefined;
        if (pattern === undefined) throw patternNotFoundError();
        const conflicts = findConflicts([pattern], await patternStore.of(scope).listUnretired());
        return { body: describePatternWithStory(pattern, conflicts.get(id)) };
      },
    }),
    defineModuleRoute({
      ...common,
      method: 'PATCH',
      path: '/v1/patterns/:id',
      summary: 'Change a pattern; reactivating it resets its counts and applies it to all end users',
      body: z.strictObject({
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
      async handle({ scope, body, parameters: { id = '' } }) {
        const { trigger, advice, state, scope: endUser } = body;
        const changes: Partial<PatternFields> = {
          ...(trigger !== undefined && { trigger: parseTrigger(trigger) }),
          ...(advice !== undefined && { advice }),
          ...(state !== undefined && { state }),
          ...(endUser !== undefined && { scope: endUser }),
        };
        const changed = isPatternId(id) ? await patternStore.change(scope, id, changes) : undefined;
        if (changed === undefined) throw patternNotFoundError();
        return { body: describePattern(changed) };
      },
    }),
    defineModuleRoute({
      ...common,
      method: 'DELETE',
      path: '/v1/patterns/:id',
      summary: 'Delete a pattern',
      responses: { 204: { description: 'Deleted' }, ...unauthenticated, ...unknown },
      async handle({ scope, parameters: { id = '' } }) {
        if (!isPatternId(id) || !(await patternStore.delete(scope, id))) throw patternNotFoundError();
        return { status: 204 };
      },
    }),
  ];
}

function isPatternId(text: string): boolean {
  return /^pat_[0-9a-f]{28}$/.test(text);
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
