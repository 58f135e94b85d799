import { join } from 'node:path';

/** The environment that an agent runs in. */
export interface AgentEnvironment {
  /** The gateway's address, without a path. */
  readonly url: string;
  readonly token: string;
  readonly model: string;
  /** The agent's home, empty before it starts. */
  readonly home: string;
  /** The folder that it works in. */
  readonly work: string;
  /** Headers that the agent is configured to send. */
  readonly headers: Readonly<Record<string, string>>;
  /** How an MCP server is started that it is to use. */
  readonly server?: readonly string[] | undefined;
  /** The address of the gateway's own MCP server, if the agent is to use it. */
  readonly endpoint?: string | undefined;
  /** Whether it makes its calls over a WebSocket. */
  readonly usesWebSocket?: boolean | undefined;
  /** Whether it continues the conversation of its last run. */
  readonly continues?: boolean;
  /** Whether it is to compact the conversation before 90,000 tokens. */
  readonly compacts?: boolean;
  /** Whether Codex is to write the summary itself. */
  readonly compactsLocally?: boolean;
}

interface Launch {
  readonly environment: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  /** What has to be written before it starts, by path. */
  readonly files: Readonly<Record<string, string>>;
}

export interface Agent {
  readonly name: string;
  /** The npm package, and the version that is tested. */
  readonly package: string;
  readonly version: string;
  readonly command: string;
  /** A model of a provider that speaks the agent's own format. */
  readonly ownModel: string;
  readonly otherModel: string;
  /** The tools by which it reads a file, the first that is offered counts. */
  readonly reading: readonly ReadTool[];
  launch(place: AgentEnvironment, prompt: string): Launch;
  /** Whether it is told of MCP servers here. */
  readonly takesServers?: true;
  /** Whether it is told of MCP servers that have an address. */
  readonly takesEndpoints?: true;
  /** Whether it can make its calls over a WebSocket. */
  readonly hasWebSocket?: true;
  /** Whether it is told to continue its last conversation here. */
  readonly continues?: true;
  /** Whether it compacts between two prompts only, for which it is launched again. */
  readonly compactsBetweenPrompts?: true;
  /** The model that writes its summaries, if it does not know the model of the conversation. */
  readonly summaryModel?: string;
}

interface ReadTool {
  readonly tool: string;
  input(path: string): object;
}

const serverName = 'house';

