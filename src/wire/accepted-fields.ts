import type { Acceptance, RejectableField } from '../kernel/acceptance.ts';
import type { ChatRequest, ToolChoice } from '../kernel/message.ts';
import { omitUndefined } from './json-values.ts';

/** Omits the fields that the model rejects, and lists those whose omission matters. */
export function omitUnsupportedFields(
  request: ChatRequest,
  { rejects, rejectsWithThinking, samplers }: Acceptance,
  { thinks, dropped }: { readonly thinks: boolean; readonly dropped: Set<string> },
): ChatRequest {
  const refused = new Set<RejectableField>(thinks ? [...rejects, ...rejectsWithThinking] : rejects);
  const { temperature, top_p } = request;
  if (samplers === 'one' && temperature != null && top_p != null && !refused.has('temperature'))
    refused.add(temperature === defaultSamplingValue ? 'temperature' : 'top_p');
  const present = [...refused].filter((field) => request[field] != null);
  if (present.length === 0) return request;
  for (const field of present)
    if (request[field] !== defaultSamplingValue) dropped.add(reportedFieldNames[field] ?? field);
  return omitUndefined({ ...request, ...Object.fromEntries(present.map((field) => [field, undefined])) });
}

/** Default of temperature and top_p. */
const defaultSamplingValue = 1;

const reportedFieldNames: Partial<Record<RejectableField, string>> = { metadata: 'metadata.user_id' };

/** The tool choice, if its tool is still among the tools. */
export function availableToolChoice(
  choice: ToolChoice | undefined,
  tools: readonly string[],
  dropped: Set<string>,
): ToolChoice | undefined {
  if (choice == null) return undefined;
  if (tools.length > 0 && (choice.type !== 'tool' || tools.includes(choice.name))) return choice;
  dropped.add('tool_choice');
  return undefined;
}
