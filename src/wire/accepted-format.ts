import type { Acceptance } from '../kernel/acceptance.ts';
import type { ChatRequest } from '../kernel/message.ts';
import { omitUndefined } from './json-values.ts';
import { outputFormatOf } from './output-format.ts';

/** Puts an unsupported output format into the prompt, which also satisfies providers that require the word JSON there. */
export function withAcceptedFormat(
  request: ChatRequest,
  { formats }: Acceptance,
  dropped: Set<string>,
): ChatRequest {
  const format = outputFormatOf(request);
  if (format === undefined) return request;
  const plain = format.type === 'json_object';
  if (formats.includes(plain ? 'json_object' : 'json_schema')) return request;
  dropped.add(plain ? 'output_config.format' : 'output_config.format.schema');
  const next = formats.includes('json_object') ? { type: 'json_object' } : undefined;
  return omitUndefined({
    ...request,
    system: appendInstruction(
      request.system,
      plain ? jsonInstruction : `${jsonSchemaInstruction} ${JSON.stringify(format.schema ?? {})}`,
    ),
    output_config: omitUndefined({ ...request.output_config, format: next }),
    output_format: undefined,
  });
}

const jsonInstruction = 'Answer with JSON alone.';
const jsonSchemaInstruction = 'Answer with JSON alone, by this JSON schema:';

function appendInstruction(system: ChatRequest['system'], instruction: string): ChatRequest['system'] {
  if (system === undefined || system.length === 0) return instruction;
  return typeof system === 'string'
    ? `${system}\n\n${instruction}`
    : [...system, { type: 'text', text: instruction }];
}
