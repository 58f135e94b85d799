import type { JsonObject } from '../../../../src/lib/json.ts';
import { objectOf, objectsOf, stringOf } from '../../../../src/wire/json-values.ts';
import { hasFieldsBeyond, isPaired, isSet, type Refusal, unpaired } from './refusal.ts';

/** Gemini: API reference; 'Unknown name "x"'; pages on function calling and on thought signatures. */
export const geminiRefusals: readonly Refusal[] = [
  { what: unpaired, refused: (_, asked) => !isPaired(asked) },
  {
    what: 'fields it does not know',
    refused: (body) =>
      hasFieldsBeyond(body, known) || hasFieldsBeyond(objectOf(body.generationConfig) ?? {}, knownInConfig),
  },
  { what: 'no contents', refused: (body) => objectsOf(body.contents).length === 0 },
  {
    what: 'sides other than user and model, or one of them twice in a row',
    refused: (body) =>
      objectsOf(body.contents).some(
        ({ role }, at, all) => (role !== 'user' && role !== 'model') || all[at - 1]?.role === role,
      ),
  },
  {
    what: 'a call that begins a conversation',
    refused: ({ contents }) => {
      const [first = {}] = objectsOf(contents);
      return first.role === 'model' && objectsOf(first.parts).some((part) => isSet(part.functionCall));
    },
  },
  {
    what: 'a turn without parts, or a part without data',
    refused: (body) =>
      objectsOf(body.contents).some(({ parts }) => objectsOf(parts).length === 0) ||
      partsOf(body).some((part) => !data.some((name) => isSet(part[name]))),
  },
  {
    what: 'what a function returned without its name',
    refused: (body) =>
      partsOf(body).some(
        ({ functionResponse }) =>
          objectOf(functionResponse) !== undefined && !stringOf(objectOf(functionResponse)?.name),
      ),
  },
  {
    what: 'names of functions that begin with neither a letter nor an underscore',
    refused: (body) => namesIn(body).some((name) => !/^[a-z_]/i.test(name)),
  },
  {
    what: 'media without a type',
    refused: (body) =>
      partsOf(body).some((part) => {
        const media = objectOf(part.inlineData) ?? objectOf(part.fileData);
        return media !== undefined && !stringOf(media.mimeType);
      }),
  },
  {
    what: 'calls that are not signed',
    models: /^gemini-3/,
    refused: (body) =>
      objectsOf(body.contents).some(({ parts }) => {
        const first = objectsOf(parts).find((part) => isSet(part.functionCall));
        return first !== undefined && !stringOf(first.thoughtSignature);
      }),
  },
  {
    what: 'functions with a type of the answer',
    models: /^gemini-2/,
    refused: ({ tools, generationConfig }) =>
      objectsOf(tools).length > 0 && isSet(objectOf(generationConfig)?.responseMimeType),
  },
  {
    what: 'a level of thinking',
    models: /^gemini-2/,
    refused: ({ generationConfig }) =>
      isSet(objectOf(objectOf(generationConfig)?.thinkingConfig)?.thinkingLevel),
  },
  {
    what: 'more than five stop sequences',
    refused: ({ generationConfig }) => {
      const stops = objectOf(generationConfig)?.stopSequences;
      return Array.isArray(stops) && stops.length > 5;
    },
  },
];

const known: ReadonlySet<string> = new Set([
  ...['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig'],
]);
const knownInConfig: ReadonlySet<string> = new Set([
  ...['maxOutputTokens', 'temperature', 'topP', 'topK', 'stopSequences', 'thinkingConfig'],
  ...['responseMimeType', 'responseJsonSchema'],
]);
const data = [
  ...['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse'],
  ...['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse'],
];

function namesIn(body: JsonObject): readonly string[] {
  const declared = objectsOf(body.tools).flatMap((tool) => objectsOf(tool.functionDeclarations));
  const called = partsOf(body).flatMap(({ functionCall, functionResponse }) =>
    objectsOf([functionCall, functionResponse]),
  );
  return [...declared, ...called].map(({ name }) => String(name));
}

function partsOf(body: JsonObject): readonly JsonObject[] {
  return objectsOf(body.contents).flatMap(({ parts }) => objectsOf(parts));
}
