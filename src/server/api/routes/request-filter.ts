import { z } from 'zod';
import { GatewayError } from '../../../kernel/errors.ts';
import { limits as kernelLimits } from '../../../kernel/limits.ts';
import type { LogFilter } from '../../../kernel/ports/request-log.ts';
import { isTagName, isTagValue, type Tags } from '../../../kernel/tags.ts';
import { effects } from '../../../kernel/trace.ts';
import type { AccountCaller } from '../access.ts';
import { type ProjectScope, projectQuery } from '../project-access.ts';

const dayMs = 86_400_000;
const invalidTime = 'must be a day such as 2026-11-15, or a time such as 2026-11-15T12:00:00Z';
const time = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], invalidTime)
  .refine((text) => text >= '2000-01-01' && !Number.isNaN(Date.parse(text)), invalidTime)
  .optional();
const name = z
  .string()
  .min(1, 'must not be empty')
  .max(kernelLimits.modelNameMax, `must have at most ${kernelLimits.modelNameMax} characters`)
  .refine((text) => !text.includes('\0'), 'must not contain NUL characters')
  .optional();

/** `team:search,env:prod` */
function parseTagFilter(text: string, context: z.RefinementCtx): Tags {
  const tags = text.split(',').map((part): readonly [string, string] => {
    const [tag = '', ...value] = part.split(':');
    return [tag, value.join(':')];
  });
  if (tags.every(([tag, value]) => isTagName(tag) && isTagValue(value))) return Object.fromEntries(tags);
  context.addIssue('must be a tag such as team:search, or several separated by commas');
  return z.NEVER;
}

/** The query parameters by which calls are filtered. */
export const filterQuery = {
  from: time.describe('Calls since this day (UTC) or time'),
  to: time.describe('Calls until the end of this day (UTC), or before this time'),
  model: name.describe('The requested or the used model'),
  provider: name.describe('The name of a provider, or `none` for calls that reached none'),
  key_id: name.describe('The id of an API key'),
  project: projectQuery.describe('The id of a project: calls with its keys'),
  client: name.describe('The program that made the call'),
  conversation: name.describe('The name of a conversation'),
  end_user: name.describe('The pseudonym of an end user, as in the rows'),
  tag: z
    .string()
    .transform(parseTagFilter)
    .optional()
    .describe('A tag such as `team:search`, or several separated by commas: calls that have all of them'),
  status: z
    .string()
    .regex(/^([1-5]xx|[1-5]\d\d|error)$/, 'must be a status such as 200, a class such as 4xx, or error')
    .optional()
    .describe('A status such as 200, a class such as 4xx, or `error` for all failed calls'),
  ending: z
    .enum(['complete', 'aborted', 'failed'], 'must be complete, aborted or failed')
    .optional()
    .describe('How the answer ended'),
  wire_format: name.describe('The format of the request, such as `mcp` for calls of tools'),
  module: name.describe('A module that changed, answered or rejected the call, or failed'),
  effect: z
    .enum(effects, `must be one of ${effects.join(', ')}`)
    .optional()
    .describe(
      'The effect of `module`, or of any module. `changed-request` and `changed-reply` also match `changed-both`',
    ),
  search: name.describe('Part of a model name or an error, or the beginning of an id'),
};

/** `project` is part of the access rule of a route. */
type FilterQuery = Omit<z.output<z.ZodObject<typeof filterQuery>>, 'project'>;

/** The account whose calls the caller may see; undefined for all. */
export function loggedAccountOf(caller: AccountCaller): string | undefined {
  return caller.kind === 'local' ? undefined : caller.accountId;
}

export function filterOf(query: FilterQuery, { keyIds }: Pick<ProjectScope, 'keyIds'>): LogFilter {
  const { from, to, key_id: keyId, end_user: endUser, tag: tags, status, wire_format: wire, ...same } = query;
  const { model, client, conversation, ending, module, effect, search } = same;
  const provider = same.provider === 'none' ? null : same.provider;
  const fromMs = from === undefined ? undefined : Date.parse(from);
  const toMs = to === undefined ? undefined : endOfRange(to);
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs)
    throw new GatewayError('invalid_request', 'from: must be before to', { param: 'from' });
  return {
    fromMs,
    toMs,
    model,
    provider,
    keyId,
    keyIds,
    client,
    conversation,
    endUser,
    tags,
    wire,
    ending,
    module,
    effect,
    search,
    status: statusFilterOf(status),
  };
}

/** A day includes all of its calls. */
function endOfRange(to: string): number {
  return Date.parse(to) + (to.includes('T') ? 0 : dayMs);
}

function statusFilterOf(status: string | undefined): LogFilter['status'] {
  if (status === undefined || status === 'error') return status;
  const least = Number(status.replace('xx', '00'));
  return { least, greatest: status.endsWith('xx') ? least + 99 : least };
}