const claudeCode: Agent = {
  name: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  version: '2.1.325',
  command: 'claude',
  ownModel: 'claude-sonnet-4-5',
  otherModel: 'gpt-5-mini',
  reading: [{ tool: 'Read', input: (path) => ({ file_path: path }) }],
  takesServers: true,
  takesEndpoints: true,
  continues: true,
  launch: ({ url, token, model, headers, home, server, endpoint, continues, compacts }, prompt) => ({
    environment: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: token,
      ANTHROPIC_MODEL: model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      ANTHROPIC_CUSTOM_HEADERS: Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}`)
        .join('\n'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ...(compacts && { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000' }),
      // It would search for tools of servers by itself, and have none to leave out.
      ...((server ?? endpoint) && { ENABLE_TOOL_SEARCH: 'false' }),
    },
    args:
      server !== undefined || endpoint !== undefined
        ? ['-p', prompt, '--mcp-config', join(home, 'servers.json'), '--allowedTools', `mcp__${serverName}`]
        : ['-p', prompt, ...(continues === true ? ['--continue'] : [])],
    files: {
      ...(server && {
        [join(home, 'servers.json')]: JSON.stringify({ mcpServers: { [serverName]: started(server) } }),
      }),
      ...(endpoint !== undefined && {
        [join(home, 'servers.json')]: JSON.stringify({
          mcpServers: { [serverName]: { type: 'http', url: endpoint, headers: authorized(token) } },
        }),
      }),
    },
  }),
};

function started([command = '', ...args]: readonly string[]) {
  return { command, args };
}

function authorized(token: string) {
  return { Authorization: `Bearer ${token}` };
}

const codex: Agent = {
  name: 'Codex',
  package: '@openai/codex',
  version: '0.166.0',
  command: 'codex',
  ownModel: 'gpt-5-codex',
  otherModel: 'claude-sonnet-4-5',
  reading: [
    { tool: 'exec_command', input: (path) => ({ cmd: `cat ${path}` }) },
    { tool: 'shell_command', input: (path) => ({ command: `cat ${path}` }) },
    { tool: 'shell', input: (path) => ({ command: ['cat', path] }) },
  ],
  takesServers: true,
  takesEndpoints: true,
  hasWebSocket: true,
  continues: true,
  launch: (
    { url, token, model, home, headers, server, endpoint, continues, usesWebSocket = false, ...others },
    prompt,
  ) => ({
    environment: { CODEX_HOME: join(home, '.codex'), WEIR_TOKEN: token },
    args: [
      ...['exec', '--skip-git-repo-check', '--sandbox', 'danger-full-access'],
      ...(continues === true ? ['resume', '--last'] : []),
      prompt,
    ],
    files:
      others.compacts && !others.compactsLocally
        ? remoteCompaction({ url, token, model, home })
        : {
            [join(home, '.codex', 'config.toml')]: [
              `model = ${JSON.stringify(model)}`,
              'model_provider = "weir"',
              ...(others.compacts ? ['model_auto_compact_token_limit = 25000'] : []),
              '',
              '[model_providers.weir]',
              'name = "Weir"',
              `base_url = "${url}/v1"`,
              'wire_api = "responses"',
              'env_key = "WEIR_TOKEN"',
              `supports_websockets = ${usesWebSocket}`,
              // Codex tries again whatever the status; with five tries, which is its default, a refusal is read after six seconds.
              'stream_max_retries = 4',
              `http_headers = { ${Object.entries(headers)
                .map(([name, value]) => `${JSON.stringify(name)} = ${JSON.stringify(value)}`)
                .join(', ')} }`,
              '',
              ...(server
                ? [
                    `[mcp_servers.${serverName}]`,
                    `command = ${JSON.stringify(server[0])}`,
                    `args = ${JSON.stringify(server.slice(1))}`,
                    'default_tools_approval_mode = "approve"',
                    '',
                  ]
                : []),
              ...(endpoint === undefined
                ? []
                : [
                    `[mcp_servers.${serverName}]`,
                    `url = ${JSON.stringify(endpoint)}`,
                    'bearer_token_env_var = "WEIR_TOKEN"',
                    'default_tools_approval_mode = "approve"',
                    '',
                  ]),
            ].join('\n'),
          },
  }),
};

/** Codex leaves compactions to a provider that it takes for OpenAI. */
function remoteCompaction({
  url,
  token,
  model,
  home,
}: Pick<AgentEnvironment, 'url' | 'token' | 'model' | 'home'>) {
  return {
    [join(home, '.codex', 'config.toml')]: [
      `model = ${JSON.stringify(model)}`,
      `openai_base_url = "${url}/v1"`,
      'model_auto_compact_token_limit = 25000',
    ].join('\n'),
    [join(home, '.codex', 'auth.json')]: JSON.stringify({ OPENAI_API_KEY: token }),
  };
}

const opencode: Agent = {
  name: 'opencode',
  package: 'opencode-ai',
  version: '1.18.18',
  command: 'opencode',
  ownModel: 'lmstudio/some-model',
  otherModel: 'claude-sonnet-4-5',
  reading: [{ tool: 'read', input: (path) => ({ filePath: path }) }],
  launch: ({ url, token, model, work, headers, compacts }, prompt) => ({
    environment: { WEIR_TOKEN: token, OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
    args: ['run', '--model', `weir/${model}`, prompt],
    files: {
      [join(work, 'opencode.json')]: JSON.stringify({
        $schema: 'https://opencode.ai/config.json',
        provider: {
          weir: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Weir',
            options: { baseURL: `${url}/v1`, apiKey: '{env:WEIR_TOKEN}', headers },
            models: { [model]: compacts ? { limit: { context: 80_000, output: 8000 } } : {} },
          },
        },
        small_model: `weir/${model}`,
      }),
    },
  }),
};

const pi: Agent = {
  name: 'pi',
  package: '@mariozechner/pi-coding-agent',
  version: '0.73.1',
  command: 'pi',
  ownModel: 'claude-sonnet-4-5',
  otherModel: 'lmstudio/some-model',
  reading: [{ tool: 'read', input: (path) => ({ path }) }],
  compactsBetweenPrompts: true,
  launch: ({ url, token, model, home, headers, compacts, continues }, prompt) => ({
    environment: { WEIR_TOKEN: token, PI_OFFLINE: '1' },
    args: ['-p', '--provider', 'weir', '--model', model, ...(continues ? ['--continue'] : []), prompt],
    files: {
      [join(home, '.pi', 'agent', 'models.json')]: JSON.stringify({
        providers: {
          weir: {
            baseUrl: url,
            api: 'anthropic-messages',
            apiKey: 'WEIR_TOKEN',
            headers,
            models: [{ id: model, ...(compacts && { contextWindow: 100_000 }) }],
          },
        },
      }),
    },
  }),
};

const qwenCode: Agent = {
  name: 'qwen-code',
  package: '@qwen-code/qwen-code',
  version: '0.24.4',
  command: 'qwen',
  ownModel: 'lmstudio/some-model',
  otherModel: 'claude-sonnet-4-5',
  reading: [{ tool: 'read_file', input: (path) => ({ file_path: path }) }],
  launch: ({ url, token, model, home, headers, compacts }, prompt) => ({
    environment: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: token, OPENAI_MODEL: model },
    args: ['-p', prompt, '--auth-type', 'openai'],
    files: {
      [join(home, '.qwen', 'settings.json')]: JSON.stringify({
        model: {
          name: model,
          generationConfig: { customHeaders: headers, ...(compacts && { contextWindowSize: 100_000 }) },
        },
        telemetry: { enabled: false },
        privacy: { usageStatisticsEnabled: false },
      }),
    },
  }),
};

const geminiCli: Agent = {
  name: 'Gemini CLI',
  package: '@google/gemini-cli',
  version: '0.61.0',
  command: 'gemini',
  ownModel: 'gemini-2.5-pro',
  otherModel: 'claude-sonnet-4-5',
  reading: [{ tool: 'read_file', input: (path) => ({ file_path: path }) }],
  takesEndpoints: true,
  compactsBetweenPrompts: true,
  summaryModel: 'gemini-3.1-pro-preview-customtools',
  launch: ({ url, token, model, home, headers, endpoint, compacts, continues }, prompt) => ({
    environment: {
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_API_KEY: token,
      GEMINI_CLI_CUSTOM_HEADERS: Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}`)
        .join(', '),
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    },
    args: [
      ...['--model', model, '--approval-mode', 'yolo'],
      ...(continues ? ['--resume', 'latest'] : []),
      ...['--prompt', prompt],
    ],
    files: {
      [join(home, '.gemini', 'settings.json')]: JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true },
        ...(endpoint !== undefined && {
          mcpServers: { [serverName]: { httpUrl: endpoint, headers: authorized(token), trust: true } },
        }),
        // A share of a million tokens.
        ...(compacts && { model: { compressionThreshold: 0.07 } }),
      }),
    },
  }),
};

/** The agents that are tested, each at one version. */
export const agents: readonly Agent[] = [claudeCode, codex, opencode, pi, qwenCode, geminiCli];
