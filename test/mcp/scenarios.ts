import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ContentBlock,
  type GetPromptResult,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  type ReadResourceResult,
  type ServerContext,
} from '@modelcontextprotocol/server';

type Fields = Readonly<Record<string, unknown>>;

interface ScenarioCall {
  readonly input: Fields;
  readonly context: ServerContext['mcpReq'];
}

interface ScenarioTool {
  readonly description?: string;
  readonly inputSchema?: { readonly type: 'object'; readonly [field: string]: unknown };
  call(
    call: ScenarioCall,
  ): CallToolResult | InputRequiredResult | Promise<CallToolResult | InputRequiredResult>;
}

interface ScenarioPrompt {
  readonly arguments?: readonly string[];
  get(call: ScenarioCall): GetPromptResult | InputRequiredResult;
}

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';
const text = (value: string) => ({ type: 'text', text: value }) as const;
const image = { type: 'image', data: png, mimeType: 'image/png' } as const;
const content = (...content: ContentBlock[]): CallToolResult => ({ content });

const form = (
  message: string,
  properties: Fields,
  required: readonly string[] = Object.keys(properties),
) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties, required } },
});
const sampling = (prompt: string, maxTokens: number) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens },
});
const roots = { method: 'roots/list', params: {} };

/** Asks until all answers are there. */
function asking<Result>(
  requests: Readonly<Record<string, object>>,
  done: (answers: Fields) => Result,
  state?: string,
) {
  return ({ context }: ScenarioCall) => {
    const answers = context.inputResponses ?? {};
    const open = Object.entries(requests).filter(([name]) => !isAnswer(answers[name]));
    if (open.length === 0) return done(answers);
    return askFor(Object.fromEntries(open), state);
  };
}

function askFor(inputRequests: Readonly<Record<string, object>>, requestState?: string): InputRequiredResult {
  if (!isInputRequests(inputRequests)) throw new Error('a question has a method');
  return inputRequired({ inputRequests, ...(requestState !== undefined && { requestState }) });
}

function isInputRequests(value: Readonly<Record<string, object>>): value is InputRequests {
  return Object.values(value).every((request) => 'method' in request);
}

function isAnswer(value: unknown): value is Fields {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['action', 'content', 'roots'].some((field) => field in value)
  );
}

const said = (answers: Fields) => content(text(`User response: ${JSON.stringify(answers)}`));
const name = form('What is your name?', { name: { type: 'string' } });

