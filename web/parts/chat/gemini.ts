import type { ChatBlock, ChatFormat, Effort, Turn } from './chat.ts';

export const gemini: ChatFormat = {
  name: 'gemini',
  title: 'Gemini',
  path({ model, streamed }) {
    const name = model.split('/').map(encodeURIComponent).join('/');
    return `/v1beta/models/${name}:${streamed ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
  },
  body({ model, system, turns, tools, schema, maxTokens, temperature, topP, effort }) {
    const names = new Map(
      turns.flatMap(({ content }) =>
        content.flatMap((block) => (block.type === 'tool_use' ? [[block.id, block.name] as const] : [])),
      ),
    );
    const config = {
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      ...(temperature !== undefined && { temperature }),
      ...(topP !== undefined && { topP }),
      ...(schema !== undefined && { responseMimeType: 'application/json', responseJsonSchema: schema }),
      ...(effort !== undefined && { thinkingConfig: thinkingFor(model, effort) }),
    };
    return {
      ...(system !== '' && { systemInstruction: { parts: [{ text: system }] } }),
      contents: turns.map((turn) => contentOf(turn, names)),
      ...(tools.length > 0 && {
        tools: [
          {
            functionDeclarations: tools.map(({ name, description, input_schema: schema }) => {
              return { name, description, parametersJsonSchema: schema };
            }),
          },
        ],
      }),
      ...(Object.keys(config).length > 0 && { generationConfig: config }),
    };
  },
  read({ error, candidates }, answer) {
    if (error != null) answer.error = error.message ?? 'the stream broke off';
    const { content, finishReason } = candidates?.[0] ?? {};
    for (const { text, thought, functionCall: call, thoughtSignature: signature } of content?.parts ?? []) {
      answer.add(thought === true ? 'thinking' : 'text', text);
      if (call != null)
        answer.call({}, { id: call.id, name: call.name, json: JSON.stringify(call.args ?? {}), signature });
    }
    answer.stopReason = finishReason ?? answer.stopReason;
  },
};

function contentOf({ role, content }: Turn, names: ReadonlyMap<string, string>): object {
  return {
    role: role === 'assistant' ? 'model' : 'user',
    parts: content.flatMap((block) => partOf(block, names)),
  };
}

function partOf(block: ChatBlock, names: ReadonlyMap<string, string>): readonly object[] {
  switch (block.type) {
    case 'text':
      return [{ text: block.text }];
    case 'image':
      return [{ inlineData: { mimeType: block.source.media_type, data: block.source.data } }];
    case 'tool_use': {
      const { name, input: args, thoughtSignature } = block;
      return [{ functionCall: { name, args }, ...(thoughtSignature !== undefined && { thoughtSignature }) }];
    }
    case 'tool_result': {
      const response = block.is_error === true ? { error: block.content } : { result: block.content };
      return [{ functionResponse: { name: names.get(block.tool_use_id) ?? '', response } }];
    }
    case 'thinking':
      return [];
  }
}

const budgets: Readonly<Record<Effort, number>> = { low: 1024, medium: 8192, high: 24_576 };

/** Models before Gemini 3 take a number of tokens. */
function thinkingFor(model: string, effort: Effort): object {
  return /gemini-[12]/.test(model) ? { thinkingBudget: budgets[effort] } : { thinkingLevel: effort };
}
