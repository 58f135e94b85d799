import type { McpServer, McpServerInput } from '../../api/queries.ts';
import { storedDefinition } from './server-definition.ts';

export type ServerKind = McpServer['kind'];

/** The fields of the form, as they were typed. */
export interface ServerTexts {
  readonly kind: ServerKind;
  readonly address: string;
  readonly command: string;
  readonly authorization: 'none' | 'headers' | 'person';
  /** Headers, or variables of a program. */
  readonly secrets: string;
  readonly document: string;
  readonly documentUrl: string;
  readonly operations: string;
  readonly tools: string;
  readonly isEnabled: boolean;
}

export function textsOf(server: McpServer | undefined): ServerTexts {
  const { kind = 'http', url, command, args = [], openapi, headers = [], env = [] } = server ?? {};
  const names = kind === 'program' ? env.map((name) => `${name}=`) : headers.map((name) => `${name}:`);
  return {
    kind,
    address: url ?? openapi?.base_url ?? '',
    command: [command, ...args].filter((word) => word !== undefined).join('\n'),
    authorization: server?.authorization ?? 'headers',
    secrets: names.join('\n'),
    document: '',
    documentUrl: '',
    operations: patternText(openapi?.operations),
    tools: patternText(server?.tools),
    isEnabled: server?.enabled ?? true,
  };
}

/** The whole definition: what has no field stays as it is. */
export function definitionOf(texts: ServerTexts, server: McpServer | undefined): McpServerInput {
  const { kind, address, command, authorization, isEnabled } = texts;
  const {
    access,
    projects,
    timeout_ms: timeoutMs,
  }: McpServerInput = server === undefined ? {} : storedDefinition(server);
  const tools = patternsIn(texts.tools);
  const common = {
    ...(access !== undefined && { access }),
    ...(projects !== undefined && { projects }),
    ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
    ...(tools !== undefined && { tools }),
    enabled: isEnabled,
  };
  if (kind === 'program') {
    const [program = '', ...args] = linesOf(command);
    return { ...common, command: program, args: [...args], env: secretsIn(texts.secrets, '=') };
  }
  const headers = secretsIn(texts.secrets, ':');
  if (kind === 'http') return { ...common, url: address.trim(), authorization, headers };
  return { ...common, headers, openapi: openapiIn(texts, server) };
}

function openapiIn(
  { address, document, documentUrl, operations }: ServerTexts,
  server: McpServer | undefined,
) {
  const filter = patternsIn(operations);
  const { deprecated } = server?.openapi?.operations ?? {};
  return {
    ...(address.trim() !== '' && { base_url: address.trim() }),
    ...(document.trim() !== '' && { document }),
    ...(document.trim() === '' && documentUrl.trim() !== '' && { document_url: documentUrl.trim() }),
    ...((filter !== undefined || deprecated !== undefined) && {
      operations: { ...filter, ...(deprecated !== undefined && { deprecated }) },
    }),
  };
}

interface Patterns {
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}

function patternText({ allow = [], deny = [] }: Patterns = {}): string {
  return [...allow, ...deny.map((pattern) => `!${pattern}`)].join('\n');
}

function patternsIn(text: string): { allow?: string[]; deny?: string[] } | undefined {
  const lines = linesOf(text);
  const allow = lines.filter((line) => !line.startsWith('!'));
  const deny = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1).trim());
  if (lines.length === 0) return undefined;
  return { ...(allow.length > 0 && { allow }), ...(deny.length > 0 && { deny }) };
}

/** A line without a value keeps the one that is stored. */
function secretsIn(text: string, sign: string): Record<string, string | null> {
  return Object.fromEntries(
    linesOf(text).map((line) => {
      const at = line.indexOf(sign);
      const name = (at < 0 ? line : line.slice(0, at)).trim();
      const value = at < 0 ? '' : line.slice(at + 1).trim();
      return [name, value === '' ? null : value];
    }),
  );
}

export function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
