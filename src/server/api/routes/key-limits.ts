import { z } from 'zod';
import type { AccountApiKeys } from '../../../accounts/account-api-keys.ts';
import { changeOf } from '../../../audit/change.ts';
import { limits } from '../../../kernel/limits.ts';
import type { ApiKey } from '../../../kernel/ports/records.ts';
import { bySession, defineRoute, inProject } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import { projectOfKey } from '../project-access.ts';
import type { ApiRoute } from '../route.ts';

const wrongLimit = `must be a whole number from 1 to ${limits.rateLimitMax}, or null`;
const limit = z.int(wrongLimit).min(1, wrongLimit).max(limits.rateLimitMax, wrongLimit).nullable();
const fields = {
  requests_per_minute: limit.describe('Calls in any 60 seconds; null for none of its own'),
  tokens_per_minute: limit.describe('Input and output tokens in any 60 seconds; null for none of its own'),
  concurrent: limit.describe('Calls in flight; null for none of its own'),
};
const schema = z.strictObject(fields);
const errorResponses = {
  401: { description: 'Missing or invalid session token; API keys are not accepted' },
  404: { description: 'The account has no such key; a revoked one can be read, not changed' },
};

/** The rate limits of a key. */
export function keyLimitRoutes(keys: AccountApiKeys): readonly ApiRoute[] {
  const common = {
    path: '/v1/keys/:id/limits',
    tag: 'Keys',
    access: inProject(bySession('keys'), projectOfKey(keys)),
  } as const;
  return [
    defineRoute({
      ...common,
      method: 'GET',
      summary: 'Get the rate limits of a key',
      body: noBody,
      responses: { 200: { description: 'The current limits', schema }, ...errorResponses },
      async handle({ caller, parameters: { id = '' } }) {
        return { body: describeLimits(await keys.find(caller.accountId, id)) };
      },
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      audit: 'key.changed',
      summary: 'Set rate limits of a key',
      body: jsonBody({
        requests_per_minute: fields.requests_per_minute.optional(),
        tokens_per_minute: fields.tokens_per_minute.optional(),
        concurrent: fields.concurrent.optional(),
      }),
      responses: {
        200: {
          description:
            'All limits of the key, effective from the next call on all replicas; omitted ones stay as they were',
          schema,
        },
        400: { description: 'The body is invalid' },
        ...errorResponses,
      },
      async handle({ caller, body, parameters: { id = '' } }) {
        const {
          requests_per_minute: requestsPerMinute,
          tokens_per_minute: tokensPerMinute,
          concurrent,
        } = body;
        const changes = { requestsPerMinute, tokensPerMinute, concurrent };
        const before = await keys.find(caller.accountId, id);
        const key = await keys.change(caller.accountId, id, { limits: changes });
        return {
          body: describeLimits(key),
          audit: { key: id, ...changeOf(describeLimits(before), describeLimits(key)) },
        };
      },
    }),
  ];
}

function describeLimits({ limits: own }: ApiKey): z.infer<typeof schema> {
  return {
    requests_per_minute: own?.requestsPerMinute ?? null,
    tokens_per_minute: own?.tokensPerMinute ?? null,
    concurrent: own?.concurrent ?? null,
  };
}
