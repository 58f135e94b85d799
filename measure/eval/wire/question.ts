import { GatewayError } from '../../../src/kernel/errors.ts';
import { isJsonObject, type JsonObject } from '../../../src/lib/json.ts';
import { objectOf, objectsOf } from '../../../src/wire/json-values.ts';
import type { Outcome } from './facts.ts';
import type { Format } from './formats.ts';
import type { Recording } from './recordings.ts';

/** The recorded request in the client's words, or a plain question where it can't be said in them and back. */
export function questionFor(recording: Recording, client: Format, wanted: Outcome): JsonObject {
  const question = translated(recording, client);
  return fitsSchema(wanted) ? question : withoutSchema(question);
}

function translated({ format, body }: Recording, client: Format): JsonObject {
  const provider = providerFor(format, client);
  const suffix = provider === 'openai' ? onlyInResponses : '';
  const model = `${provider}/${objectOf(body)?.model}${suffix}`;
  try {
    const { stream: _, ...request } = format.wire.decodeRequest(objectOf(body) ?? {});
    const { body: encoded } = client.wire.encodeRequest({ ...request, model });
    const question: JsonObject = { ...JSON.parse(Buffer.from(encoded).toString('utf8')), model };
    format.wire.encodeRequest(client.wire.decodeRequest(question));
    return question;
  } catch (refusal) {
    if (!GatewayError.is(refusal)) throw refusal;
    const turn = { role: 'user', content: 'Hello' };
    const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
    if (client.wire.name === 'gemini-interactions') return { model, input: 'Hello' };
    return client.wire.name === 'gemini'
      ? { model, contents }
      : { model, max_tokens: 1000, messages: [turn], input: [turn] };
  }
}

/** Who answers in a format to a client of another: Google speaks both of its own, and Vertex AI one of them. */
export function providerFor(format: Format, client: Format): string {
  return format.provider === 'gemini' && client.provider === 'gemini' ? 'vertex' : format.provider;
}

/** Makes it the name of a model that its provider offers in this format alone. */
const onlyInResponses = '-codex';

/** The helpers of OpenAI's SDK throw at an answer that breaks its schema, also when it comes from the provider itself. */
function withoutSchema({ response_format: _, text: __, ...question }: JsonObject): JsonObject {
  if (question.tools === undefined) return question;
  const tools = objectsOf(question.tools).map((tool) =>
    isJsonObject(tool.function) ? { ...tool, function: { ...tool.function, strict: false } } : tool,
  );
  return { ...question, tools };
}

function fitsSchema(outcome: Outcome): boolean {
  if ('error' in outcome || outcome.facts.stop === 'refusal') return true;
  const { text, stop } = outcome.facts;
  if (text === '' || stop === 'max_tokens') return text === '';
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
