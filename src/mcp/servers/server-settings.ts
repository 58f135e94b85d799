import { z } from 'zod';
import { httpUrl } from '../../lib/setting-schemas.ts';
import { limits } from './limits.ts';

const pattern = z.string().min(1).max(limits.patternCharactersMax);
const patterns = z.array(pattern).max(limits.patternsMax);
const word = z
  .string()
  .max(limits.wordCharactersMax)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: arguments of programs end at a null character.
  .regex(/^[^\u0000]*$/, 'must have no null characters');
const filter = z.strictObject({
  allow: patterns.optional().describe('Patterns with `*`; without them, all are offered'),
  deny: patterns.optional().describe('Patterns of what is left out'),
});
const names = z.array(z.string().min(1).max(limits.patternCharactersMax)).min(1).max(limits.patternsMax);

/** The form of a server in the API and in `weir.yaml`, without its secrets. */
export const mcpServerFields = {
  url: httpUrl
    .refine(
      (url) => url.length <= limits.urlCharactersMax,
      `must have at most ${limits.urlCharactersMax} characters`,
    )
    .optional()
    .describe('The address of a server over HTTP'),
  command: word.min(1).optional().describe('A program that speaks MCP over its standard input and output'),
  args: z.array(word).max(limits.argsMax).optional().describe('The arguments of the program'),
  openapi: z
    .strictObject({
      base_url: httpUrl.optional().describe('The address of the API; by default the one in its description'),
      operations: filter
        .extend({
          deprecated: z.boolean().optional().describe('Whether deprecated operations are tools, too'),
        })
        .optional()
        .describe('Which operations become tools'),
    })
    .optional()
    .describe('An HTTP API that OpenAPI describes'),
  authorization: z
    .enum(['none', 'headers', 'person'])
    .optional()
    .describe('`headers`: those that are stored here. `person`: each person authorizes the gateway'),
  tools: filter.optional().describe('Which of its tools are offered'),
  access: z
    .array(
      z.strictObject({
        tools: patterns.min(1).describe('Patterns of tool names at the server'),
        keys: names.optional().describe('Ids of API keys'),
        roles: names.optional().describe('Roles in the organization or the project'),
        people: names.optional().describe('Ids of members'),
      }),
    )
    .max(limits.rulesMax)
    .optional()
    .describe('Who may use which tools; without rules, everybody in the account'),
  projects: names.optional().describe('Ids of the projects whose keys see it; without them, all'),
  timeout_ms: z
    .int()
    .min(1000)
    .max(limits.timeoutMsMax)
    .optional()
    .describe('How long the server may send nothing during a request; 60000 by default'),
  enabled: z.boolean().optional().describe('False: it is not used'),
} as const;

/** What is stored of a server, without its secrets. */
export const mcpServerSettings = z.strictObject(mcpServerFields).check(({ value, issues }) => {
  const add = (path: string, message: string) =>
    issues.push({ code: 'custom', input: value, path: [path], message });
  const { url, command, args, openapi, authorization } = value;
  const kinds = [url, command, openapi].filter((one) => one !== undefined);
  if (kinds.length !== 1) add('url', 'is required, or "command", or "openapi": one of them');
  if (args !== undefined && command === undefined) add('args', 'is only for a program');
  if (authorization === 'person' && url === undefined)
    add('authorization', 'can only be "person" for a server with a url');
});

export type McpServerSettings = z.infer<typeof mcpServerSettings>;

/** Names with a value, or with null for the value that is stored. */
export const serverSecretsField = z
  .record(z.string().min(1).max(200), z.string().nullable())
  .check(({ value, issues }) => {
    const entries = Object.entries(value);
    const characters = entries.reduce((sum, [name, text]) => sum + name.length + (text?.length ?? 0), 0);
    if (entries.length > limits.secretsMax || characters > limits.secretsCharactersMax)
      issues.push({
        code: 'custom',
        input: value,
        message: `must be at most ${limits.secretsMax} with ${limits.secretsCharactersMax} characters in all`,
      });
  });

/** What is wrong with a header that goes to a server; undefined if nothing is. */
export function serverHeaderFault(name: string, value: string): string | undefined {
  const lower = name.toLowerCase();
  if (!/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(lower)) return 'is no name of a header';
  if (ownHeaders.has(lower) || /^(?:mcp-|proxy-|sec-|x-forwarded-)/.test(lower)) return 'can’t be set';
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? undefined : 'has a value that headers can’t carry';
}

/** What the gateway writes itself. */
const ownHeaders: ReadonlySet<string> = new Set([
  ...['accept', 'connection', 'content-length', 'content-type', 'cookie', 'date', 'expect', 'forwarded'],
  ...['host', 'keep-alive', 'last-event-id', 'origin', 'referer', 'te', 'trailer', 'transfer-encoding'],
  ...['upgrade', 'via'],
]);

/** What is wrong with a variable of a program. */
export function variableFault(name: string, value: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return 'is no name of a variable';
  // They load code into any program.
  if (/^(?:LD_|DYLD_)/.test(name) || name === 'NODE_OPTIONS') return 'can’t be set';
  return value.includes('\u0000') ? 'has a null character' : undefined;
}
