import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Block, ChatRequest, ReplyEvent } from '../../kernel/message.ts';
import type { Provider } from '../../kernel/provider.ts';
import { mergeUsage } from '../../kernel/reply/answer-events.ts';
import { wireFormats } from '../../wire/index.ts';
import { clientGoneError } from '../connection-errors.ts';
import { composeReply, countTokens, splitBlock } from './compose-reply.ts';

/** A built-in model that needs no key and no network, with deterministic replies. */
export const demo: Provider = {
  name: 'demo',
  title: 'the demonstration model',
  baseUrl: 'http://demo.invalid',
  wires: wireFormats,
  keyPrefixes: [],
  modelPrefixes: ['demo-1'],
  keyless: true,
  authorize: () => [],
  answerLocally: streamReply,
  countTokens,
};

/** About the speed of a fast real model. */
const msPerToken = 12;

async function* streamReply(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ReplyEvent> {
  const { id, blocks, stopReason, inputTokens } = composeReply(request);
  const paced = request.stream === true;
  const message: Answer = {
    id,
    type: 'message',
    role: 'assistant',
    model: request.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: inputTokens, output_tokens: 0 },
  };
  yield { type: 'message_start', message };
  let outputTokens = 0;
  for (const [index, block] of blocks.entries()) {
    yield { type: 'content_block_start', index, content_block: emptyBlock(block) };
    for (const piece of splitBlock(block)) {
      if (paced) await sleep(msPerToken, undefined, { signal }).catch(throwClientGone);
      outputTokens++;
      const delta =
        block.type === 'text'
          ? ({ type: 'text_delta', text: piece } as const)
          : ({ type: 'input_json_delta', partial_json: piece } as const);
      yield { type: 'content_block_delta', index, delta };
    }
    yield { type: 'content_block_stop', index };
  }
  const usage = mergeUsage(message.usage, { output_tokens: outputTokens });
  yield { type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, usage };
  yield { type: 'message_stop' };
}

/** Only an aborted call interrupts a pause. */
function throwClientGone(cause: unknown): never {
  throw clientGoneError(cause);
}

function emptyBlock(block: Block): Block {
  if (block.type === 'text') return { ...block, text: '' };
  return block.type === 'tool_use' ? { ...block, input: {} } : block;
}
