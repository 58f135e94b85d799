import { z } from 'zod';
import type { RequestLog } from '../../../kernel/ports/request-log.ts';
import type { Clock } from '../../../lib/clock.ts';
import { type ErrorsOverTime, errorsOverTime } from '../../../telemetry/request-log/errors-over-time.ts';
import { bySessionOrKey, defineRoute, inProject } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import { namedProject } from '../project-access.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';
import { parseQuery } from '../validation.ts';
import { filterOf, filterQuery, loggedAccountOf } from './request-filter.ts';
import { causeSchema, summaryRange } from './requests-summary.ts';

interface ErrorsParts {
  readonly log: Pick<RequestLog, 'errors' | 'page'>;
  readonly clock: Clock;
}

/** More would be a chart that nobody can read. */
const causesMax = 50;

const query = {
  ...filterQuery,
  from: filterQuery.from.describe('Calls since this day (UTC) or time; by default a day before `to`'),
  to: filterQuery.to.describe('Calls until the end of this day (UTC), or before this time; by default now'),
};
const counts = z.array(z.int()).describe('The number of failed calls in each interval');
const errorsSchema = z.object({
  from: z.iso.datetime().describe('The start of the first interval'),
  to: z.iso.datetime(),
  step_seconds: z.number(),
  counted_since: z.iso
    .datetime()
    .nullable()
    .describe(
      'Earlier calls were not counted, because there are too many; null if all were. Only with `conversation`, `end_user`, `tag` or the beginning of an id',
    ),
  causes: z
    .array(causeSchema.extend({ counts }))
    .describe(`Those with the most calls first, ${causesMax} at most`),
  others: z.object({ count: z.int(), counts }).describe('All other causes'),
});

export function requestErrorsRoute({ log, clock }: ErrorsParts): ApiRoute {
  return defineRoute({
    method: 'GET',
    path: '/v1/requests/errors',
    summary: 'Count failed calls by cause over time',
    tag: 'Usage',
    access: inProject(bySessionOrKey('calls'), namedProject),
    query,
    body: noBody,
    responses: {
      200: { description: 'Failed calls by cause, and when', schema: errorsSchema },
      400: { description: 'A query parameter is invalid' },
      401: { description: 'Missing or invalid credential' },
    },
    async handle({ caller, query: sent }) {
      const { fromMs, toMs, ...filter } = filterOf(parseQuery(query, sent), caller);
      const nowMs = clock.now();
      const found = await errorsOverTime(log, {
        accountId: loggedAccountOf(caller),
        ...summaryRange({ fromMs, toMs }, nowMs),
        nowMs,
        filter,
      });
      return { body: describeErrors(found) };
    },
  });
}

function describeErrors(found: ErrorsOverTime): z.output<typeof errorsSchema> {
  const { fromMs, toMs, stepMs, countedSinceMs, causes } = found;
  const others = causes.slice(causesMax);
  const steps = Array.from({ length: Math.ceil((toMs - fromMs) / stepMs) }, (_, step) => step);
  return {
    from: timestamp(fromMs),
    to: timestamp(toMs),
    step_seconds: stepMs / 1000,
    counted_since: countedSinceMs === undefined ? null : timestamp(countedSinceMs),
    causes: causes.slice(0, causesMax).map(({ providerError, ...cause }) => ({
      ...cause,
      provider_error: providerError,
      counts: [...cause.counts],
    })),
    others: {
      count: others.reduce((sum, { count }) => sum + count, 0),
      counts: steps.map((step) => others.reduce((sum, cause) => sum + (cause.counts[step] ?? 0), 0)),
    },
  };
}
