import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { chatsIn, recordedIn, requestsIn, type TimedRequest } from '../memory/traces.ts';

/** Calls of one account in the order of their times. */
export interface EvalTraffic {
  readonly name: string;
  readonly calls: readonly TimedRequest[];
}

const chatsMax = 50;

/** Recorded sessions and chats, with and without the client's markers, and calls that nobody continues. */
export function trafficIn(data: string, hasMarkers: boolean): readonly EvalTraffic[] {
  const prompts = systemPromptsIn(join(data, 'prompts', 'agents'));
  return [...recordedTraffic(join(data, 'memory'), hasMarkers, prompts[0] ?? ''), ...oneShots(prompts)];
}

function recordedTraffic(folder: string, hasMarkers: boolean, prompt: string): readonly EvalTraffic[] {
  return recordedIn(folder).flatMap(({ file, isMany }) =>
    (hasMarkers ? [false, true] : [false]).flatMap((isMarked) => {
      const name = `${basename(file, '.jsonl')}, ${isMarked ? 'marked' : 'unmarked'}`;
      if (isMany) {
        const chats = chatsIn(file, isMarked).slice(0, chatsMax);
        const named = `${name}, the customer's name in the instructions`;
        return [
          { name, calls: oneAfterAnother(chats) },
          { name: named, calls: oneAfterAnother(chats.map(withName)) },
        ];
      }
      const calls = requestsIn(file, isMarked);
      return [
        { name, calls },
        { name: `${name}, the time in its instructions`, calls: calls.map((call) => withTime(call, prompt)) },
        { name: `${name}, tools in any order`, calls: calls.map(withShuffledTools) },
      ];
    }),
  );
}

/** Each chat begins a minute after the one before has ended. */
function oneAfterAnother(chats: readonly (readonly TimedRequest[])[]): readonly TimedRequest[] {
  let offset = 0;
  return chats.flatMap((chat) => {
    const moved = chat.map(({ request, atSeconds }) => ({ request, atSeconds: atSeconds + offset }));
    offset = (moved.at(-1)?.atSeconds ?? offset) + 60;
    return moved;
  });
}

/** A name without digits at the end of the instructions. */
function withName(chat: readonly TimedRequest[], number: number): readonly TimedRequest[] {
  const name = [...String(number)].map((digit) => 'ABCDEFGHIJ'[Number(digit)]).join('');
  return chat.map(({ request, atSeconds }) => {
    const system = typeof request.system === 'string' ? request.system : (request.system?.[0]?.text ?? '');
    return { atSeconds, request: { ...request, system: `${system}\n\nThe customer is ${name}.` } };
  });
}

function withTime({ request, atSeconds }: TimedRequest, prompt: string): TimedRequest {
  const now = new Date(atSeconds * 1000).toISOString();
  return { atSeconds, request: { ...request, system: `The current time is ${now}.\n\n${prompt}` } };
}

/** The order differs from call to call. */
function withShuffledTools({ request, atSeconds }: TimedRequest, number: number): TimedRequest {
  const { tools = [] } = request;
  const at = number % Math.max(1, tools.length);
  return { atSeconds, request: { ...request, tools: [...tools.slice(at), ...tools.slice(0, at)] } };
}

/** Questions without a second turn: each prompt once, and one prompt for many questions. */
function oneShots(prompts: readonly string[]): readonly EvalTraffic[] {
  const ask = (system: string, number: number): TimedRequest => ({
    atSeconds: number * 20,
    request: {
      model: 'claude-sonnet-4-5',
      max_tokens: 1000,
      system,
      messages: [
        {
          role: 'user',
          content: `Question ${number}: is this prompt clear? ${'Explain. '.repeat(number % 50)}`,
        },
      ],
    },
  });
  return [
    { name: 'one-shot calls, another prompt each', calls: prompts.map(ask) },
    {
      name: 'one-shot calls, one prompt',
      calls: Array.from({ length: 100 }, (_, at) => ask(prompts[0] ?? '', at)),
    },
    {
      name: 'one-shot calls, one prompt, hours apart',
      calls: Array.from({ length: 30 }, (_, at) => ({ ...ask(prompts[0] ?? '', at), atSeconds: at * 7200 })),
    },
  ];
}

function systemPromptsIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}
