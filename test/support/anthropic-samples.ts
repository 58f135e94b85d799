import type Anthropic from '@anthropic-ai/sdk';

/**
 * A sample of every member of the unions in Anthropic's SDK. The types make a member or field that a later SDK adds an
 * error of the compiler here.
 */
type ByType<Union extends { readonly type: string }> = {
  readonly [Type in Union['type']]: MemberOf<Union, Type>;
};
/** A member may have several types. */
type MemberOf<Union extends { readonly type: string }, Type> = Union extends unknown
  ? Type extends Union['type']
    ? Union
    : never
  : never;

type Api = Anthropic.Beta.Messages.MessageCreateParamsNonStreaming;
type RequestBlock = Anthropic.Beta.Messages.BetaContentBlockParam;
type ResultBlock = Anthropic.Beta.Messages.BetaToolResultContentBlockParam;
type AnswerBlock = Anthropic.Beta.Messages.BetaContentBlock;
type ServerTool = Exclude<Anthropic.Beta.Messages.BetaToolUnion, Anthropic.Beta.Messages.BetaTool>;
type Usage = Anthropic.Beta.Messages.BetaUsage;

const marker = { type: 'ephemeral', ttl: '1h' } as const;
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const document = {
  type: 'document',
  source: { type: 'text', media_type: 'text/plain', data: 'The Isar rises.' },
  title: 'Report',
  citations: { enabled: true },
} as const;
const definition = { name: 'added', description: 'Added later', input_schema: { type: 'object' } } as const;

/** Fields of a request, without those that the SDK sends as headers and those that need another endpoint. */
export const requestFields: Required<
  Omit<Api, 'betas' | 'user_profile_id' | 'workspace_id' | 'thread' | 'output_format'>
> = {
  model: 'claude-sonnet-5-5',
  max_tokens: 2000,
  messages: [{ role: 'user', content: 'How high is the Isar?' }],
  stream: false,
  cache_control: marker,
  compaction: { type: 'summarize', instructions: 'Keep names.' },
  container: { id: 'container_1', skills: [{ type: 'anthropic', skill_id: 'pdf', version: 'latest' }] },
  context_management: {
    edits: [
      { type: 'clear_tool_uses_20250919', keep: { type: 'tool_uses', value: 3 } },
      { type: 'clear_thinking_20251015', keep: 'all' },
      { type: 'compact_20260112', trigger: { type: 'input_tokens', value: 150_000 } },
    ],
  },
  diagnostics: { previous_message_id: 'msg_1' },
  fallback_credit_token: { token: 'credit_1', mode: 'best_effort' },
  fallbacks: [{ model: 'claude-haiku-5-5', speed: 'fast', output_config: { effort: 'low' } }],
  inference_geo: 'eu',
  mcp_servers: [
    { type: 'url', name: 'rivers', url: 'https://rivers.example/mcp', authorization_token: 'mcp-secret' },
  ],
  metadata: { user_id: 'ann' },
  output_config: {
    effort: 'xhigh',
    format: { type: 'json_schema', schema },
    task_budget: { type: 'tokens', total: 90_000, remaining: 40_000 },
  },
  service_tier: 'standard_only',
  speed: 'fast',
  stop_sequences: ['END'],
  system: [{ type: 'text', text: 'Be brief.', cache_control: marker }],
  thinking: {
    type: 'adaptive',
    display: 'updates',
    block_binding: { prefix_mismatch_behavior: 'drop_block' },
  },
  tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  tools: [{ name: 'level', input_schema: schema, eager_input_streaming: true }],
};

export const thinkingSettings: ByType<Anthropic.Beta.Messages.BetaThinkingConfigParam> = {
  enabled: { type: 'enabled', budget_tokens: 1024, display: 'summarized' },
  disabled: { type: 'disabled' },
  between_tools: { type: 'between_tools' },
  adaptive: { type: 'adaptive', display: 'omitted' },
};

/** Blocks that an assistant's turn of a request may have. */
export const assistantBlocks: ByType<
  Extract<
    RequestBlock,
    {
      type:
        | Exclude<AnswerBlock['type'], 'container_upload'>
        | 'tool_addition'
        | 'tool_removal'
        | 'mcp_tool_listing';
    }
  >
