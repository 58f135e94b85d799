import type { ChatRequest, OutputConfig } from '../../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { checkModel, checkTokenLimit, invalidRequestError } from '../check-messages.ts';
import { toExtensions } from '../foreign.ts';
import { booleanOf, numberOf, objectOf, omitUndefined, stringOf } from '../json-values.ts';
import { decodeSteps, inputStepsOf } from './decode-steps.ts';
import { decodeChoice, decodeTools } from './decode-tools.ts';
import { decodeExtensionFields } from './extension-fields.ts';
import { decodeFormat } from './response-format.ts';

/** A call names a model, or an agent, which only Google has. */
export function decodeRequest(body: JsonObject): ChatRequest {
  const model = checkModel({ model: modelIn(body) });
  checkInput(body);
  const config = objectOf(body.generation_config) ?? {};
  checkTokenLimit(config, 'max_output_tokens');
  const extensionFields = decodeExtensionFields(body);
  return omitUndefined({
    model,
    system: stringOf(body.system_instruction) || undefined,
    messages: decodeSteps(inputStepsOf(body), { extensionFields, model: model.replace(/^.*\//, '') }),
    max_tokens: numberOf(config.max_output_tokens),
    stream: booleanOf(body.stream),
    tools: decodeTools(body),
    tool_choice: decodeChoice(config, extensionFields),
    temperature: numberOf(config.temperature),
    top_p: numberOf(config.top_p),
    stop_sequences: stopSequencesOf(config),
    output_config: outputConfigOf(body, config),
    extensions: toExtensions('gemini-interactions', extensionFields),
  });
}

function modelIn({ model, agent }: JsonObject): unknown {
  return model ?? agent;
}

/** An earlier interaction may replace the input. */
function checkInput({ input, previous_interaction_id, continuation_token }: JsonObject): void {
  if (typeof input === 'string' || isJsonObject(input)) return;
  if (input == null && (previous_interaction_id != null || continuation_token != null)) return;
  if (!Array.isArray(input) || input.length === 0)
    throw invalidRequestError('input', 'a text, content or a list of steps is required');
  for (const [at, item] of input.entries())
    if (!isJsonObject(item)) throw invalidRequestError(`input.${at}`, 'must be an object');
}

function stopSequencesOf({ stop_sequences: stops }: JsonObject): readonly string[] | undefined {
  return Array.isArray(stops) ? stops.filter((stop) => typeof stop === 'string') : undefined;
}

function outputConfigOf(body: JsonObject, config: JsonObject): OutputConfig | undefined {
  const effort = stringOf(config.thinking_level)?.toLowerCase();
  const format = decodeFormat(body);
  return effort === undefined && format === undefined ? undefined : omitUndefined({ effort, format });
}
