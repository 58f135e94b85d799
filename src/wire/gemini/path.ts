import type { WireFormat } from '../../kernel/wire-format.ts';

/** The model, and what is wanted of it, stand in the path: `/v1beta/models/gemini-2.5-flash:generateContent`. */
export const modelInPath: Pick<WireFormat, 'asked' | 'naming' | 'address'> = {
  asked(_fields, path) {
    const { model, verb } = pathParts(path);
    return { model, stream: verb === streaming };
  },
  naming: () => ({}),
  address: (model, streamed, query) =>
    `/v1beta/models/${written(model)}:${streamed ? streaming : 'generateContent'}${streamed ? withEvents(query) : travelling(query)}`,
};

export function countAddress(model: string, query: string): string {
  return `/v1beta/models/${written(model)}:countTokens${travelling(query)}`;
}

/** Whether a stream is wanted as a list, which is what one gets without asking for events. */
export function asksList(path: string, query: string): boolean {
  return pathParts(path).verb === streaming && !asksEvents(query);
}

const streaming = 'streamGenerateContent';

interface PathParts {
  readonly model: string | undefined;
  readonly verb: string | undefined;
}

/** Names of models may have slashes and colons in them. */
function pathParts(path: string): PathParts {
  const [, model, verb] = /\/models\/(.+):(\w+)\/?$/.exec(path) ?? [];
  return { model: model === undefined ? undefined : unescaped(model), verb };
}

function unescaped(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function written(model: string): string {
  return model.split('/').map(encodeURIComponent).join('/');
}

function asksEvents(query: string): boolean {
  const asked = new URLSearchParams(query);
  return asked.get('alt') === 'sse' || asked.get('$alt') === 'sse';
}

function withEvents(query: string): string {
  const rest = travelling(query);
  return rest === '' ? '?alt=sse' : `${rest}&alt=sse`;
}

/** What of a client's query goes to its provider: nothing that says how the answer is laid out, or who the client is. */
function travelling(query: string): string {
  if (query === '') return '';
  const pairs = query.slice(1).split('&');
  const kept = pairs.filter((pair) => pair !== '' && !staying.has(nameOf(pair)));
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}

function nameOf(pair: string): string {
  return new URLSearchParams(pair).keys().next().value ?? '';
}

/** https://cloud.google.com/apis/docs/system-parameters */
const staying: ReadonlySet<string> = new Set(['alt', '$alt', 'access_token', 'oauth_token', 'callback']);
