import { anthropicMessages } from './chat/anthropic-messages.ts';
import type { ChatFormat } from './chat/chat.ts';
import { gemini } from './chat/gemini.ts';
import { openaiChat } from './chat/openai-chat.ts';
import { openaiResponses } from './chat/openai-responses.ts';

/** The formats that pages make calls in, the first one by default. */
export const formats: readonly [ChatFormat, ...(readonly ChatFormat[])] = [
  anthropicMessages,
  openaiChat,
  openaiResponses,
  gemini,
];

export function formatNamed(name: string | undefined): ChatFormat | undefined {
  return formats.find((format) => format.name === name);
}

interface Command {
  /** The address of the gateway. */
  readonly origin: string;
  readonly path: string;
  readonly body: object;
  /** The list of modules, where it isn't the usual one. */
  readonly pipeline?: string | undefined;
  /** The variable of the environment that has the key, where one is asked for. */
  readonly secret: 'WEIR_KEY' | 'WEIR_LOCAL_TOKEN' | undefined;
}

/** A command that a shell takes as it is, whatever stands in it. */
export function curl({ origin, path, body, pipeline, secret }: Command): string {
  return [
    `curl ${quoted(origin + path)} \\`,
    ...(secret === undefined ? [] : [`  -H "authorization: Bearer $${secret}" \\`]),
    `  -H 'content-type: application/json' \\`,
    ...(pipeline === undefined ? [] : [`  -H ${quoted(`x-weir-pipeline: ${pipeline}`)} \\`]),
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join('\n');
}

/** Where nothing in it means anything to a shell, it stays as it is. */
function quoted(text: string): string {
  return /^[\w:/.@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
