import { randomUUID } from 'node:crypto';
import type { ProviderFormat } from '../../kernel/wire-format.ts';
import { type AnswerReader, CollectedJson } from '../collected-json.ts';
import { chatEstimates } from '../openai-chat/openai-chat.ts';
import { encodeRequest } from './encode-request.ts';
import { briefOfResponse, readResponse } from './read-response.ts';
import { ConverseDecoder } from './reply-decoder.ts';

/** Amazon's Converse API, for models of all makers. It is spoken to Bedrock, and to no client. Answers there have no id: they get one. */
export function converseFormat(newId: () => string): ProviderFormat {
  const reader: AnswerReader = { read: (body) => readResponse(body, newId()), brief: briefOfResponse };
  return {
    name: 'bedrock-converse',
    ownHeaders: [],
    naming: () => ({}),
    address: (model, streamed) =>
      `/model/${encodeURIComponent(model)}/${streamed ? 'converse-stream' : 'converse'}`,
    encodeRequest,
    estimates: chatEstimates,
    replyDecoder: (framing, interest) =>
      framing === 'json' ? new CollectedJson(reader, interest) : new ConverseDecoder(newId()),
  };
}

export const bedrockConverse = converseFormat(() => `msg_bdrk_${randomUUID().replaceAll('-', '')}`);
