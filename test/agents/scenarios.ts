import type { Environment } from '../../src/gateway/settings.ts';
import type { Script, SeenRequest } from '../../src/testing/fake-upstream.ts';
import type { Agent } from './agents.ts';
import { modelIn } from './checked-request.ts';
import { brokenOff } from './scripted-turns.ts';

/** What the person must get to see. */
export const word = 'Isarwelle';

export interface Scenario {
  readonly name: string;
  /** What the table says of it. */
  readonly summary: string;
  readonly model: (agent: Agent) => string;
  readonly environment: Environment;
  /** The models that providers are asked for, if the agent names an alias. */
  readonly targets?: readonly string[];
  /** Examples of modules that are loaded; the model looks at a clock first where it is given one. */
  readonly examples?: readonly string[];
  /** With an MCP server of many tools, of which the module leaves most out: the model finds one of them, and calls it. */
  readonly manyTools?: true;
  /** The agent has that server through the MCP endpoint of the gateway, and the model calls one of its tools. */
  readonly endpoint?: true;
  /** Calls are made over a WebSocket. */
  readonly webSocket?: true;
  /** The model of a first run, which thinks; the agent continues that conversation. */
  readonly modelBefore?: string;
  /** The model's context fills, and the agent compacts the conversation. */
  readonly compacts?: true;
  /** Codex writes the summary itself, as with providers that are not OpenAI. */
  readonly compactsLocally?: true;
  /** `compaction-bridge` puts back what the compactions lost. */
  readonly restores?: true;
  /** The command of the only agent that it is for. */
  readonly only?: string;
  /** What the agent is told to send. */
  readonly headers?: Readonly<Record<string, string>>;
  /** With an account, its key and its stored provider keys. */
  readonly cloud?: true;
  /** What the provider gets in place of the word. */
  readonly placeholder?: string;
  /** How often the model reads the file before it answers; once by default. */
  readonly reads?: number;
  /** The file has some 500 tokens. */
  readonly isLong?: true;
  /** The model makes its first call twice in one answer. */
  readonly repeatsCalls?: true;
  /** What the provider says to the calls of the conversation instead of an answer. */
  failing?(request: SeenRequest, call: number): Script | undefined;
  readonly sees: RegExp;
  /** The status of the refusal that the person must read within five seconds. */
  readonly refusal?: number;
}

const own = ({ ownModel }: Agent) => ownModel;
const keys: Environment = {
  ANTHROPIC_API_KEY: 'sk-ant-tests',
  OPENAI_API_KEY: 'sk-tests',
  GEMINI_API_KEY: 'AIza-tests',
};
export const providerKeys = Object.values(keys).map(String);

/** All modules that edit, answer or guard calls. */
const everything: Environment = {
  ...keys,
  WEIR_GUARDRAILS_RULES: JSON.stringify({ river: { words: [word], action: 'redact' } }),
  WEIR_PIPELINE: [
    ...['exact-cache', 'semantic-cache', 'patterns?holdout=0', 'mcp-optimizer?holdout=0'],
    ...['compaction-bridge?holdout=0', 'ipc?holdout=0&target=8000', 'rehydrator?holdout=0'],
    ...['tool-cache?holdout=0&idempotent=*', 'guardrails?rules=river', 'cost-guard?day=50&unknown=allow'],
    'prompt-optimizer?holdout=0',
  ].join(),
};

const overloaded: Script = {
  status: 503,
  body: { error: { type: 'server_error', message: 'The model is overloaded.', code: null } },
};

/** Agents also show the contents of files that they read. */
const saysWord = new RegExp(`The word is ${word}`);

