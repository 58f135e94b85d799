import { z } from 'zod';
import { rulesKind } from '../../../calls/configuration-kinds.ts';
import type { StoredRule, StoredRules } from '../../../calls/stored-rules.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import type { RateLimiter } from '../../../kernel/ports/shared-state.ts';
import type { AccountCaller } from '../access.ts';
import { storingRoutes, unauthenticated } from '../configuration-routes.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';
import { parseQuery } from '../validation.ts';

const definition = {
  pattern: z.string().optional().describe('A regular expression in RE2 syntax'),
  words: z.array(z.string()).optional().describe('Words and phrases, in place of a pattern'),
  action: z.enum(['monitor', 'redact', 'block']),
  replacement: z.string().optional().describe('A fixed text for `redact`, in place of a placeholder'),
  applies_to: z.enum(['input', 'output', 'both']).optional().describe('`both` by default'),
};
const ruleBody = z.strictObject(definition);
const ruleInfo = z.object({
  name: z.string(),
  source: z.enum(['account', 'gateway']).describe('Whether the account or the operator has set it'),
  ...definition,
  cost: z
    .object({
      size: z.number().describe('States of its table, or letters of its words'),
      charactersMax: z.number().nullable().describe('The longest match; null if there is no longest one'),
      microsecondsPer10Kb: z.number().describe('Measured with 10 KB of prose'),
    })
    .nullable()
    .describe('null if the rule can no longer be used'),
  updatedAt: z.iso.datetime().nullable(),
});
const listInfo = z.strictObject({ rules: z.array(ruleInfo) });

/** Characters of a text that is checked: as much as a long message. */
const checkedCharactersMax = 100_000;
const checkedBytesMax = 512 * 1024;
/** Checks of an account in a minute. */
const checksMax = 120;

const checkedText = z.string().min(1).max(checkedCharactersMax);
const direction = z
  .enum(['input', 'output'])
  .default('input')
  .describe('Whether it is part of a request or an answer');
const checkBody = {
  text: checkedText.describe('The text to look at'),
  direction,
  configuration: z.string().optional().describe('The name of a configuration of `guardrails`'),
  options: z
    .union([z.string(), z.record(z.string(), z.unknown())])
    .optional()
    .describe('Options as in a pipeline, `pii=redact&rules=codenames`, or as in a configuration'),
  rule: z.record(z.string(), z.unknown()).optional().describe('A rule to try before it is stored'),
};
const checkQuery = {
  text: checkedText.describe('The text to look at; use POST for long and confidential texts'),
  direction,
  configuration: checkBody.configuration,
  options: z.string().optional().describe('Options as in a pipeline'),
};
const checkInfo = z.object({
  findings: z.array(
    z.object({
      kind: z.string(),
      start: z.number().describe('In UTF-16 units'),
      end: z.number(),
      action: z.string(),
    }),
  ),
  isInjection: z.boolean().describe('Whether the text tries to change the instructions of the model'),
  redacted: z.string().describe('The text as a provider would get it'),
  blockedBy: z
    .string()
    .nullable()
    .describe('The kind of the finding that stops the call; null if it goes on'),
  models: z
    .string()
    .optional()
    .describe('Whether the local models have read it: `on`, `off`, `away` or `script`'),
  reason: z.string().optional().describe('Why they have not'),
});

const unknown = { 404: { description: 'The account has no such rule' } };
const checkResponses = {
  200: { description: 'What was found', schema: checkInfo },
  400: { description: 'An option or the rule is invalid' },
  429: { description: 'Too many checks' },
  ...unauthenticated,
};

/** Custom rules of guardrails, and checks of texts without a provider. */
export function guardrailsRoutes(rules: StoredRules, rateLimiter: RateLimiter): readonly ApiRoute[] {
  const common = { tag: 'Guardrails', access: bySessionOrKey('settings') } as const;
  const path = '/v1/guardrails/rules/:name';
  const countCheck = async ({ accountId }: AccountCaller) => {
    const counted = { most: checksMax, seconds: 60 };
    const retryAfterSeconds = await rateLimiter.count(`guardrails check ${accountId}`, counted);
    if (retryAfterSeconds > 0)
      throw new GatewayError('too_many_attempts', `at most ${checksMax} checks a minute`, {
        retryAfterSeconds,
      });
  };
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/guardrails/rules',
      summary: 'List the rules of the account and of the gateway, with their cost',
      body: noBody,
      responses: { 200: { description: 'The rules', schema: listInfo }, ...unauthenticated },
      handle: async ({ caller }) => ({
        body: { rules: (await rules.list(caller.accountId)).map(describeRule) },
      }),
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path,
      summary: 'Get a rule',
      body: noBody,
      responses: { 200: { description: 'The rule', schema: ruleInfo }, ...unauthenticated, ...unknown },
      async handle({ caller, parameters: { name = '' } }) {
        const rule = (await rules.list(caller.accountId)).find((one) => one.name === name);
        if (rule === undefined) throw unknownRuleError(name);
        return { body: describeRule(rule) };
      },
    }),
    ...storingRoutes({
      noun: 'rules',
      tag: common.tag,
      path,
      module: rulesKind,
      store: rules,
      describe: describeRule,
      unknownError: ({ name }) => unknownRuleError(name),
      body: ruleBody,
      info: ruleInfo,
      put: {
        summary: 'Store a rule',
        errors: {
          400: 'The rule is invalid; the message says why, and where the pattern is wrong',
          409: 'The account has too many configurations and rules',
        },
      },
      delete: {
        summary: 'Delete a rule',
        errors: {
          404: unknown[404].description,
          409: 'A configuration or the pipeline of an API key names it',
        },
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'none',
      path: '/v1/guardrails/check',
      access: bySessionOrKey('settings:read'),
      summary: 'Try options and rules with a text; no provider is called and nothing is stored',
      body: jsonBody(checkBody),
      bodyBytesMax: checkedBytesMax,
      responses: checkResponses,
      async handle({ caller, body }) {
        await countCheck(caller);
        return { body: await rules.check(caller.accountId, body) };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/guardrails/check',
      summary: 'The same with a short text in the address',
      query: checkQuery,
      body: noBody,
      responses: checkResponses,
      async handle({ caller, query }) {
        await countCheck(caller);
        return { body: await rules.check(caller.accountId, parseQuery(checkQuery, query)) };
      },
    }),
  ];
}

/** Accounts see what a rule of the operator does, but not what it looks for. */
function describeRule({ name, source, content, cost, updatedAtMs }: StoredRule) {
  const { pattern, words, replacement, ...visible } = content;
  return {
    ...{ name, source },
    applies_to: 'both',
    ...(source === 'account' ? content : visible),
    cost: cost ?? null,
    updatedAt: updatedAtMs === undefined ? null : timestamp(updatedAtMs),
  };
}

function unknownRuleError(name: string): GatewayError {
  return new GatewayError(
    'not_found',
    `this account has no rule "${name.slice(0, 100)}"; GET /v1/guardrails/rules lists them`,
  );
}