/** The tools that the scenarios call, by name. */
export const tools: Readonly<Record<string, ScenarioTool>> = {
  test_simple_text: { call: () => content(text('This is a simple text response for testing.')) },
  test_image_content: { call: () => content(image) },
  test_audio_content: { call: () => content({ type: 'audio', data: wav, mimeType: 'audio/wav' }) },
  test_embedded_resource: {
    call: () =>
      content({
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      }),
  },
  test_multiple_content_types: {
    call: () =>
      content(text('Multiple content types test:'), image, {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      }),
  },
  test_error_handling: {
    call: () => ({ ...content(text('This tool intentionally returns an error for testing')), isError: true }),
  },
  test_tool_with_logging: { call: logThrice },
  test_logging_tool: { call: logThrice },
  test_tool_with_progress: {
    async call({ context }) {
      const progressToken = context._meta?.progressToken;
      if (progressToken !== undefined)
        for (const progress of [0, 50, 100])
          await context.notify({
            method: 'notifications/progress',
            params: { progressToken, progress, total: 100, message: `${progress} of 100` },
          });
      return content(text('done'));
    },
  },
  test_sampling: {
    inputSchema: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
    call: (call) =>
      asking({ answer: sampling(String(call.input.prompt), 100) }, (answers) =>
        content(text(`LLM response: ${JSON.stringify(answers.answer)}`)),
      )(call),
  },
  test_elicitation: {
    inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    call: (call) =>
      asking(
        {
          answer: form(String(call.input.message), {
            username: { type: 'string', description: "User's response" },
            email: { type: 'string', description: "User's email address" },
          }),
        },
        said,
      )(call),
  },
  test_elicitation_sep1034_defaults: {
    call: asking(
      {
        answer: form(
          'Please accept the defaults',
          {
            name: { type: 'string', default: 'John Doe' },
            age: { type: 'integer', default: 30 },
            score: { type: 'number', default: 95.5 },
            status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
            verified: { type: 'boolean', default: true },
          },
          [],
        ),
      },
      said,
    ),
  },
  test_elicitation_sep1330_enums: {
    call: asking(
      {
        answer: form(
          'Please choose',
          {
            untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
            titledSingle: {
              type: 'string',
              oneOf: [
                { const: 'value1', title: 'First Option' },
                { const: 'value2', title: 'Second Option' },
                { const: 'value3', title: 'Third Option' },
              ],
            },
            legacyEnum: {
              type: 'string',
              enum: ['opt1', 'opt2', 'opt3'],
              enumNames: ['Option One', 'Option Two', 'Option Three'],
            },
            untitledMulti: {
              type: 'array',
              items: { type: 'string', enum: ['option1', 'option2', 'option3'] },
            },
            titledMulti: {
              type: 'array',
              items: {
                anyOf: [
                  { const: 'value1', title: 'First Choice' },
                  { const: 'value2', title: 'Second Choice' },
                  { const: 'value3', title: 'Third Choice' },
                ],
              },
            },
          },
          [],
        ),
      },
      said,
    ),
  },
  json_schema_2020_12_tool: {
    description: 'Tool with JSON Schema 2020-12 features',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    call: () => content(text('ok')),
  },
  test_custom_headers: {
    inputSchema: {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        priority: { type: 'integer', 'x-mcp-header': 'Priority' },
      },
    },
    call: ({ input }) => content(text(JSON.stringify(input))),
  },
  test_trigger_tool_change: { call: () => content(text('done')) },
  test_trigger_prompt_change: { call: () => content(text('done')) },
  test_streaming_elicitation: {
    async call(call) {
      await logThrice(call);
      return asking({ user_name: name }, said)(call);
    },
  },
  test_missing_capability: { call: asking({ answer: sampling('What is this?', 10) }, said) },
  test_input_required_result_elicitation: {
    call: asking({ user_name: name }, (answers) =>
      content(text(`Hello, ${JSON.stringify(answers.user_name)}!`)),
    ),
  },
  test_input_required_result_sampling: {
    call: asking({ capital_question: sampling('What is the capital of France?', 100) }, said),
  },
  test_input_required_result_list_roots: { call: asking({ client_roots: roots }, said) },
  test_input_required_result_request_state: {
    call: (call) =>
      asking(
        { confirm: form('Please confirm', { ok: { type: 'boolean' } }) },
        () => content(text(call.context.requestState() === 'a state' ? 'state-ok' : 'another state')),
        'a state',
      )(call),
  },
  test_input_required_result_tampered_state: {
    call: asking({ confirm: form('Please confirm', { ok: { type: 'boolean' } }) }, said, 'another state'),
  },
  test_input_required_result_multiple_inputs: {
    call: asking(
      { user_name: name, greeting: sampling('Generate a greeting', 50), client_roots: roots },
      said,
      'three questions',
    ),
  },
  test_input_required_result_multi_round: {
    call({ context }) {
      const state = context.requestState();
      const answers = context.inputResponses ?? {};
      if (state === 'round 2' && isAnswer(answers.step2)) return said(answers);
      const isSecond = state === 'round 1' && isAnswer(answers.step1);
      return isSecond
        ? askFor(
            { step2: form('Step 2: What is your favorite color?', { color: { type: 'string' } }) },
            'round 2',
          )
        : askFor({ step1: form('Step 1: What is your name?', { name: { type: 'string' } }) }, 'round 1');
    },
  },
  test_input_required_result_capabilities: {
    call(call) {
      const envelope: Fields = { ...call.context.envelope };
      const can = envelope[CLIENT_CAPABILITIES_META_KEY] ?? {};
      const isSampling = typeof can === 'object' && 'sampling' in can;
      return asking(
        { ...(isSampling ? { question: sampling('Who are you?', 10) } : { question: name }) },
        said,
      )(call);
    },
  },
};

async function logThrice({ context }: ScenarioCall) {
  for (const step of ['started', 'processing', 'completed'])
    await context.notify({
      method: 'notifications/message',
      params: { level: 'info', logger: 'tool', data: `Tool ${step}` },
    });
  return content(text('done'));
}

const user = (content: ContentBlock) => ({ role: 'user', content }) as const;

export const prompts: Readonly<Record<string, ScenarioPrompt>> = {
  test_simple_prompt: { get: () => ({ messages: [user(text('This is a simple prompt for testing.'))] }) },
  test_prompt_with_arguments: {
    arguments: ['arg1', 'arg2'],
    get: ({ input: { arg1, arg2 } }) => ({
      messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  },
  test_prompt_with_embedded_resource: {
    arguments: ['resourceUri'],
    get: ({ input: { resourceUri } }) => ({
      messages: [
        user({
          type: 'resource',
          resource: {
            uri: String(resourceUri),
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          },
        }),
        user(text('Please process the embedded resource above.')),
      ],
    }),
  },
  test_prompt_with_image: {
    get: () => ({ messages: [user(image), user(text('Please analyze the image above.'))] }),
  },
  test_input_required_result_prompt: {
    get: asking(
      { user_context: form('What context should the prompt use?', { context: { type: 'string' } }) },
      (answers) => ({ messages: [user(text(JSON.stringify(answers)))] }),
    ),
  },
};

export const resources = [
  { uri: 'test://static-text', name: 'static text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'static binary', mimeType: 'image/png' },
  { uri: 'test://watched-resource', name: 'watched', mimeType: 'text/plain' },
] as const;

export const templates = [
  { uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' },
] as const;

/** The contents of a resource; undefined if there is none. */
export function contentsOf(uri: string): ReadResourceResult['contents'] | undefined {
  if (uri === 'test://static-binary') return [{ uri, mimeType: 'image/png', blob: png }];
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined)
    return [
      {
        uri,
        mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      },
    ];
  const isKnown = resources.some((resource) => resource.uri === uri);
  return isKnown
    ? [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }]
    : undefined;
}