> = {
  text: { type: 'text', text: 'It is high.' },
  thinking: { type: 'thinking', thinking: 'Hm.', signature: 'signed' },
  redacted_thinking: { type: 'redacted_thinking', data: 'encrypted' },
  tool_use: {
    type: 'tool_use',
    id: 'toolu_1',
    name: 'navigate',
    input: { url: 'https://example.com' },
    caller: { type: 'direct' },
    toolset_name: 'browser',
  },
  server_tool_use: {
    type: 'server_tool_use',
    id: 'srvtoolu_1',
    name: 'web_search',
    input: { query: 'Isar' },
  },
  web_search_tool_result: {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [
      { type: 'web_search_result', title: 'Isar', url: 'https://example.com', encrypted_content: 'e' },
    ],
  },
  web_fetch_tool_result: {
    type: 'web_fetch_tool_result',
    tool_use_id: 'srvtoolu_2',
    content: { type: 'web_fetch_result', url: 'https://example.com', content: document },
  },
  advisor_tool_result: {
    type: 'advisor_tool_result',
    tool_use_id: 'srvtoolu_3',
    content: { type: 'advisor_result', text: 'Ask the office.', stop_reason: 'end_turn' },
  },
  code_execution_tool_result: {
    type: 'code_execution_tool_result',
    tool_use_id: 'srvtoolu_4',
    content: { type: 'code_execution_result', stdout: '4', stderr: '', return_code: 0, content: [] },
  },
  bash_code_execution_tool_result: {
    type: 'bash_code_execution_tool_result',
    tool_use_id: 'srvtoolu_5',
    content: { type: 'bash_code_execution_result', stdout: '4', stderr: '', return_code: 0, content: [] },
  },
  text_editor_code_execution_tool_result: {
    type: 'text_editor_code_execution_tool_result',
    tool_use_id: 'srvtoolu_6',
    content: { type: 'text_editor_code_execution_create_result', is_file_update: false },
  },
  tool_search_tool_result: {
    type: 'tool_search_tool_result',
    tool_use_id: 'srvtoolu_7',
    content: {
      type: 'tool_search_tool_search_result',
      tool_references: [{ type: 'tool_reference', tool_name: 'level' }],
    },
  },
  mcp_tool_use: { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'level', server_name: 'rivers', input: {} },
  mcp_tool_result: { type: 'mcp_tool_result', tool_use_id: 'mcptoolu_1', content: '2.5 m', is_error: false },
  mcp_tool_listing: {
    type: 'mcp_tool_listing',
    mcp_server_name: 'rivers',
    tools: [{ name: 'level', description: 'The level', input_schema: { type: 'object' } }],
  },
  compaction: {
    type: 'compaction',
    content: 'Ann asked about the Isar.',
    encrypted_content: 'opaque',
    signature: 'signed',
    tool_changes: [{ type: 'tool_addition', tool: { type: 'tool_reference', name: 'level' } }],
  },
  fallback: {
    type: 'fallback',
    from: { model: 'claude-fable-5-2' },
    to: { model: 'claude-haiku-5-5' },
    trigger: { type: 'refusal', category: 'cyber' },
  },
  tool_addition: { type: 'tool_addition', tool: { type: 'tool_definition', definition } },
  tool_removal: { type: 'tool_removal', tool: { type: 'mcp_toolset_reference', server_name: 'rivers' } },
};

