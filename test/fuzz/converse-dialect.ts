import { SseParser } from '../../src/wire/sse.ts';
import { encodeEventFrame } from '../support/bedrock-server.ts';
import type { Dialect, Frame } from './dialects.ts';

const usage = { inputTokens: 12, outputTokens: 9, totalTokens: 21, cacheReadInputTokens: 3 };
const save = { toolUseId: 'tooluse_1', name: 'save' };

/** A provider's side alone: nobody is served in this format. */
export const converseDialect: Dialect = {
  name: 'bedrock-converse',
  path: () => '',
  models: ['bedrock/eu.amazon.nova-lite-v1:0'],
  requests: [],
  whole: {
    output: {
      message: {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'c2ln' } } },
          { reasoningContent: { redactedContent: 'cmVk' } },
          { text: 'Grüße 🌊' },
          { toolUse: { ...save, input: { note: 'ü' } } },
        ],
      },
    },
    stopReason: 'tool_use',
    usage: { ...usage, cacheDetails: [{ ttl: '1h', inputTokens: 2 }] },
    metrics: { latencyMs: 100 },
  },
  frames: [
    frame('messageStart', { role: 'assistant' }),
    delta(0, { reasoningContent: { text: 'Hm.' } }),
    delta(0, { reasoningContent: { signature: 'c2ln' } }),
    frame('contentBlockStop', { contentBlockIndex: 0 }),
    delta(1, { text: 'Grüße ' }),
    delta(1, { text: '🌊' }),
    frame('contentBlockStop', { contentBlockIndex: 1 }),
    frame('contentBlockStart', { contentBlockIndex: 2, start: { toolUse: save } }),
    delta(2, { toolUse: { input: '{"note"' } }),
    delta(2, { toolUse: { input: ':"ü"}' } }),
    frame('contentBlockStop', { contentBlockIndex: 2 }),
    frame('messageStop', { stopReason: 'tool_use' }),
    frame('metadata', { usage, metrics: { latencyMs: 100 } }),
  ],
  streamType: 'application/vnd.amazon.eventstream',
  framed: (text) =>
    Buffer.concat(
      new SseParser().push(Buffer.from(text)).map(({ event, data }) => encodeEventFrame(event, data, false)),
    ),
};

function frame(event: string, data: object): Frame {
  return { event, data };
}

function delta(contentBlockIndex: number, fields: object): Frame {
  return frame('contentBlockDelta', { contentBlockIndex, delta: fields });
}
