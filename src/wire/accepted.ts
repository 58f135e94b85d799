import type { Acceptance, RefusableField } from '../kernel/acceptance.ts';
import type { ChatRequest, ToolChoice } from '../kernel/message.ts';
import { defined } from './read.ts';

/** The request without the fields that its model refuses, which are listed where leaving them out means anything. */
export function withoutRefused(
  request: ChatRequest,
  { refuses, refusesThinking, samplers }: Acceptance,
  { thinks, dropped }: { readonly thinks: boolean; readonly dropped: Set<string> },
): ChatRequest {
  const refused = new Set<RefusableField>(thinks ? [...refuses, ...refusesThinking] : refuses);
  const { temperature, top_p } = request;
  if (samplers === 'one' && temperature != null && top_p != null && !refused.has('temperature'))
    refused.add(temperature === usual ? 'temperature' : 'top_p');
  const said = [...refused].filter((field) => request[field] != null);
  if (said.length === 0) return request;
  for (const field of said) if (request[field] !== usual) dropped.add(names[field] ?? field);
  return defined({ ...request, ...Object.fromEntries(said.map((field) => [field, undefined])) });
}

/** What temperature and top_p are where nobody sets them. */
const usual = 1;

const names: Partial<Record<RefusableField, string>> = { metadata: 'metadata.user_id' };

/** Which tool to call, where it is one of those that are left. */
export function acceptedChoice(
  choice: ToolChoice | undefined,
  tools: readonly string[],
  dropped: Set<string>,
): ToolChoice | undefined {
  if (choice == null) return undefined;
  if (tools.length > 0 && (choice.type !== 'tool' || tools.includes(choice.name))) return choice;
  dropped.add('tool_choice');
  return undefined;
}