/** Blocks that only a user's turn has. */
export const userBlocks: ByType<Exclude<RequestBlock, { type: keyof typeof assistantBlocks }>> = {
  image: { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
  document,
  search_result: {
    type: 'search_result',
    source: 'https://example.com',
    title: 'Isar',
    content: [{ type: 'text', text: 'A river.' }],
  },
  tool_result: { type: 'tool_result', tool_use_id: 'toolu_1', content: 'done', toolset_name: 'browser' },
  container_upload: { type: 'container_upload', file_id: 'file_1' },
};

/** Blocks of a tool's result. */
export const resultBlocks: ByType<ResultBlock> = {
  text: { type: 'text', text: 'done' },
  image: userBlocks.image,
  document,
  search_result: userBlocks.search_result,
  tool_reference: { type: 'tool_reference', tool_name: 'level' },
  browser_state: {
    type: 'browser_state',
    tabs: [{ tab_id: 'tab_1', title: 'Isar', url: 'https://example.com', active: true }],
    state_changes: [{ type: 'tab_opened', tab_id: 'tab_1' }],
  },
};

const screen = { name: 'computer', display_height_px: 800, display_width_px: 1200 } as const;

export const providerTools: ByType<ServerTool> = {
  bash_20241022: { type: 'bash_20241022', name: 'bash' },
  bash_20250124: { type: 'bash_20250124', name: 'bash' },
  code_execution_20250522: { type: 'code_execution_20250522', name: 'code_execution' },
  code_execution_20250825: { type: 'code_execution_20250825', name: 'code_execution' },
  code_execution_20260120: { type: 'code_execution_20260120', name: 'code_execution' },
  code_execution_20260521: { type: 'code_execution_20260521', name: 'code_execution' },
  browser_toolset_20260801: { type: 'browser_toolset_20260801', configs: { zoom: { enabled: false } } },
  computer_20241022: { type: 'computer_20241022', ...screen },
  computer_20250124: { type: 'computer_20250124', ...screen },
  computer_20251124: { type: 'computer_20251124', ...screen, enable_zoom: true },
  computer_toolset_20260801: { type: 'computer_toolset_20260801', cache_control: marker },
  memory_20250818: { type: 'memory_20250818', name: 'memory' },
  text_editor_20241022: { type: 'text_editor_20241022', name: 'str_replace_editor' },
  text_editor_20250124: { type: 'text_editor_20250124', name: 'str_replace_editor' },
  text_editor_20250429: { type: 'text_editor_20250429', name: 'str_replace_based_edit_tool' },
  text_editor_20250728: { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
  web_search_20250305: { type: 'web_search_20250305', name: 'web_search' },
  web_search_20260209: { type: 'web_search_20260209', name: 'web_search' },
  web_search_20260318: { type: 'web_search_20260318', name: 'web_search', response_inclusion: 'excluded' },
  web_fetch_20250910: { type: 'web_fetch_20250910', name: 'web_fetch' },
  web_fetch_20260209: { type: 'web_fetch_20260209', name: 'web_fetch' },
  web_fetch_20260309: { type: 'web_fetch_20260309', name: 'web_fetch' },
  web_fetch_20260318: { type: 'web_fetch_20260318', name: 'web_fetch', use_cache: false },
  advisor_20260301: { type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-5-5' },
  tool_search_tool_bm25_20251119: { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
  tool_search_tool_bm25: { type: 'tool_search_tool_bm25', name: 'tool_search_tool_bm25' },
  tool_search_tool_regex_20251119: {
    type: 'tool_search_tool_regex_20251119',
    name: 'tool_search_tool_regex',
  },
  tool_search_tool_regex: { type: 'tool_search_tool_regex', name: 'tool_search_tool_regex' },
  mcp_toolset: {
    type: 'mcp_toolset',
    mcp_server_name: 'rivers',
    default_config: { defer_loading: true },
    configs: { level: { enabled: true } },
  },
};

/** Messages of the system in the middle of a conversation. */
export const systemMessages: readonly Anthropic.Beta.Messages.BetaSystemMessageParam[] = [
  { role: 'system', content: 'Answer in German.', clear_at: 'next_user_message' },
  { role: 'system', output_config: { effort: 'max' } },
  { role: 'system', content: [assistantBlocks.tool_addition, assistantBlocks.tool_removal] },
];

/** Blocks of an answer. */
export const answerBlocks: ByType<AnswerBlock> = {
  text: {
    type: 'text',
    text: 'It is high.',
    citations: [
      {
        type: 'char_location',
        cited_text: 'rises',
        document_index: 0,
        document_title: null,
        file_id: null,
        start_char_index: 4,
        end_char_index: 9,
      },
    ],
  },
  thinking: { type: 'thinking', thinking: 'Hm.', signature: 'signed' },
  redacted_thinking: { type: 'redacted_thinking', data: 'encrypted' },
  tool_use: { type: 'tool_use', id: 'toolu_1', name: 'level', input: { city: 'Munich' } },
  server_tool_use: {
    type: 'server_tool_use',
    id: 'srvtoolu_1',
    name: 'web_search',
    input: { query: 'Isar' },
  },
  web_search_tool_result: {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [
      {
        type: 'web_search_result',
        title: 'Isar',
        url: 'https://example.com',
        encrypted_content: 'e',
        page_age: null,
      },
    ],
  },
  web_fetch_tool_result: {
    type: 'web_fetch_tool_result',
    tool_use_id: 'srvtoolu_2',
    content: {
      type: 'web_fetch_result',
      url: 'https://example.com',
      content: { ...document, citations: null },
      retrieved_at: null,
    },
  },
  advisor_tool_result: {
    type: 'advisor_tool_result',
    tool_use_id: 'srvtoolu_3',
    content: { type: 'advisor_redacted_result', encrypted_content: 'e', stop_reason: null },
  },
  code_execution_tool_result: {
    type: 'code_execution_tool_result',
    tool_use_id: 'srvtoolu_4',
    content: {
      type: 'encrypted_code_execution_result',
      encrypted_stdout: 'e',
      stderr: '',
      return_code: 0,
      content: [],
    },
  },
  bash_code_execution_tool_result: {
    type: 'bash_code_execution_tool_result',
    tool_use_id: 'srvtoolu_5',
    content: { type: 'bash_code_execution_tool_result_error', error_code: 'unavailable' },
  },
  text_editor_code_execution_tool_result: {
    type: 'text_editor_code_execution_tool_result',
    tool_use_id: 'srvtoolu_6',
    content: { type: 'text_editor_code_execution_create_result', is_file_update: true },
  },
  tool_search_tool_result: {
    type: 'tool_search_tool_result',
    tool_use_id: 'srvtoolu_7',
    content: {
      type: 'tool_search_tool_search_result',
      tool_references: [{ type: 'tool_reference', tool_name: 'level' }],
    },
  },
  mcp_tool_use: { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'level', server_name: 'rivers', input: {} },
  mcp_tool_result: { type: 'mcp_tool_result', tool_use_id: 'mcptoolu_1', content: '2.5 m', is_error: false },
  container_upload: { type: 'container_upload', file_id: 'file_1' },
  compaction: {
    type: 'compaction',
    content: 'Ann asked about the Isar.',
    encrypted_content: 'opaque',
    signature: 'signed',
    tool_changes: [],
  },
  fallback: {
    type: 'fallback',
    from: { model: 'claude-fable-5-2' },
    to: { model: 'claude-haiku-5-5' },
    trigger: { type: 'refusal', category: 'bio' },
  },
  mcp_tool_listing: {
    type: 'mcp_tool_listing',
    mcp_server_name: 'rivers',
    tools: [{ name: 'level', input_schema: { type: 'object' } }],
  },
};

export const deltas: ByType<Anthropic.Beta.Messages.BetaRawContentBlockDelta> = {
  text_delta: { type: 'text_delta', text: 'It' },
  input_json_delta: { type: 'input_json_delta', partial_json: '{}' },
  citations_delta: {
    type: 'citations_delta',
    citation: {
      type: 'web_search_result_location',
      cited_text: 'a',
      encrypted_index: 'e',
      title: null,
      url: 'https://example.com',
    },
  },
  thinking_delta: { type: 'thinking_delta', thinking: 'Hm', estimated_tokens: 12 },
  signature_delta: { type: 'signature_delta', signature: 'signed' },
  compaction_delta: { type: 'compaction_delta', content: 'Ann asked.', encrypted_content: 'opaque' },
};

const pass = {
  input_tokens: 10,
  output_tokens: 5,
  cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 3 },
  cache_creation_input_tokens: 3,
  cache_read_input_tokens: 2,
} as const;

const iterations: ByType<NonNullable<Usage['iterations']>[number]> = {
  message: { type: 'message', model: null, ...pass },
  compaction: { type: 'compaction', ...pass },
  advisor_message: { type: 'advisor_message', model: 'claude-opus-5-5', ...pass },
  fallback_message: { type: 'fallback_message', model: 'claude-haiku-5-5', ...pass },
};

export const usage: Required<Usage> = {
  ...pass,
  fallback_credit: { status: { type: 'not_applied', reason: 'expired', remove_to_redeem: null } },
  inference_geo: 'eu',
  iterations: Object.values(iterations),
  output_tokens_details: { thinking_tokens: 2 },
  server_tool_use: { web_fetch_requests: 1, web_search_requests: 2 },
  service_tier: 'priority',
  speed: 'fast',
};

const refusal: Required<Anthropic.Beta.Messages.BetaRefusalStopDetails> = {
  type: 'refusal',
  category: 'frontier_llm',
  explanation: 'This may help to build a model.',
  fallback_credit_token: 'credit_1',
  fallback_has_prefill_claim: false,
  recommended_model: null,
};

export const stopReasons = {
  end_turn: true,
  max_tokens: true,
  stop_sequence: true,
  tool_use: true,
  pause_turn: true,
  compaction: true,
  refusal: true,
  model_context_window_exceeded: true,
} satisfies Record<Anthropic.Beta.Messages.BetaStopReason, true>;

/** A whole answer with every block. */
export const wholeAnswer: Required<Anthropic.Beta.Messages.BetaMessage> = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-5-5',
  content: Object.values(answerBlocks),
  container: { id: 'container_1', expires_at: '2026-11-20T00:00:00Z', skills: null },
  context_management: {
    applied_edits: [{ type: 'clear_thinking_20251015', cleared_input_tokens: 5, cleared_thinking_turns: 1 }],
  },
  diagnostics: { cache_miss_reason: { type: 'model_changed', cache_missed_input_tokens: 5 } },
  stop_reason: 'refusal',
  stop_sequence: null,
  stop_details: refusal,
  usage,
  input_transformations: [
    { type: 'thinking_dropped', path: 'messages.1.content.0', reason: 'prefix_binding_mismatch' },
  ],
};