export const scenarios: readonly Scenario[] = [
  {
    name: 'native',
    summary: 'a model of the agent’s own format',
    model: own,
    environment: keys,
    sees: new RegExp(word),
  },
  {
    name: 'cross',
    summary: 'a model of a provider of another format',
    model: ({ otherModel }) => otherModel,
    environment: keys,
    sees: new RegExp(word),
  },
  {
    name: 'back',
    summary: 'the agent’s own model continues a conversation with Gemini, which signed its thinking',
    model: own,
    modelBefore: 'gemini-3-flash-preview',
    environment: keys,
    sees: new RegExp(word),
  },
  {
    name: 'back, unsigned',
    summary: 'the same after a model that signs nothing',
    model: own,
    modelBefore: 'lmstudio/some-model',
    environment: keys,
    sees: new RegExp(word),
  },
  {
    name: 'cloud',
    summary: 'an account, its key, its stored provider keys',
    model: () => 'claude-sonnet-4-5',
    environment: { WEIR_MODE: 'cloud' },
    cloud: true,
    sees: new RegExp(word),
  },
  {
    name: 'alias',
    summary: 'an alias whose first model is overloaded',
    model: () => 'fast',
    targets: ['gpt-5-mini', 'claude-sonnet-4-5'],
    environment: {
      ...keys,
      WEIR_ALIASES: JSON.stringify({
        fast: { models: ['gpt-5-mini', 'claude-sonnet-4-5'], strategy: 'order', retries: 0 },
      }),
    },
    failing: (request) => (modelIn(request) === 'gpt-5-mini' ? overloaded : undefined),
    sees: new RegExp(word),
  },
  outage('outage', ['claude-sonnet-4-6', 'gpt-5-mini']),
  outage('outage, GPT first', ['gpt-5-mini', 'claude-sonnet-4-6']),
  {
    name: 'guardrails',
    summary: 'the provider gets a placeholder for the word of the file',
    model: own,
    placeholder: '<RIVER_1>',
    environment: {
      ...keys,
      WEIR_GUARDRAILS_RULES: JSON.stringify({ river: { words: [word], action: 'redact' } }),
      WEIR_PIPELINE: 'guardrails?rules=river',
    },
    sees: saysWord,
  },
  {
    name: 'everything',
    summary: 'all modules, in a tool loop of three reads',
    model: own,
    reads: 3,
    placeholder: '<RIVER_1>',
    environment: everything,
    sees: saysWord,
  },
  {
    name: 'everything, cross',
    summary: 'the same with a model of another format',
    model: ({ otherModel }) => otherModel,
    reads: 3,
    placeholder: '<RIVER_1>',
    environment: everything,
    sees: saysWord,
  },
  {
    name: 'socket',
    summary: 'a model of the agent’s own format, over a WebSocket',
    model: own,
    environment: keys,
    webSocket: true,
    sees: new RegExp(word),
  },
  {
    name: 'socket, cross',
    summary: 'a model of a provider of another format, over a WebSocket',
    model: ({ otherModel }) => otherModel,
    environment: keys,
    webSocket: true,
    sees: new RegExp(word),
  },
  {
    name: 'socket, ceiling',
    summary: 'a ceiling that is spent, over a WebSocket',
    model: () => 'claude-sonnet-4-5',
    environment: keys,
    webSocket: true,
    headers: { 'x-weir-pipeline': 'cost-guard?day=0.0001' },
    sees: /the day's 0\.0001 USD is left.*the next day begins at/s,
  },
  {
    name: 'socket, cut',
    summary: 'the first answer breaks off, over a WebSocket',
    model: own,
    environment: keys,
    webSocket: true,
    failing: (request, call) => (call === 0 ? brokenOff(request) : undefined),
    sees: new RegExp(word),
  },
  {
    name: 'ceiling',
    summary: 'a day’s ceiling that is spent, set by a header',
    model: () => 'claude-sonnet-4-5',
    environment: keys,
    headers: { 'x-weir-pipeline': 'cost-guard?day=0.0001' },
    sees: /the day's 0\.0001 USD is left.*the next day begins at/s,
    refusal: 402,
  },
  {
    name: 'no key',
    summary: 'no provider key anywhere',
    model: () => 'claude-sonnet-4-5',
    environment: {},
    sees: /ANTHROPIC_API_KEY|provider.key/i,
    refusal: 401,
  },
  {
    name: 'cut',
    summary: 'the first answer breaks off',
    model: own,
    environment: keys,
    failing: (request, call) => (call === 0 ? brokenOff(request) : undefined),
    sees: new RegExp(word),
  },
  {
    name: 'cut, cross',
    summary: 'the same of a provider of another format',
    model: ({ otherModel }) => otherModel,
    environment: keys,
    failing: (request, call) => (call === 0 ? brokenOff(request) : undefined),
    sees: new RegExp(word),
  },
  {
    name: 'cut late',
    summary: 'the last answer breaks off',
    model: own,
    environment: keys,
    failing: (request, call) => (call === 1 ? brokenOff(request) : undefined),
    sees: new RegExp(word),
  },
  {
    name: 'cut late, cross',
    summary: 'the same of a provider of another format',
    model: ({ otherModel }) => otherModel,
    environment: keys,
    failing: (request, call) => (call === 1 ? brokenOff(request) : undefined),
    sees: new RegExp(word),
  },
  {
    name: 'clock',
    summary: 'the model calls a tool that the gateway answers, and results of tools are shortened',
    model: own,
    environment: { ...keys, WEIR_PIPELINE: 'clock,brief' },
    examples: ['module-clock', 'module-brief'],
    sees: new RegExp(word),
  },
  {
    name: 'clock, cross',
    summary: 'the same with a model of a provider of another format',
    model: ({ otherModel }) => otherModel,
    environment: { ...keys, WEIR_PIPELINE: 'clock,brief' },
    examples: ['module-clock', 'module-brief'],
    sees: new RegExp(word),
  },
  {
    name: 'many tools',
    summary:
      'an MCP server of sixty tools, most of which `mcp-optimizer` leaves out; the model finds and calls one',
    model: own,
    environment: { ...keys, WEIR_PIPELINE: 'mcp-optimizer?way_back=find_tools&holdout=0' },
    manyTools: true,
    sees: new RegExp(word),
  },
  {
    name: 'mcp endpoint',
    summary: 'an MCP server behind `/mcp` of the gateway; the agent lists its tools, and the model calls one',
    model: own,
    environment: keys,
    endpoint: true,
    sees: new RegExp(word),
  },
  {
    name: 'many tools, cross',
    summary: 'the same with a model of a provider of another format',
    model: ({ otherModel }) => otherModel,
    environment: { ...keys, WEIR_PIPELINE: 'mcp-optimizer?way_back=find_tools&holdout=0' },
    manyTools: true,
    sees: new RegExp(word),
  },
  ...['prompt-optimizer', 'prompt-optimizer, cross'].map(
    (name): Scenario => ({
      name,
      summary: 'a tool loop with `prompt-optimizer`, which sets cache markers and keeps the prompt stable',
      model: name.endsWith('cross') ? ({ otherModel }) => otherModel : own,
      environment: { ...keys, WEIR_PIPELINE: 'prompt-optimizer?holdout=0' },
      reads: 4,
      sees: new RegExp(word),
    }),
  ),
  {
    name: 'repeated calls',
    summary:
      'the model reads a long file twice in one answer and once more later; `tool-cache` gives the agent one call of the first two, and sends the content once',
    model: own,
    environment: { ...keys, WEIR_PIPELINE: 'tool-cache?idempotent=*&holdout=0' },
    isLong: true,
    repeatsCalls: true,
    reads: 3,
    sees: saysWord,
  },
  {
    name: 'repeated calls, cross',
    summary: 'the same with a model of a provider of another format',
    model: ({ otherModel }) => otherModel,
    environment: { ...keys, WEIR_PIPELINE: 'tool-cache?idempotent=*&holdout=0' },
    isLong: true,
    repeatsCalls: true,
    reads: 3,
    sees: saysWord,
  },
  {
    name: 'compaction',
    summary: 'the context fills twice, and the agent compacts the conversation',
    model: own,
    environment: keys,
    compacts: true,
    sees: saysWord,
  },
  {
    name: 'compaction, cross',
    summary: 'the same with a model of a provider of another format',
    model: ({ otherModel }) => otherModel,
    environment: keys,
    compacts: true,
    sees: saysWord,
  },
  ...['gemini-2.5-pro', 'lmstudio/some-model'].map(
    (model): Scenario => ({
      name: `compaction, ${model}`,
      summary: 'the same with Codex, which leaves the summary to the provider',
      model: () => model,
      environment: keys,
      compacts: true,
      only: 'codex',
      sees: saysWord,
    }),
  ),
  {
    name: 'bridge',
    summary: 'the context fills twice, and `compaction-bridge` puts back what the summaries lost',
    model: own,
    environment: { ...keys, WEIR_PIPELINE: 'compaction-bridge?holdout=0' },
    compacts: true,
    restores: true,
    sees: saysWord,
  },
  {
    name: 'bridge, cross',
    summary: 'the same with a model of a provider of another format',
    model: ({ otherModel }) => otherModel,
    environment: { ...keys, WEIR_PIPELINE: 'compaction-bridge?holdout=0' },
    compacts: true,
    restores: true,
    sees: saysWord,
  },
  {
    name: 'bridge, local',
    summary: 'the same with Codex, which writes the summary itself',
    model: own,
    environment: { ...keys, WEIR_PIPELINE: 'compaction-bridge?holdout=0' },
    compacts: true,
    compactsLocally: true,
    restores: true,
    only: 'codex',
    sees: saysWord,
  },
  {
    name: '500',
    summary: 'the provider fails once',
    model: own,
    environment: keys,
    failing: (_, call) => (call === 0 ? refusing(500, 'Internal server error') : undefined),
    sees: new RegExp(word),
  },
  {
    name: '401',
    summary: 'the provider refuses the key',
    model: ({ otherModel }) => otherModel,
    environment: keys,
    failing: () => refusing(401, 'this key is not known here'),
    sees: /this key is not known here/,
  },
];

/** The first model answers once, and fails from then on, longer than any retry lasts. */
function outage(name: string, targets: readonly string[]): Scenario {
  const [first] = targets;
  return {
    name,
    summary: 'an alias whose first model goes down in the middle of a tool loop, for good',
    model: () => 'fast',
    targets,
    environment: {
      ...keys,
      WEIR_ALIASES: JSON.stringify({ fast: { models: targets, strategy: 'order' } }),
    },
    reads: 4,
    failing: (request, call) => (call > 0 && modelIn(request) === first ? overloaded : undefined),
    sees: saysWord,
  };
}

function refusing(status: number, message: string): Script {
  const type = status === 401 ? 'authentication_error' : 'api_error';
  return { status, body: { type: 'error', error: { type, message, code: null, param: null } } };
}
